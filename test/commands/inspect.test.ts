import fs from 'node:fs'
import { join } from 'node:path'
import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { SILENT } from '../../src/commands/command.ts'
import { checkContents } from '../../src/commands/folder-checks.ts'
import { inspectFolder } from '../../src/commands/inspect.ts'
import { ReadOnlyDisk } from '../../src/commands/read-only-disk.ts'
import { TAPE_CHUNK_RECORDS } from '../../src/engine/state/tape.ts'
import type { DiskFile } from '../../src/store/disk/disk.ts'
import { JOURNAL_VERSION, SEGMENT } from '../../src/store/format/journal-format.ts'
import { CHUNK_VERSION } from '../../src/store/snapshot/tape-chunk.ts'
import { contentsOf, filesOf, flipByte } from '../data-files.ts'
import { newFolder } from '../new-folder.ts'
import { systemError } from '../store/disks/crash-disk.ts'
import {
  ask,
  crowdOfLines,
  emptiedFolder,
  filledFolder,
  makeLater,
  Run,
  spoilSector,
} from './folders.ts'

/** A folder whose snapshot counts on a chunk as the service writes them. */
function chunkFolder(): { folder: string; restart: () => void } {
  const folder = newFolder()
  const events = crowdOfLines(7, TAPE_CHUNK_RECORDS + 200)
  new Run(folder, { fsync: 'off', batch: 1_000 }).take(events).snapshot().close()
  return { folder, restart: () => new Run(folder).close() }
}

/** The bytes of a chunk, as if a later version of the program had written it. */
function laterVersion(chunk: Buffer): Buffer {
  const bytes = Buffer.from(chunk)
  bytes.writeUInt32LE(CHUNK_VERSION + 1, 8)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, 36)), 36)
  return bytes
}

test('a healthy folder is told file by file and nothing in it changes', async () => {
  const { folder, run } = filledFolder()
  const before = contentsOf(folder)
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(0)
  expect(output).toContain('seq 500 to 1,000')
  expect(output).toContain(`epoch ${run.recovered.epoch}  closed`)
  expect(output).toMatch(/snapshot-0{13}500\.mfs {2}seq 500 .* whole/)
  expect(output).toMatch(/frames: .*records/)
  expect(output).toContain('would start at seq 1,500, from the snapshot of seq 1,000\n')
  expect(contentsOf(folder)).toEqual(before)
})

test('the JSON says the same', async () => {
  const { folder } = filledFolder()
  const { output } = await ask('inspect', '--json', '--data-dir', folder)
  const report: unknown = JSON.parse(output)
  expect(report).toMatchObject({
    usedBy: null,
    segments: [
      { firstSeq: 500, endSeq: 1000, isClosed: false, damage: null },
      { firstSeq: 1000, endSeq: 1500, isClosed: true, damage: null },
    ],
    snapshots: [
      { seq: 500, status: 'whole' },
      { seq: 1000, status: 'whole' },
    ],
    totals: { seqs: { from: 500, to: 1500 } },
    verdict: { starts: true, seq: 1500, snapshotSeq: 1000, cutBytes: 0 },
  })
})

test('an empty folder would start at 0, and one that is not there is a usage fault', async () => {
  const folder = newFolder()
  expect((await ask('inspect', '--data-dir', folder)).output).toContain('would start at seq 0\n')
  const missing = await ask('inspect', '--data-dir', `${folder}/nowhere`)
  expect(missing.code).toBe(3)
  expect(missing.errors).toContain('/nowhere')
})

test('a file, and a DATA_DIR of none, are told as what they are', async () => {
  const file = join(newFolder(), 'a file')
  fs.writeFileSync(file, '')
  const { code, errors } = await ask('inspect', '--data-dir', file)
  expect([code, errors]).toEqual([
    3,
    `mintfeed: "${file}" is a file and no folder: name the data folder with --data-dir.\n`,
  ])
  const none = await ask('inspect', '--data-dir', 'none')
  expect([none.code, none.errors]).toEqual([
    3,
    'mintfeed: The data folder is none, so that nothing outlives a stop of the service: name one with --data-dir.\n',
  ])
})

test('a folder whose whole journal is gone would start with a new epoch, and says why', async () => {
  const folder = emptiedFolder()
  const line =
    'would start at seq 0; with a new epoch: events 0 to 1499 had been written and are not there any more'
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect([code, output]).toEqual([0, expect.stringContaining(`${line}\n`)])
  expect(checkContents(folder)).toMatchObject({ level: 'warn', says: `The service ${line}.` })
  const { recovered } = new Run(folder).close()
  expect(recovered.loss).toBe('events 0 to 1499 had been written and are not there any more')
  expect((await ask('inspect', '--data-dir', folder)).output).not.toContain('new epoch')
})

test('a copy of the mark alone says nothing of a folder', async () => {
  const copy = newFolder()
  fs.copyFileSync(join(emptiedFolder(), 'written'), join(copy, 'written'))
  expect((await ask('inspect', '--data-dir', copy)).output).toContain('would start at seq 0\n')
  expect(checkContents(copy)).toMatchObject({ level: 'good', says: 'Nothing is in it yet.' })
  expect(new Run(copy).close().recovered.loss).toBeNull()
})

test('a torn tail is told with its bytes and would be cut off', async () => {
  const { folder } = filledFolder()
  const last = filesOf(folder, 'journal-').at(-1) ?? ''
  fs.truncateSync(last, fs.statSync(last).size - 100)
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(0)
  expect(output).toContain('are no good frames from seq')
  expect(output).toMatch(
    /bytes from journal-\d+\.mfj, byte [\d,]+, on are half a write and would be cut off/,
  )
  expect(output).toMatch(/with a new epoch: events \d+ to 1499 had been written and are not there/)
})

test('a damaged segment that the newest snapshot holds would be put aside, and nothing is lost', async () => {
  const folder = newFolder()
  const run = new Run(folder).take(crowdOfLines(7, 500)).close().snapshot()
  flipByte(filesOf(folder, 'journal-')[0], 3)
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(0)
  expect(output).toMatch(
    /bytes from journal-\d+\.mfj, byte 0, on, \d+ whole frames among them, do not go on where the journal ends and would be put aside\n$/,
  )
  expect(output).not.toContain('new epoch')
  const next = new Run(folder)
  expect(next.recovered).toMatchObject({ loss: null, epoch: run.recovered.epoch })
  expect(next.recovered.putAside).toHaveLength(1)
})

test('a copy of a folder would start with a new epoch', async () => {
  const { folder } = filledFolder()
  const copy = newFolder()
  fs.cpSync(folder, copy, { recursive: true })
  expect((await ask('inspect', '--data-dir', folder)).output).not.toContain('new epoch')
  expect((await ask('inspect', '--data-dir', copy)).output).toContain(
    'with a new epoch: the folder is a copy',
  )
})

test('what is missing with the snapshots damaged names the snapshots', async () => {
  const { folder } = filledFolder()
  const snapshots = filesOf(folder, 'snapshot-')
  for (const path of snapshots) flipByte(path, 2_000)
  fs.rmSync(filesOf(folder, 'journal-')[0])
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(1)
  expect(output).toContain(
    `would not start: These snapshots are damaged: ${snapshots.toReversed().join(', ')}. Events 0 to`,
  )
})

/** Does something to the second of three segments. */
const HARMED: readonly (readonly [string, (segments: readonly string[]) => void, RegExp])[] = [
  [
    'that begins with other bytes',
    ([, second]) => flipByte(second, 3),
    /its header is torn or damaged/,
  ],
  ['that ends in its header', ([, second]) => fs.truncateSync(second, 100), /its header is torn/],
  [
    'of a later version',
    ([, second]) => ofLaterVersion(second),
    /a later version of mintfeed wrote it/,
  ],
  ['that is missing', ([, second]) => fs.rmSync(second), /segment \d+ is missing before it/],
  [
    'under the name of another',
    ([first, second]) => fs.copyFileSync(first, second),
    /its header says that it is segment \d+/,
  ],
  [
    'that has another before it',
    ([first]) => fs.truncateSync(first, fs.statSync(first).size - 100),
    /it does not go on where journal-\d+\.mfj ends/,
  ],
]

/** The header as if a later version of the program had written it. */
function ofLaterVersion(path: string): void {
  const bytes = fs.readFileSync(path)
  bytes.writeUInt32LE(JOURNAL_VERSION + 1, SEGMENT.version)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, SEGMENT.crc)), SEGMENT.crc)
  fs.writeFileSync(path, bytes)
}

test.each(HARMED)(
  'a segment %s is told from its first byte on, with the reason',
  async (_, harm, said) => {
    const { folder } = filledFolder({ keepsJournal: true })
    harm(filesOf(folder, 'journal-'))
    const { output } = await ask('inspect', '--data-dir', folder)
    const reasons = output.split('\n').flatMap((line) => /^ {2}byte 0: (.*)$/.exec(line)?.[1] ?? [])
    expect(
      reasons.find((reason) => said.test(reason)),
      output,
    ).toBeDefined()
  },
)

test('damage in the middle is told with its byte and would stop the start', async () => {
  const { folder } = filledFolder()
  flipByte(filesOf(folder, 'journal-').at(-1) ?? '', 5_000)
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(1)
  expect(output).toMatch(/byte \d+: the last \d+ bytes are no good frames from seq 1000 on/)
  expect(output).toContain('would not start: The journal is damaged in the middle')
})

test('a damaged snapshot is told with its part, and the one before it would be used', async () => {
  const { folder } = filledFolder()
  flipByte(filesOf(folder, 'snapshot-')[1], 2_000)
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(0)
  expect(output).toMatch(/part ".+" at byte \d+ is not what was written/)
  expect(output).toContain('would start at seq 1,500, from the snapshot of seq 500')
})

test('a snapshot that cannot be read any more is told as a damaged one, and its seq is repaired', async () => {
  const { folder } = filledFolder()
  spoilSector(filesOf(folder, 'snapshot-')[1], 2_000)
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(0)
  expect(output).toMatch(/snapshot-0{12}1000\.mfs .* damaged\n {2}it cannot be read \(EIO\)\n/)
  expect(output).toContain('would start at seq 1,500, from the snapshot of seq 500')
  expect(checkContents(folder)).toMatchObject({
    level: 'warn',
    says: expect.stringContaining('1000.mfs is damaged (it cannot be read (EIO)).'),
  })
  const repair = await ask('repair', '--data-dir', folder, '--until', '1400', '--yes')
  expect([repair.code, repair.errors]).toEqual([0, ''])
})

test('a segment that cannot be read any more is told with its path and would stop the start', async () => {
  const { folder } = filledFolder()
  const path = filesOf(folder, 'journal-').at(-1) ?? ''
  spoilSector(path, 5_000)
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(1)
  expect(output).toMatch(
    /journal-\d+\.mfj {2}[\d,]+ bytes\n {2}byte 0: it cannot be read \(EIO\)\n/,
  )
  const reason = `DATA_DIR ${folder} cannot be used (EIO: read '${path}'): mend that, or give another DATA_DIR.`
  expect(output).toContain(`would not start: ${reason}\n`)
  expect(checkContents(folder)).toMatchObject({ says: `The service would not start: ${reason}` })
  const repair = await ask('repair', '--data-dir', folder, '--until', '1400', '--yes')
  expect([repair.code, repair.errors]).toEqual([0, ''])
})

test('a missing segment would stop the start', async () => {
  const { folder } = filledFolder({ segmentBytes: 30_000 })
  fs.rmSync(filesOf(folder, 'journal-').at(-3) ?? '')
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(1)
  expect(output).toMatch(/segment \d+ is missing before it/)
  expect(output).toMatch(/would not start: Journal segment \d+ is missing/)
})

test('files of a later version stop the start', async () => {
  const { folder } = filledFolder()
  makeLater(filesOf(folder, 'snapshot-')[1])
  const { code, output } = await ask('inspect', '--data-dir', folder)
  expect(code).toBe(1)
  expect(output).toContain('written by a later version of mintfeed')
})

test('damaged blocks of the tape and files put aside are told', async () => {
  const { folder } = filledFolder({ chunkRecords: 128 })
  flipByte(filesOf(folder, 'tape-')[2], 12_000)
  fs.writeFileSync(`${folder}/snapshot-0000000000000400.mfs.damaged`, '')
  fs.writeFileSync(`${folder}/tape-0000000000000099.mft.unfinished`, '')
  const { output } = await ask('inspect', '--data-dir', folder)
  expect(output).toMatch(/tape-0{15}2\.mft {2}128 records .* damaged: blocks 1\n/)
  expect(output).toMatch(/tape-0{15}1\.mft {2}128 records .* whole\n/)
  expect(output).toContain('mfs.damaged  damaged, put aside by a start')
  expect(output).toContain('mft.unfinished  its writing was not finished')
})

test.each([
  ['the head', 10, /tape-0{15}2\.mft {2}0 records .* damaged: its head\n/],
  ['a block', 12_000, /tape-0{15}2\.mft {2}128 records .* damaged: blocks 1\n/],
])(
  'a chunk of the tape of which %s cannot be read any more is told as a damaged one',
  async (_what, byte, told) => {
    const { folder } = filledFolder({ chunkRecords: 128 })
    spoilSector(filesOf(folder, 'tape-')[2], byte)
    const { output, errors } = await ask('inspect', '--data-dir', folder)
    expect(errors).toBe('')
    expect(output).toMatch(told)
    expect(output).toMatch(/tape-0{15}3\.mft {2}128 records .* whole\n/)
  },
)

test('a chunk that is missing, or whose head is damaged, would stop the start', async () => {
  const { folder, restart } = chunkFolder()
  const [path] = filesOf(folder, 'tape-')
  const whole = fs.readFileSync(path)
  const asked = () => ask('inspect', '--data-dir', folder)
  expect((await asked()).output).toContain('would start at seq')
  const damages = [
    () => fs.rmSync(path),
    () => flipByte(path, 20),
    () => fs.truncateSync(path, whole.length - 1),
    () => fs.writeFileSync(path, laterVersion(whole)),
  ]
  for (const damage of damages) {
    fs.writeFileSync(path, whole)
    damage()
    const { code, output } = await asked()
    const [, reason] = /would not start: (.+)\n$/.exec(output) ?? []
    expect([code, reason]).toEqual([1, expect.stringContaining(path)])
    expect(restart).toThrow(reason)
    expect(checkContents(folder)).toMatchObject({
      level: 'bad',
      says: `The service would not start: ${reason}`,
    })
  }
  fs.writeFileSync(path, whole)
  // A start reads no blocks: each is checked when somebody asks for it.
  flipByte(path, whole.length - 1)
  const { code, output } = await asked()
  expect(code).toBe(0)
  expect(output).toContain('damaged: blocks 1023')
  restart()
})

test('a folder can be looked at while a run writes to it', async () => {
  const { folder } = filledFolder()
  const run = new Run(folder)
  fs.appendFileSync(filesOf(folder, 'journal-').at(-1) ?? '', Buffer.alloc(33, 7))
  const { code, output } = await ask('inspect', '--json', '--data-dir', folder)
  expect(code).toBe(0)
  expect(JSON.parse(output)).toMatchObject({ verdict: { starts: true, seq: 1500, cutBytes: 33 } })
  run.close()
})

/** The disk of a service that removes a file now and then: so often the next one that is opened is gone. */
class RemovingDisk extends ReadOnlyDisk {
  #left: number

  constructor(times: number) {
    super()
    this.#left = times
  }

  override open(path: string): DiskFile {
    if (this.#left-- > 0) throw systemError('ENOENT', 'open')
    return super.open(path)
  }
}

test('where a running service removes what is looked at the look begins anew, and not for ever', () => {
  const { folder } = filledFolder()
  const look = (times: number) => {
    const disk = new RemovingDisk(times)
    return inspectFolder(() => disk, folder, SILENT)
  }
  expect(look(2)).toEqual(look(0))
  expect(() => look(3)).toThrow('ENOENT')
})
