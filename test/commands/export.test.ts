import fs from 'node:fs'
import { join } from 'node:path'
import zlib from 'node:zlib'
import fc from 'fast-check'
import { expect, test, vi } from 'vitest'
import { encodeBase58 } from '../../src/base/base58.ts'
import { type Progress, SILENT } from '../../src/commands/command.ts'
import { exportLines } from '../../src/commands/export.ts'
import { ReadOnlyDisk } from '../../src/commands/read-only-disk.ts'
import { Engine } from '../../src/engine/engine.ts'
import { type FeedEvent, METADATA_KEYS } from '../../src/events/event.ts'
import { parseEventLine } from '../../src/events/event-lines.ts'
import { bondingCurveAddress } from '../../src/feeds/chain/layouts/program-address.ts'
import { readTokenTexts } from '../../src/feeds/metadata/token-texts.ts'
import { PortalEvents } from '../../src/feeds/pumpportal/portal-events.ts'
import { FileBuffer } from '../../src/store/folder/data-folder.ts'
import { SEGMENT } from '../../src/store/format/journal-format.ts'
import { SEGMENT_BYTES } from '../../src/store/journal/journal.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { filesOf, flipByte } from '../data-files.ts'
import { anyEvent } from '../feeds/arbitrary-events.ts'
import { eventLineText } from '../feeds/event-line-text.ts'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'
import { systemError } from '../store/disks/crash-disk.ts'
import { crowdFrom } from './crowd-from.ts'
import { ask, crowdOfLines, emptyEngine, filledFolder, Run } from './folders.ts'

function exported(folder: string, from = 0, to = Number.MAX_SAFE_INTEGER): string[] {
  const newEngine = () => emptyEngine(folder)
  const disk = new ReadOnlyDisk()
  const text = [...exportLines({ disk, folder, newEngine, from, to, progress: SILENT })].join('')
  return text.split('\n').slice(0, -1)
}

const linesOf = (events: readonly FeedEvent[]) => events.map(eventLineText)

/** The event of a line, in the one form that a line has. */
function eventsOf(lines: readonly string[]): FeedEvent[] {
  return lines.map((line) => {
    const event = parseEventLine(line)
    if ('error' in event) throw new Error(event.error)
    return event
  })
}

function digestOf(events: readonly FeedEvent[]): string {
  const engine = new Engine({ clock: 'event' })
  engine.events(events)
  return stateDigest(engine.parts)
}

test('every event that arrived comes out in order of arrival, duplicates included', () => {
  const folder = newFolder()
  const events = crowdOfLines(3, 400)
  const given = [...events, ...events.slice(-50), ...events.slice(5, 20)]
  new Run(folder).take(given).close()
  expect(eventsOf(exported(folder))).toEqual(eventsOf(linesOf(given)))
})

test('events that the journal has as lines come out beside those that it has packed', () => {
  const folder = newFolder()
  const [first, ...more] = crowdOfLines(3, 40)
  const odd = created({ signature: 'odd', mint: 'odd', supplyRaw: 2n ** 64n, name: 'a\ud800' })
  const events = [first, odd, created({ signature: 'next', name: 'b\udfff' }), ...more]
  new Run(folder).take(events).close()
  const fieldsOf = (lines: readonly string[]) => lines.map((line): unknown => JSON.parse(line))
  const lines = exported(folder)
  const names = lines.flatMap((line) => /"name":"([^"]*)"/.exec(line)?.[1] ?? [])
  expect(names).toContain('a\ufffd')
  expect(names).toContain('b\ufffd')
  const wellFormed = (line: string) => line.replaceAll(/\\ud[89a-f]../g, '\ufffd')
  expect(fieldsOf(lines)).toEqual(fieldsOf(linesOf(events).map(wellFormed)))
  expect(lines.join('')).not.toContain('\\ud')
})

test('a text that spells an escape comes out as it was', () => {
  const folder = newFolder()
  const event = created({
    tokenProgram: 'token',
    signature: 'spelt',
    mint: 'spelt',
    name: '\\ud800',
    uri: '\\\\ud83d',
  })
  new Run(folder).take([event]).close()
  expect(eventsOf(exported(folder))).toEqual([event])
})

test('reserves, balances and the keys of October 2026 come out as they came', () => {
  const folder = newFolder()
  const place = { slot: 101, txIndex: 0, signature: 'place', timestamp: START_SECOND }
  const events: FeedEvent[] = [
    created({ tokenProgram: 'token', quoteMint: 'coin', quoteDecimals: 9 }),
    swap({ lpFeeRaw: 2n ** 64n - 1n, cashbackRaw: 3n, route: 7, quoteDecimals: 18 }),
    {
      ...{ type: 'reserves', ...place, ordinal: 1, mint: 'mint', source: 'pump_amm' },
      ...{ virtualBaseRaw: 2n ** 64n - 1n, virtualQuoteRaw: 5n, realBaseRaw: 0n },
      ...{ realQuoteRaw: 6n, supplyRaw: 7n, reason: 'burn' },
    },
    {
      ...{ type: 'balance', ...place, ordinal: 2, mint: 'mint', wallet: 'handed' },
      balanceRaw: 0n,
    },
  ]
  new Run(folder).take(events).close()
  expect(eventsOf(exported(folder))).toEqual(events)
})

/** Every text in a value. */
function textsOf(value: unknown): string[] {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(textsOf) : []
}

test('whatever halves of characters come in, on whichever way, the export can be read strictly', () => {
  const halves = [
    '\ud83d',
    '\udc36',
    'a\ud83d b',
    '\udc36\ud83d',
    'dog \ud83d\udc36',
    '\ud83d\ud83d\udc36',
  ]
  const events: FeedEvent[] = []
  const told = (line: object) => {
    const event = parseEventLine(JSON.stringify(line))
    if ('error' in event) throw new Error(event.error)
    events.push(event)
  }
  const portal = new PortalEvents()
  for (const [index, half] of halves.entries()) {
    const texts = { name: `n${half}`, symbol: half, uri: `https://a.b/${half}` }
    told({
      ...JSON.parse(eventLineText(created({ mint: `mint${index}`, tokenProgram: 'program' }))),
      ...texts,
    })
    const all = Object.fromEntries(METADATA_KEYS.map((key) => [key, `https://a.b/${half}`]))
    told({ type: 'metadata', timestamp: 1_790_000_000, mint: `mint${index}`, ...all })
    const read = readTokenTexts(JSON.stringify({ ...all, description: half }))
    if ('refused' in read) throw new Error(read.refused)
    events.push({ type: 'metadata', timestamp: 1_790_000_001, mint: `mint${index}`, ...read })
    const mint = encodeBase58(new Uint8Array(32).fill(index + 1))
    events.push(
      ...portal.events(
        {
          ...{
            txType: 'create',
            pool: 'pump',
            signature: encodeBase58(new Uint8Array(64).fill(7)),
          },
          ...{ mint, traderPublicKey: mint, bondingCurveKey: bondingCurveAddress(mint) },
          ...{ initialBuy: 0, solAmount: 0, vTokensInBondingCurve: 1, vSolInBondingCurve: 1 },
          ...texts,
        },
        1_790_000_002,
      ),
    )
  }
  expect(events).toHaveLength(4 * halves.length)
  const folder = newFolder()
  new Run(folder).take(events).close()
  const lines = exported(folder)
  expect(lines).toHaveLength(events.length)
  for (const line of lines) {
    // As strict readers have it: not even an escape may be half a character.
    expect(new TextDecoder('utf-8', { fatal: true }).decode(Buffer.from(line))).toBe(line)
    for (const text of textsOf(JSON.parse(line))) expect(text.isWellFormed(), line).toBe(true)
  }
  expect(lines.join()).toContain('dog 🐶')
})

test('an export into the data folder is not taken for half a snapshot', () => {
  const folder = newFolder()
  const run = new Run(folder).take(crowdOfLines(3, 400))
  const out = join(folder, 'all.ndjson.unfinished')
  const half = join(folder, 'snapshot-0000000000000099.mfs.unfinished')
  for (const path of [out, half]) fs.writeFileSync(path, 'half')
  run.snapshot()
  expect(fs.existsSync(out)).toBe(true)
  expect(fs.existsSync(half)).toBe(false)
})

test.each([
  ['one segment', SEGMENT_BYTES],
  ['many segments', 20_000],
])('how far an export of %s has come is told from its beginning to its end', (_, segmentBytes) => {
  const folder = newFolder()
  new Run(folder, { batch: 20, segmentBytes }).take(crowdOfLines(3, 2_000)).close()
  let total = 0
  const shares: number[] = []
  const progress: Progress = {
    begin: (_what, units) => {
      total = units
    },
    to: (done) => shares.push(done / total),
    end: () => {},
  }
  const newEngine = () => emptyEngine(folder)
  const to = Number.MAX_SAFE_INTEGER
  const about = { disk: new ReadOnlyDisk(), folder, newEngine, from: 0, to, progress }
  for (const _line of exportLines(about));
  expect(shares[0]).toBeLessThan(0.1)
  expect(shares.at(-1)).toBeGreaterThan(0.9)
  expect(Math.max(...shares)).toBeLessThanOrEqual(1)
})

test('whatever the events, the export is what was given', () => {
  fc.assert(
    fc.property(
      fc.array(anyEvent, { maxLength: 30 }),
      fc.integer({ min: 1, max: 9 }),
      (events, batch) => {
        const folder = newFolder()
        new Run(folder, { batch, fsync: 'off' }).take(events).close()
        expect(eventsOf(exported(folder))).toEqual(eventsOf(linesOf(events)))
      },
    ),
    { numRuns: byLength(4, 20) },
  )
})

test('an export that is replayed gives the same state', () => {
  fc.assert(
    fc.property(fc.nat(), fc.boolean(), (seed, hasSnapshots) => {
      const folder = newFolder()
      const run = new Run(folder, { batch: 1, keepsJournal: true, fsync: 'off' })
      const events = crowdFrom(seed)
      run.take(events.slice(0, 100))
      if (hasSnapshots) run.snapshot()
      run.take(events.slice(100)).close()
      expect(digestOf(eventsOf(exported(folder)))).toBe(run.digest)
    }),
    { numRuns: byLength(2, 6) },
  )
})

test('behind snapshots the addresses are known, before, between and after them', () => {
  const { folder, events } = filledFolder({ keepsJournal: true })
  const lines = linesOf(events)
  expect(eventsOf(exported(folder))).toEqual(eventsOf(lines))
  for (const [from, to] of [
    [0, 0],
    [3, 450],
    [450, 1_020],
    [999, 1_001],
    [1_010, 1_013],
    [1_499, 9_999],
  ])
    expect(eventsOf(exported(folder, from, to))).toEqual(eventsOf(lines.slice(from, to)))
})

test('older events that are gone are told, with how to keep them', async () => {
  const { folder, events } = filledFolder()
  const { code, output, errors } = await ask('export', '--data-dir', folder)
  expect(code).toBe(0)
  expect(eventsOf(output.trimEnd().split('\n'))).toEqual(eventsOf(linesOf(events.slice(500))))
  expect(errors).toContain('1,000 events exported')
  expect(errors).toContain('begins at seq 500')
  expect(errors).toContain('JOURNAL_KEEP=all')
  const asked = await ask('export', '--data-dir', folder, '--from', '500')
  expect([asked.output, asked.errors]).toEqual([output, '1,000 events exported\n'])
})

test('files are compressed as their names say and never written over', async () => {
  const { folder } = filledFolder()
  const at = newFolder()
  const [plain, gz, zst] = ['a.ndjson', 'a.ndjson.gz', 'a.ndjson.zst'].map((name) => join(at, name))
  for (const out of [plain, gz, zst])
    expect((await ask('export', '--data-dir', folder, '--out', out)).code).toBe(0)
  const text = fs.readFileSync(plain, 'utf8')
  expect(text.split('\n')).toHaveLength(1_001)
  expect(zlib.gunzipSync(fs.readFileSync(gz)).toString()).toBe(text)
  expect(zlib.zstdDecompressSync(fs.readFileSync(zst)).toString()).toBe(text)
  const again = await ask('export', '--data-dir', folder, '--out', plain)
  expect(again.code).toBe(2)
  expect(again.errors).toContain('is there already')
})

test('a file that cannot be made is output that cannot be written, and no fault of the command line', async () => {
  const { folder } = filledFolder()
  const out = join(newFolder(), 'not-there', 'all.ndjson')
  const { code, output, errors } = await ask('export', '--data-dir', folder, '--out', out)
  expect([code, output]).toEqual([3, ''])
  expect(errors).toMatch(
    /^mintfeed: --out is "[^"]+", which cannot be written: ENOENT: [^\n]+'\.\n$/,
  )
})

test('an empty --out is the default, as an empty --data-dir is', async () => {
  const { folder } = filledFolder()
  const { code, output } = await ask('export', '--data-dir', folder, '--out=')
  expect(code).toBe(0)
  expect(output.split('\n')).toHaveLength(1_001)
})

test('a file has its name once it is whole, and takes the place of one that was interrupted', async () => {
  const folder = newFolder()
  const events = crowdOfLines(3, 400)
  new Run(folder).take(events).close()
  const outFolder = newFolder()
  fs.writeFileSync(join(outFolder, 'all.ndjson.unfinished'), 'half a li')
  const out = join(outFolder, 'all.ndjson')
  const exporting = ask('export', '--data-dir', folder, '--out', out)
  expect(fs.readdirSync(outFolder)).toEqual(['all.ndjson.unfinished'])
  expect((await exporting).code).toBe(0)
  expect(fs.readdirSync(outFolder)).toEqual(['all.ndjson'])
  expect(eventsOf(fs.readFileSync(out, 'utf8').trimEnd().split('\n'))).toEqual(
    eventsOf(linesOf(events)),
  )
})

test('an export that a running service interrupts has no name, and can be run again', async () => {
  const folder = newFolder()
  new Run(folder, { segmentBytes: 20_000 }).take(crowdOfLines(3, 400)).close()
  const outFolder = newFolder()
  const out = join(outFolder, 'all.ndjson')
  const read = FileBuffer.prototype.read
  const reading = vi.spyOn(FileBuffer.prototype, 'read').mockImplementation(function (
    this: FileBuffer,
    disk,
    path,
  ) {
    if (reading.mock.calls.length > 2) throw systemError('ENOENT', `open ${path}`)
    return read.call(this, disk, path)
  })
  const { code, errors } = await ask('export', '--data-dir', folder, '--out', out)
  reading.mockRestore()
  expect([code, errors]).toEqual([3, expect.stringMatching(/ENOENT.*run it again\.\n$/)])
  expect(fs.readdirSync(outFolder)).toEqual(['all.ndjson.unfinished'])
  expect(fs.statSync(`${out}.unfinished`).size).toBeGreaterThan(0)
  expect((await ask('export', '--data-dir', folder, '--out', out)).code).toBe(0)
  expect(fs.readdirSync(outFolder)).toEqual(['all.ndjson'])
})

test('a torn tail is left out and told', async () => {
  const { folder } = filledFolder()
  const last = filesOf(folder, 'journal-').at(-1) ?? ''
  fs.truncateSync(last, fs.statSync(last).size - 100)
  const { code, output, errors } = await ask('export', '--data-dir', folder)
  expect(code).toBe(0)
  expect(output.split('\n').length).toBeLessThan(1_001)
  expect(errors).toContain('of the journal are a write not finished')
})

test('without a whole snapshot a journal that begins later cannot be exported', async () => {
  const { folder } = filledFolder()
  for (const path of filesOf(folder, 'snapshot-')) flipByte(path, 2_000)
  const { code, errors } = await ask('export', '--data-dir', folder)
  expect(code).toBe(3)
  expect(errors).toContain('begins at seq 500 and no snapshot is whole')
})

test('a first segment that cannot be read is no beginning of the journal', async () => {
  const { folder } = filledFolder({ keepsJournal: true })
  flipByte(filesOf(folder, 'journal-')[0] ?? '', SEGMENT.firstSeq)
  const { code, output, errors } = await ask('export', '--data-dir', folder)
  expect([code, output]).toEqual([3, ''])
  expect(errors).toMatch(/^mintfeed: The header of \S+0001\.mfj is damaged.* with --from 500\.\n$/)
  const behind = await ask('export', '--data-dir', folder, '--from', '500')
  expect(behind).toMatchObject({ code: 0, errors: '1,000 events exported\n' })
})

test('damage in the middle ends the export with a sentence, and what comes before it is whole', async () => {
  const { folder } = filledFolder()
  flipByte(filesOf(folder, 'journal-').at(-1) ?? '', 60_000)
  const out = join(newFolder(), 'before.ndjson.gz')
  const { code, errors } = await ask('export', '--data-dir', folder, '--out', out)
  expect(code).toBe(3)
  expect(errors).toContain('The journal is damaged in the middle')
  expect(zlib.gunzipSync(fs.readFileSync(out)).toString().split('\n').length).toBeGreaterThan(501)
})

test('an empty folder exports nothing', async () => {
  const { code, output } = await ask('export', '--data-dir', newFolder())
  expect([code, output]).toEqual([0, ''])
})

test('a bad range is a usage fault', async () => {
  const folder = newFolder()
  expect((await ask('export', '--data-dir', folder, '--from', 'x')).code).toBe(2)
  expect((await ask('export', '--data-dir', folder, '--from', '5', '--to', '4')).code).toBe(2)
})

/** A run whose first batch was torn by a full disk: its names are in the journal, its events are not. */
function tearFirstBatch(folder: string, events: readonly FeedEvent[]): void {
  const { journal } = new Run(folder).take(events)
  const path = filesOf(folder, 'journal-').at(-1) ?? ''
  fs.truncateSync(path, journal.segmentSize - 8)
}

test('names of a batch that was torn behind a snapshot are read before those that go on there', () => {
  const folder = newFolder()
  const events = crowdOfLines(11, 60)
  new Run(folder).take(events.slice(0, 20)).snapshot().close()
  const snapshotSeq = 20
  tearFirstBatch(folder, events.slice(20, 22))
  new Run(folder).take(events.slice(22)).close()
  const lines = linesOf(events.slice(22))
  expect(eventsOf(exported(folder, snapshotSeq))).toEqual(eventsOf(lines))
})

test('names of a batch that was torn before a snapshot are not read twice', () => {
  const folder = newFolder()
  const events = crowdOfLines(11, 60)
  new Run(folder).take(events.slice(0, 20)).close()
  tearFirstBatch(folder, events.slice(20, 22))
  new Run(folder).snapshot().take(events.slice(22)).close()
  const lines = linesOf([...events.slice(0, 20), ...events.slice(22)])
  expect(eventsOf(exported(folder))).toEqual(eventsOf(lines))
})
