import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough, Readable } from 'node:stream'
import zlib from 'node:zlib'
import { afterAll, expect, test } from 'vitest'
import type { FeedEvent } from '../../../src/events/event.ts'
import { newFeedCounters } from '../../../src/feeds/feed-counters.ts'
import { checkInputFile } from '../../../src/feeds/replay/input-file.ts'
import { LineRun } from '../../../src/feeds/replay/line-run.ts'
import { ReplayFeed, StdinFeed } from '../../../src/feeds/replay/replay.ts'
import { swap } from '../../oracle/fixtures.ts'
import { turnsClock } from '../../turns-clock.ts'
import { CollectingSink } from '../collecting-sink.ts'
import { dataFile, dataText, hasData, withData } from '../data-folder.ts'
import { eventLineText } from '../event-line-text.ts'

const folder = mkdtempSync(join(tmpdir(), 'mintfeed-replay-'))
afterAll(() => rmSync(folder, { recursive: true, force: true }))

function fileOf(name: string, content: string | Uint8Array): string {
  const path = join(folder, name)
  writeFileSync(path, content)
  return path
}

function prices(count: number): FeedEvent[] {
  return Array.from({ length: count }, (_, index) => ({
    type: 'sol_price' as const,
    timestamp: 1_700_000_000 + index,
    usd: 100 + index,
  }))
}

function linesOf(events: readonly FeedEvent[]): string {
  return events.map((event) => `${eventLineText(event)}\n`).join('')
}

async function replay(file: string, speed: number | 'max' = 'max') {
  const sink = new CollectingSink()
  const counters = newFeedCounters()
  const reported: string[] = []
  const report = (line: number, reason: string) => reported.push(`${line}: ${reason}`)
  await new ReplayFeed({ file, speed, report, counters }).start(sink)
  return { sink, counters, reported }
}

test.skipIf(!hasData)(
  `the recorded log frames give their swaps and tokens${withData}`,
  async () => {
    const file = dataFile('jouleka-memecoin-bot', 'logs_subscribe_pumpfun.jsonl')
    const { sink, counters, reported } = await replay(file)
    expect(sink.swaps).toHaveLength(93)
    expect(new Set(sink.swaps.map((swap) => swap.mint)).size).toBe(37)
    expect(sink.all.filter((event) => event.type === 'token_created')).toHaveLength(19)
    expect(counters).toEqual({
      ...newFeedCounters(),
      lines: 147,
      ignoredLines: 1,
      failedTransactions: 47,
      // 93 swaps, 19 creations, and what is a mayhem curve of two that were created before.
      events: 114,
      signersUntold: 93,
    })
    expect(reported).toEqual([])
  },
)

test.skipIf(!hasData)(
  `frames have the order of arrival in their slot as index${withData}`,
  async () => {
    const file = dataFile('jouleka-memecoin-bot', 'logs_subscribe_pumpfun.jsonl')
    const { sink } = await replay(file)
    const bySlot = new Map<number, Map<string, number>>()
    for (const swap of sink.swaps) {
      if (swap.slot === null || swap.txIndex === null) throw new Error('the frame has a slot')
      const indexes = bySlot.get(swap.slot) ?? new Map<string, number>()
      bySlot.set(swap.slot, indexes)
      expect(indexes.get(swap.signature) ?? swap.txIndex).toBe(swap.txIndex)
      indexes.set(swap.signature, swap.txIndex)
    }
    for (const indexes of bySlot.values()) expect(new Set(indexes.values()).size).toBe(indexes.size)
  },
)

test.skipIf(!hasData)(`raw frames give the same as wrapped ones${withData}`, async () => {
  const wrapped = dataFile('jouleka-memecoin-bot', 'logs_subscribe_pumpfun.jsonl')
  const raw = dataText('jouleka-memecoin-bot', 'logs_subscribe_pumpfun.jsonl')
    .split('\n')
    .map((line) => (line === '' ? '' : JSON.parse(line).raw))
    .join('\n')
  const [a, b] = [await replay(wrapped), await replay(fileOf('raw.jsonl', raw))]
  expect(b.sink.all).toEqual(a.sink.all)
})

test.skipIf(!hasData)(`transactions are read whole and as one line each${withData}`, async () => {
  const names = ['raw_create_tx_from_gettransaction.json', 'raw_create_tx_from_blocksubscribe.json']
  const whole = await Promise.all(
    names.map((name) => replay(dataFile('chainstack-pumpfun-bot', name))),
  )
  expect(whole.map(({ sink }) => sink.all.map((event) => event.type))).toEqual([
    ['token_created', 'swap'],
    ['token_created', 'swap'],
  ])
  const texts = names.map((name) =>
    JSON.stringify(JSON.parse(dataText('chainstack-pumpfun-bot', name))),
  )
  const lines = await replay(fileOf('transactions.jsonl', texts.join('\n')))
  expect(lines.sink.all).toEqual(whole.flatMap(({ sink }) => sink.all))
  const list = await replay(fileOf('list.json', `[\n${texts.join(',\n')}\n]\n`))
  expect(list.sink.all).toEqual(lines.sink.all)
})

test('event lines are read plain, from gzip, from joined gzips and from zstd', async () => {
  const events = prices(2_500)
  const text = linesOf(events)
  const halves = [text.slice(0, 1_000), text.slice(1_000)].map((half) => zlib.gzipSync(half))
  const files = [
    fileOf('plain.jsonl', text),
    fileOf('lines.jsonl.gz', zlib.gzipSync(text)),
    fileOf('joined.gz', Buffer.concat(halves)),
    fileOf('lines.jsonl.zst', zlib.zstdCompressSync(text)),
  ]
  for (const file of files) {
    const { sink, counters } = await replay(file)
    expect(sink.all).toEqual(events)
    expect(counters).toMatchObject({ lines: 2_500, events: 2_500, badLines: 0, readErrors: 0 })
    for (const batch of sink.batches) expect(batch.length).toBeLessThanOrEqual(1_000)
    expect(sink.batches.length).toBeLessThan(100)
  }
})

test('a torn archive is reported and gives what came before the tear', async () => {
  const text = linesOf(prices(60_000))
  const whole = zlib.gzipSync(text)
  const { sink, counters, reported } = await replay(
    fileOf('torn.gz', whole.subarray(0, whole.length - 5_000)),
  )
  expect(sink.all.length).toBeGreaterThan(1_000)
  expect(sink.all).toEqual(prices(sink.all.length))
  expect(counters.readErrors).toBe(1)
  expect(reported).toHaveLength(1)
  expect(reported[0]).toMatch(new RegExp(`^${sink.all.length + 1}: reading ended early`))
})

test('every whole line before the tear of an archive is taken, and all but the last before what trails it', async () => {
  const text = linesOf(prices(20_000))
  const whole = zlib.gzipSync(text)
  const half = whole.subarray(0, whole.length / 2)
  const held = zlib.gunzipSync(half, { finishFlush: zlib.constants.Z_SYNC_FLUSH }).toString()
  const torn = await replay(fileOf('half.gz', half))
  expect(torn.sink.all).toHaveLength(held.split('\n').length - 1)
  expect(torn.counters).toMatchObject({ badLines: 0, readErrors: 1 })
  const trailed = await replay(fileOf('trailed.gz', Buffer.concat([whole, Buffer.from('more')])))
  expect(trailed.sink.all.length).toBeGreaterThan(18_000)
  expect(trailed.sink.all).toEqual(prices(trailed.sink.all.length))
  expect(trailed.counters).toMatchObject({ badLines: 0, readErrors: 1 })
})

test('bad lines are counted, reported with their number, and stop nothing', async () => {
  const [first, second] = prices(2).map(eventLineText)
  const bad = ['{', '[]', '{"type":"swap"}', '{"type":"sol_price","timestamp":1,"usd":-1}', 'null']
  const chain = [
    '{"raw":"{"}',
    '{"raw":"[]"}',
    '{"jsonrpc":"2.0","method":"logsNotification","params":{}}',
    '{"transaction":{},"meta":{}}',
    '{"jsonrpc":"2.0","result":{"transaction":[]}}',
  ]
  const text = [first, ...bad, '', ...chain, second].join('\n')
  const { sink, counters, reported } = await replay(fileOf('bad.jsonl', text))
  expect(sink.all).toEqual(prices(2))
  expect(counters).toMatchObject({ lines: 12, badLines: 10, events: 2 })
  expect(reported.map((line) => Number.parseInt(line, 10))).toEqual([
    2, 3, 4, 5, 6, 8, 9, 10, 11, 12,
  ])
})

test('lines that are no text are counted, reported with their number, and stop nothing', async () => {
  const [first, second] = prices(2).map(eventLineText)
  const file = fileOf('no-text.jsonl', Buffer.from(`${first}\n\xff\n${second}\n`, 'latin1'))
  const { sink, counters, reported } = await replay(file)
  expect(sink.all).toEqual(prices(2))
  expect(counters).toMatchObject({ lines: 3, badLines: 1, events: 2 })
  expect(reported).toEqual(['2: the line is not valid UTF-8'])
})

test('acknowledgements and answers without a transaction are ignored', async () => {
  const lines = ['{"jsonrpc":"2.0","id":1,"result":5}', '{"jsonrpc":"2.0","id":2,"result":null}']
  const { counters } = await replay(fileOf('acks.jsonl', lines.join('\n')))
  expect(counters).toMatchObject({ lines: 2, ignoredLines: 2, badLines: 0 })
})

test('a file with one value that is broken is one bad line', async () => {
  const { counters, reported } = await replay(fileOf('broken.json', '{\n"a": 1,\n'))
  expect(counters).toMatchObject({ lines: 1, badLines: 1 })
  expect(reported).toEqual(['1: the file is not valid JSON'])
})

test('a first line that only opens a value takes no other line along', async () => {
  const text = linesOf(prices(2_500))
  for (const opening of ['{', '[']) {
    const { sink, counters, reported } = await replay(
      fileOf('opened.jsonl', `\n${opening}\n\nno JSON\n${text}`),
    )
    expect(sink.all).toEqual(prices(2_500))
    expect(counters).toMatchObject({ lines: 2_502, badLines: 2, events: 2_500 })
    expect(reported).toEqual([
      '2: the JSON value it begins is not valid',
      expect.stringMatching(/^4: /),
    ])
    for (const batch of sink.batches) expect(batch.length).toBeLessThanOrEqual(1_000)
    expect(sink.batches.length).toBeLessThan(100)
  }
})

test('other work gets its turn also amid bad lines behind such a first line', async () => {
  const counters = newFeedCounters()
  const run = new LineRun(new CollectingSink(), {
    counters,
    report: () => {},
    speed: 'max',
    signal: new AbortController().signal,
    documentCharactersMax: 1_000_000,
  })
  let turns = 0
  let isOver = false
  const count = () => {
    if (counters.badLines > 0) turns++
    if (!isOver) setImmediate(count)
  }
  setImmediate(count)
  await run.read(Readable.from([Buffer.from(`{\n${'no JSON\n'.repeat(100_000)}`)]))
  isOver = true
  expect(counters).toMatchObject({ lines: 100_001, badLines: 100_001 })
  expect(turns).toBeGreaterThan(20)
})

test('lines behind such a first line are taken up to a tear', async () => {
  const packed = zlib.gzipSync(`{\n${linesOf(prices(100))}`)
  const { sink, counters } = await replay(fileOf('opened.gz', packed.subarray(0, -8)))
  expect(sink.all).toEqual(prices(100))
  expect(counters).toMatchObject({ lines: 101, badLines: 1, readErrors: 1 })
})

test('a document of which no more can be kept is read as lines from there on', async () => {
  const sink = new CollectingSink()
  const counters = newFeedCounters()
  const reported: string[] = []
  const run = new LineRun(sink, {
    counters,
    report: (line, reason) => reported.push(`${line}: ${reason}`),
    speed: 'max',
    signal: new AbortController().signal,
    documentCharactersMax: 2_000,
  })
  const input = new PassThrough()
  const ended = run.read(input)
  input.write(`[\n${linesOf(prices(100))}`)
  // Its end is not waited for.
  await expect.poll(() => sink.all.length).toBe(100)
  input.end()
  await ended
  expect(sink.all).toEqual(prices(100))
  expect(counters).toMatchObject({ lines: 101, badLines: 1 })
  expect(reported).toEqual(['1: the JSON value it begins is longer than 2000 characters'])
})

test('a line of a document is part of it, whatever it would be by itself', async () => {
  const swaps = [swap(), swap(), swap()]
  const lines = swaps.map(eventLineText)
  const { sink, counters } = await replay(fileOf('list.json', `[\n${lines.join(',\n')}\n]\n`))
  expect(sink.all).toEqual(swaps)
  expect(counters).toMatchObject({ lines: 1, badLines: 0, events: 3 })
})

test('a torn document is reported once', async () => {
  const [event] = prices(1).map(eventLineText)
  const document = `[\n${event},\n${JSON.stringify(JSON.parse(event), null, 2)},\n{\n`
  const packed = zlib.gzipSync(document)
  const { counters, reported } = await replay(fileOf('torn.json.gz', packed.subarray(0, -8)))
  expect(counters).toMatchObject({ lines: 0, badLines: 0, readErrors: 1 })
  expect(reported).toHaveLength(1)
})

test('a factor paces by event time and hands over what is due first', async () => {
  const sink = new CollectingSink()
  const counters = newFeedCounters()
  const file = fileOf('paced.jsonl', linesOf(prices(4)))
  // However long the machine stands still, no two events are due at once.
  const nowMs = turnsClock()
  await new ReplayFeed({ file, speed: 20, report: () => {}, counters }).start(sink)
  expect(nowMs()).toBeGreaterThanOrEqual(150)
  expect(sink.batches).toHaveLength(4)
})

test('stop ends a replay that waits for the next event', async () => {
  const sink = new CollectingSink()
  const counters = newFeedCounters()
  const file = fileOf('slow.jsonl', linesOf(prices(10)))
  const feed = new ReplayFeed({ file, speed: 0.001, report: () => {}, counters })
  const started = feed.start(sink)
  await expect.poll(() => sink.all, { timeout: 20_000 }).toEqual(prices(1))
  feed.stop()
  await started
  await feed.start(sink)
  expect(sink.all).toHaveLength(1)
})

test('other work gets its turn between the batches of a fast replay', async () => {
  const file = fileOf('many.jsonl', linesOf(prices(50_000)))
  let turns = 0
  const timer = setInterval(() => turns++, 1)
  const { sink } = await replay(file)
  clearInterval(timer)
  expect(sink.all).toHaveLength(50_000)
  expect(turns).toBeGreaterThan(10)
})

test('an error of the sink is thrown and not taken for a bad line', async () => {
  const file = fileOf('sink.jsonl', linesOf(prices(1)))
  const counters = newFeedCounters()
  const sink = {
    events: () => {
      throw new Error('the disk is full')
    },
    records: () => {},
  }
  const feed = new ReplayFeed({ file, speed: 'max', report: () => {}, counters })
  await expect(feed.start(sink)).rejects.toThrow('the disk is full')
  expect(counters).toMatchObject({ events: 0, badLines: 0 })
})

test('a file that is missing or a directory is known before the start', async () => {
  expect(checkInputFile(join(folder, 'none.jsonl'))).toMatch(/cannot be read \(ENOENT\)/)
  expect(checkInputFile(folder)).toMatch(/is a directory but must be a file/)
  expect(checkInputFile(fileOf('there.jsonl', ''))).toBeNull()
  await expect(replay(join(folder, 'none.jsonl'))).rejects.toThrow(/ENOENT/)
})

test('stdin takes lines as they come, before its end', async () => {
  const input = new PassThrough()
  const sink = new CollectingSink()
  const counters = newFeedCounters()
  const feed = new StdinFeed({ report: () => {}, counters, input })
  const ended = feed.start(sink)
  const text = linesOf(prices(3))
  input.write(text.slice(0, 150))
  await expect.poll(() => sink.all.length).toBe(2)
  input.end(text.slice(150).trimEnd())
  await ended
  expect(sink.all).toEqual(prices(3))
})

test('what a stop leaves of a line is no line', async () => {
  const input = new PassThrough()
  const sink = new CollectingSink()
  const counters = newFeedCounters()
  const feed = new StdinFeed({ report: () => {}, counters, input })
  const ended = feed.start(sink)
  input.write(linesOf(prices(2)).trimEnd())
  await expect.poll(() => sink.all.length).toBe(1)
  feed.stop()
  await ended
  expect(sink.all).toEqual(prices(1))
  expect(counters).toMatchObject({ lines: 1, badLines: 0 })
})

test('stop ends stdin that waits for input', async () => {
  const input = new PassThrough()
  const feed = new StdinFeed({ report: () => {}, counters: newFeedCounters(), input })
  setTimeout(() => feed.stop(), 20)
  await feed.start(new CollectingSink())
})
