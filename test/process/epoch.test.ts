import fs from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { Random } from '../../src/base/random.ts'
import { readMark } from '../../src/store/folder/commit-marker.ts'
import { FRAME, frameBytes, SEGMENT_HEADER_BYTES } from '../../src/store/format/journal-format.ts'
import { ringPath } from '../../src/store/journal/journal-ring.ts'
import { EventLines } from '../crash/event-lines.ts'
import { figuresOf } from '../crash/http.ts'
import { filesOf } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { copyOf, partOf } from './data-folders.ts'
import { launch, startProgram, until } from './program.ts'

const QUIET = { FEED: 'none', RATE_LIMIT: 'off' }
const SWAPS = 40

/** A run that begins a segment, is fed, and ends; the epoch it had. */
async function run(DATA_DIR: string, signal: NodeJS.Signals): Promise<unknown> {
  const program = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', DATA_DIR })
  const lines = new EventLines(`Run${fs.readdirSync(DATA_DIR).length}`, new Random(3), 1)
  program.child.stdin?.write(lines.opening() + lines.more(SWAPS))
  await until('all lines are folded', async () =>
    (await figuresOf(program.url)).feed_events_total === lines.count ? true : null,
  )
  // The mark tells a batch in haste only at the end of a sync: what it does not tell yet could be taken
  // away unseen.
  await until('the mark tells all of them', async () =>
    readMark(DATA_DIR, '')?.seq === (await figuresOf(program.url)).journal_seq ? true : null,
  )
  const epoch = partOf(await program.seen(/"msg":"recovered"/), 'epoch')
  await program.end(signal)
  return epoch
}

/** The epoch of the next start, which tells when it is another one than before, and is killed then. */
async function nextEpoch(DATA_DIR: string, before: unknown): Promise<unknown> {
  const program = await startProgram({ ...QUIET, DATA_DIR })
  const epoch = partOf(await program.seen(/"msg":"recovered"/), 'epoch')
  const told = program.lines.filter((line) => line.includes('events may be lost'))
  expect(told).toHaveLength(epoch === before ? 0 : 1)
  await program.end('SIGKILL')
  return epoch
}

test('the epoch stays over kills, one in the middle of a start among them, and a stop', async () => {
  const DATA_DIR = newFolder()
  const epoch = await run(DATA_DIR, 'SIGKILL')
  for (let i = 0; i < 3; i++) {
    const killed = launch({ ...QUIET, PORT: '0', DATA_DIR })
    await until('it has the folder', async () => {
      const lock = join(DATA_DIR, 'lock')
      const holder = fs.existsSync(lock) ? fs.readFileSync(lock, 'latin1') : ''
      return holder.includes(`"pid":${killed.child.pid},`) ? true : null
    })
    await killed.end('SIGKILL')
    expect(await nextEpoch(DATA_DIR, epoch)).toBe(epoch)
  }
  expect(await run(DATA_DIR, 'SIGTERM')).toBe(epoch)
  expect(await nextEpoch(DATA_DIR, epoch)).toBe(epoch)
})

test.each(['SIGKILL', 'SIGTERM'] as const)(
  'a copy of a folder has a new epoch, the folder itself has not (%s)',
  async (signal) => {
    const DATA_DIR = newFolder()
    const epoch = await run(DATA_DIR, signal)
    const copy = copyOf(DATA_DIR)
    const bare = copyOf(DATA_DIR)
    for (const name of ['lock', 'compactor', 'written'])
      fs.rmSync(join(bare, name), { force: true })
    // As if the copy had been put where the original was.
    const restored = copyOf(DATA_DIR)
    expect(await run(DATA_DIR, 'SIGKILL')).toBe(epoch)
    fs.copyFileSync(join(DATA_DIR, 'written'), join(restored, 'written'))
    const epochs = [epoch]
    for (const folder of [copy, bare, restored]) epochs.push(await nextEpoch(folder, epoch))
    expect(new Set(epochs).size).toBe(4)
  },
)

test('a journal whose end was taken away between two frames has a new epoch', async () => {
  const DATA_DIR = newFolder()
  const epoch = await run(DATA_DIR, 'SIGKILL')
  const [path] = filesOf(DATA_DIR, 'journal-').slice(-1)
  const ends = frameEnds(fs.readFileSync(path))
  fs.truncateSync(path, ends[ends.length - 5])
  fs.rmSync(ringPath(DATA_DIR), { force: true })
  expect(await nextEpoch(DATA_DIR, epoch)).not.toBe(epoch)
})

test('an end of the journal that was taken away and that its ring still has is lost to nobody', async () => {
  const DATA_DIR = newFolder()
  const epoch = await run(DATA_DIR, 'SIGKILL')
  if (!fs.existsSync(ringPath(DATA_DIR))) {
    console.info('skipped: no file of this machine becomes memory, so that the journal has no ring')
    return
  }
  const [path] = filesOf(DATA_DIR, 'journal-').slice(-1)
  const ends = frameEnds(fs.readFileSync(path))
  fs.truncateSync(path, ends[ends.length - 5])
  expect(await nextEpoch(DATA_DIR, epoch)).toBe(epoch)
})

test('a journal whose last segment was taken away has a new epoch, though it ends in order', async () => {
  const DATA_DIR = newFolder()
  const epoch = await run(DATA_DIR, 'SIGTERM')
  expect(await run(DATA_DIR, 'SIGKILL')).toBe(epoch)
  fs.rmSync(filesOf(DATA_DIR, 'journal-').slice(-1)[0])
  expect(await nextEpoch(DATA_DIR, epoch)).not.toBe(epoch)
})

/** Byte behind each frame of a segment. */
function frameEnds(bytes: Buffer): number[] {
  const ends: number[] = []
  for (let at = SEGMENT_HEADER_BYTES; at < bytes.length; ) {
    at += frameBytes(bytes.readUInt32LE(at + FRAME.payloadBytes))
    ends.push(at)
  }
  return ends
}
