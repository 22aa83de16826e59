import { once } from 'node:events'
import fs from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { Random } from '../../src/base/random.ts'
import {
  JOURNAL_VERSION,
  SEGMENT,
  SEGMENT_HEADER_BYTES,
} from '../../src/store/format/journal-format.ts'
import { EventLines } from '../crash/event-lines.ts'
import { allSwaps, figuresOf } from '../crash/http.ts'
import { filesOf, flipByte } from '../data-files.ts'
import { hasFlock } from '../has-flock.ts'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'
import { partOf } from './data-folders.ts'
import { freePort } from './free-port.ts'
import { launch, type Program, runProgram, startProgram, until } from './program.ts'

const QUIET = { FEED: 'none', RATE_LIMIT: 'off' }
/** Exit code of a start that finds the folder in use, damaged or of a later version. */
const EXIT_DATA = 3
const HELD_START = join(ROOT, 'test/process/held-program.ts')
const LOTS = 20
const SWAPS_PER_LOT = 30
const ONE_SENTENCE_OR_MORE = /^mintfeed: [^\n]+\.\n$/

const lines = () => new EventLines('Damage', new Random(2), 1)

/** Feeds lots of lines, each folded and in the segment before the next, and kills the program. */
async function filled(DATA_DIR: string): Promise<EventLines> {
  const settings = { FEED: 'stdin', RATE_LIMIT: 'off', FSYNC: 'always', DATA_DIR }
  const program = await startProgram(settings)
  const fed = lines()
  program.child.stdin?.write(fed.opening())
  for (let lot = 0; lot < LOTS; lot++) {
    program.child.stdin?.write(fed.more(SWAPS_PER_LOT))
    await until('a lot is folded', async () =>
      (await figuresOf(program.url)).feed_events_total === fed.count ? true : null,
    )
  }
  await program.end('SIGKILL')
  return fed
}

async function totalOf({ url }: Program, fed: EventLines): Promise<number> {
  const all = await Promise.all(fed.mints.map((mint) => allSwaps(url, mint)))
  return all.reduce((sum, { total }) => sum + total, 0)
}

test('garbage behind the last frame is cut off and reported with file and byte', async () => {
  const DATA_DIR = newFolder()
  const fed = await filled(DATA_DIR)
  const [path] = filesOf(DATA_DIR, 'journal-').slice(-1)
  const { size } = fs.statSync(path)
  fs.appendFileSync(path, Buffer.alloc(333, 0xa5))
  const program = await startProgram({ ...QUIET, DATA_DIR })
  const told = await program.seen(/they were put aside/)
  expect(partOf(told, 'path')).toBe(path)
  expect(partOf(told, 'byte')).toBe(size)
  expect(partOf(told, 'bytes')).toBe(333)
  expect(fs.statSync(path).size).toBe(size)
  expect(await totalOf(program, fed)).toBe(LOTS * SWAPS_PER_LOT)
  await program.end('SIGKILL')
})

test('damage in the middle stops the start, and the sentence says where and what to do', async () => {
  const DATA_DIR = newFolder()
  await filled(DATA_DIR)
  const [path] = filesOf(DATA_DIR, 'journal-')
  flipByte(path, fs.statSync(path).size >> 1)
  const { code, errors } = await runProgram({ ...QUIET, DATA_DIR, PORT: '0' })
  expect(code).toBe(EXIT_DATA)
  const told = errors.split('\n').filter((line) => line.startsWith('mintfeed:'))
  expect(`${told.join('\n')}\n`).toMatch(ONE_SENTENCE_OR_MORE)
  expect(told[0]).toMatch(/^mintfeed: The journal is damaged in the middle/)
  expect(told[0]).toContain(path)
  expect(told[0]).toMatch(/byte \d+/)
  expect(told[0]).toContain('mintfeed repair --until')
})

test('a start that fails closes live connections with 1012, and answers 503 with the reason until then', async () => {
  const DATA_DIR = newFolder()
  await filled(DATA_DIR)
  const [path] = filesOf(DATA_DIR, 'journal-')
  flipByte(path, fs.statSync(path).size >> 1)
  const PORT = String(await freePort())
  const settings = { ...QUIET, DATA_DIR, PORT, ADMIN_PORT: '0', LOG_LEVEL: 'info' }
  const program = launch(settings, [], ROOT, HELD_START)
  const admin = `http://127.0.0.1:${partOf(await program.seen(/admin surface/), 'port')}`
  const reason = async () => partOf(await (await fetch(`${admin}/readyz`)).text(), 'reason')
  const url = `http://127.0.0.1:${PORT}`
  await until('the port is open', () => fetch(`${url}/healthz`).catch(() => null))

  const socket = new WebSocket(`ws://127.0.0.1:${PORT}/ws?id=early`)
  await once(socket, 'open')
  const answer = await fetch(`${url}/api/v2/search/tokens/detailed?query=a`)
  expect(answer.status).toBe(503)
  expect(answer.headers.get('retry-after')).not.toBeNull()
  expect(await answer.json()).toMatchObject({ statusCode: 503, code: 'starting' })
  const held = await fetch(`${url}/api/v2/stream?channel=new_launched_pool`)
  expect(held.status).toBe(200)
  expect(await reason()).toBe('The state before the last stop is being recovered.')
  const closed = once(socket, 'close')
  program.child.stdin?.write('\n')
  expect(await closed).toMatchObject([1012, Buffer.from('the service restarts')])
  expect(await held.text()).toMatch(/^(:\n\n)+$/)
  expect(await reason()).toBe('The service is being stopped.')
  program.child.stdin?.write('\n')
  expect(await program.ended).toBe(EXIT_DATA)
  expect(program.lines.filter((line) => line.startsWith('mintfeed:'))).toHaveLength(1)
})

test('a damaged newest snapshot is left aside for the one before it', async () => {
  const DATA_DIR = newFolder()
  const settings = { DATA_DIR, SNAPSHOT_EVERY: '200ms' }
  const first = await startProgram({ FEED: 'stdin', RATE_LIMIT: 'off', ...settings })
  const fed = lines()
  first.child.stdin?.write(fed.opening())
  await until('two snapshots', async () => {
    first.child.stdin?.write(fed.more(SWAPS_PER_LOT))
    return filesOf(DATA_DIR, 'snapshot-').length >= 2 ? true : null
  })
  expect(await first.end('SIGTERM')).toBe(0)
  const seen = (await figuresOfRun({ ...QUIET, DATA_DIR })).swaps
  const newest = filesOf(DATA_DIR, 'snapshot-').at(-1) ?? ''
  flipByte(newest, fs.statSync(newest).size >> 1)
  const second = await startProgram({ ...QUIET, DATA_DIR })
  const told = await second.seen(/a snapshot is damaged/)
  expect(partOf(told, 'path')).toBe(newest)
  expect((await figuresOf(second.url)).swaps).toBe(seen)
  await second.end('SIGKILL')
})

async function figuresOfRun(settings: Record<string, string>) {
  const program = await startProgram(settings)
  const figures = await figuresOf(program.url)
  await program.end('SIGKILL')
  return figures
}

test('a folder in use stops a second start, which names the process', async () => {
  const DATA_DIR = newFolder()
  const first = await startProgram({ ...QUIET, DATA_DIR })
  const { code, errors } = await runProgram({ ...QUIET, DATA_DIR, PORT: '0' })
  expect(code).toBe(EXIT_DATA)
  expect(errors).toContain(`mintfeed: ${DATA_DIR} is used by process ${first.child.pid}`)
  expect((await figuresOf(first.url)).status).toBe('ready')
  expect(await first.end('SIGTERM')).toBe(0)
})

test.skipIf(!hasFlock)(
  'a folder in use stops a second start that cannot see the process',
  async () => {
    const DATA_DIR = newFolder()
    const first = await startProgram({ ...QUIET, DATA_DIR })
    const lock = join(DATA_DIR, 'lock')
    const unseen = [
      // In a container it has a pid that is another one here, or none; a start may just have made the file.
      fs.readFileSync(lock, 'latin1').replace(/"pid":\d+/, '"pid":4000000'),
      '',
    ]
    for (const name of unseen) {
      fs.writeFileSync(lock, name)
      const { code, errors } = await runProgram({ ...QUIET, DATA_DIR, PORT: '0' })
      expect(code).toBe(EXIT_DATA)
      expect(errors).toContain(`mintfeed: ${DATA_DIR} is used by another program`)
    }
    // A kill gives it back, whatever the name says.
    await first.end('SIGKILL')
    const second = await startProgram({ ...QUIET, DATA_DIR })
    expect(await second.end('SIGTERM')).toBe(0)
    expect(fs.existsSync(lock)).toBe(false)
  },
)

test('a journal of a later version stops the start and is left as it is', async () => {
  const DATA_DIR = newFolder()
  await filled(DATA_DIR)
  const [path] = filesOf(DATA_DIR, 'journal-').slice(-1)
  const bytes = fs.readFileSync(path)
  bytes.writeUInt32LE(JOURNAL_VERSION + 1, SEGMENT.version)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, SEGMENT.crc)), SEGMENT.crc)
  expect(bytes.length).toBeGreaterThan(SEGMENT_HEADER_BYTES)
  fs.writeFileSync(path, bytes)
  const { code, errors } = await runProgram({ ...QUIET, DATA_DIR, PORT: '0' })
  expect(code).toBe(EXIT_DATA)
  expect(errors).toContain('later version')
  expect(fs.readFileSync(path).equals(bytes)).toBe(true)
})

test('a DATA_DIR that cannot be a folder stops the start with one sentence', async () => {
  const file = join(newFolder(), 'a-file')
  fs.writeFileSync(file, '')
  for (const DATA_DIR of [file, join(file, 'below')]) {
    const { code, errors } = await runProgram({ ...QUIET, DATA_DIR, PORT: '0' })
    expect(code).toBe(EXIT_DATA)
    expect(errors).toContain(`mintfeed: `)
    expect(errors).toContain(DATA_DIR)
    expect(errors).not.toContain('    at ')
  }
})
