import { expect, test } from 'vitest'
import { nextBarTime } from '../../src/base/bar-time.ts'
import { isRecord } from '../../src/base/json-access.ts'
import { Engine } from '../../src/engine/engine.ts'
import { RESOLUTIONS, type TablesQuery, WIDTHS } from '../../src/protocol/queries.ts'
import { tableName, tablesOf } from '../../src/protocol/requests/tables.ts'
import { EngineService } from '../../src/query/engine-service.ts'
import { LiveCandles } from '../../src/server/live/hub/followed-candles.ts'
import { LiveTable, TableTexts } from '../../src/server/live/hub/followed-tables.ts'
import { copyParts } from '../../src/store/recovery/recovery.ts'
import { START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { candleSnapshot } from './candle-snapshot.ts'
import { LateBirths } from './late-births.ts'
import { CandleCopy, columns, framed, TableCopy } from './live-copies.ts'
import { LiveMarket } from './live-market.ts'
import { randomTables, randomWindowTables, wholeChart } from './random-queries.ts'

/** Long form: INSTANTS=10000. */
const INSTANTS = Number(process.env.INSTANTS ?? 120)
/** The long form takes its time. */
const LONG_MS = 3_600_000
const FILTERS = 50
/** Characters of live tables, some of which find no room in it. */
const ROOM = 30_000
const SEED = Number(process.env.SEED ?? 20_261_121)

function served() {
  const rules = { proTrades: 6, proMints: 2 }
  const engine = new Engine({ clock: 'wall', identities: 1 << 16, rules })
  const service = new EngineService(
    engine,
    () => {},
    () => 'e1',
  )
  return { engine, service }
}

function started(seed: number, mintsMax: number, areBirthsLate = false) {
  const random = new Random(seed)
  const { engine, service } = served()
  service.attach()
  const market = new LiveMarket(random, mintsMax)
  const arriving = areBirthsLate ? new LateBirths(random, market) : market
  const feed = (count: number) => {
    for (let i = 0; i < count; i += 1) {
      engine.advance(market.second)
      engine.accept(arriving.next())
    }
  }
  feed(300)
  return { random, engine, service, market, feed }
}

function liveTable(
  table: string,
  query: TablesQuery,
  answers: EngineService['answers'],
  streams: EngineService['streams'],
): LiveTable {
  const words = { event: 'meme_tables', table }
  return new LiveTable(words, () => answers.tableAnswer(query), streams)
}

test('a table that somebody begins to follow has a snapshot, and no delta of all its rows', () => {
  const { answers, streams } = started(SEED, 20).service
  const query = randomTables(new Random(SEED))
  const table = liveTable(tableName(query), query, answers, streams)
  expect(table.advance()).toBeNull()
  expect(JSON.parse(table.snapshot())).toMatchObject({ type: 'snapshot', step: 1 })
})

test(
  'a live table is the POST answer at every instant, whatever its filter',
  () => {
    const { random, engine, service, market, feed } = started(SEED, 60)
    const { answers, streams } = service
    const queries = new Map(
      Array.from({ length: FILTERS * 2 }, () => randomTables(random)).map((query) => [
        tableName(query),
        query,
      ]),
    )
    const tables = [...queries].slice(0, FILTERS).map(([name, query]) => {
      const table = liveTable(name, query, answers, streams)
      table.advance()
      const copy = new TableCopy()
      copy.take(table.snapshot())
      return { table, query, copy }
    })
    expect(tables).toHaveLength(FILTERS)
    let deltas = 0
    for (let instant = 0; instant < INSTANTS; instant += 1) {
      if (random.chance(0.1)) engine.advance(market.second + random.integer(1, 50))
      else feed(random.integer(1, 6))
      for (const { table, query, copy } of tables) {
        if (random.chance(0.3)) continue
        const frame = table.isStale ? table.advance() : null
        if (frame !== null) {
          deltas += 1
          copy.take(frame)
        }
        expect(copy.json, `${JSON.stringify(query)} at ${instant}, seed ${SEED}`).toBe(
          answers.tables(query),
        )
      }
    }
    expect(deltas).toBeGreaterThan(INSTANTS)
  },
  LONG_MS,
)

test('live tables keep no more text than there is room for, and are the POST answer at every instant all the same', () => {
  const { random, engine, service, market, feed } = started(SEED + 2, 60)
  const { answers, streams } = service
  const texts = new TableTexts(ROOM)
  const followed = Array.from({ length: 12 }, () => {
    const query = randomWindowTables(random)
    const table = liveTable(tableName(query), query, answers, streams)
    texts.advance(table)
    return { table, query, copies: [new TableCopy()] }
  })
  for (const { table, copies } of followed) copies[0].take(table.snapshot())
  let [wholes, deltas] = [0, 0]
  for (let instant = 0; instant < INSTANTS; instant += 1) {
    if (random.chance(0.1)) engine.advance(market.second + random.integer(1, 50))
    else feed(random.integer(1, 6))
    for (const { table, query, copies } of followed) {
      const frame = table.isStale ? texts.advance(table) : null
      if (frame?.includes('"type":"delta"')) deltas += 1
      else if (frame !== null) wholes += 1
      if (frame !== null) for (const copy of copies) copy.take(frame)
      if (random.chance(0.05)) copies.push(new TableCopy())
      const newest = copies.at(-1)
      if (newest?.step === -1) newest.take(table.snapshot())
      const now = answers.tables(query)
      for (const copy of copies) expect(copy.json, `instant ${instant}, seed ${SEED}`).toBe(now)
      expect(texts.bytes).toBeLessThanOrEqual(ROOM)
      const kept = followed.reduce((sum, { table: one }) => sum + one.bytes, 0)
      expect(texts.bytes).toBe(kept)
    }
  }
  expect(Math.min(wholes, deltas)).toBeGreaterThan(INSTANTS / 4)
  for (const { table } of followed) texts.left(table)
  expect(texts.bytes).toBe(0)
})

test('who begins to follow a table that keeps no text and a second later has no other one than the others', () => {
  const { engine, service, market, feed } = started(SEED + 3, 60)
  const { answers, streams } = service
  const query = randomTables(new Random(SEED))
  const table = liveTable(tableName(query), query, answers, streams)
  const texts = new TableTexts(0)
  const [first, second] = [new TableCopy(), new TableCopy()]
  texts.advance(table)
  first.take(table.snapshot())
  do {
    feed(5)
    engine.advance(market.second)
  } while (answers.tables(query) === first.json)
  second.take(table.snapshot())
  expect(second.json).toBe(answers.tables(query))
  expect(table.isStale).toBe(true)
  const frame = texts.advance(table) ?? ''
  for (const copy of [first, second]) copy.take(frame)
  expect(first.json).toBe(answers.tables(query))
  expect(second.json).toBe(first.json)
})

test(
  'live candles are the chart answer at every instant, and final ones never change',
  () => {
    const { random, service, market, feed } = started(SEED + 1, 3)
    const { answers, streams } = service
    const mints = [...market.mints, 'not born yet']
    const series = mints.flatMap((mint) =>
      RESOLUTIONS.map((resolution) => {
        const candles = new LiveCandles(mint, resolution, answers, streams)
        const copy = new CandleCopy()
        copy.take(candleSnapshot(candles, 5_000, service))
        return { mint, resolution, candles, copy }
      }),
    )
    service.live.onTrade(({ mint, timestamp }) => {
      for (const one of series) if (one.mint === mint) one.candles.traded(timestamp)
    })
    service.live.attach()
    let lateFolded = streams.lateFolded()
    for (let instant = 0; instant < INSTANTS / 3; instant += 1) {
      feed(random.integer(1, 25))
      // A late swap may have changed bars of other mints.
      const isLate = lateFolded !== streams.lateFolded()
      lateFolded = streams.lateFolded()
      for (const { mint, resolution, candles, copy } of series) {
        const frame = candles.hasToBeRead || isLate ? candles.advance() : null
        if (frame !== null) copy.take(frame)
        expect(candles.hasToBeRead).toBe(false)
        const chart: unknown = JSON.parse(
          answers.chart(wholeChart(mint, market.second + 100, resolution)),
        )
        if (!isRecord(chart) || !Array.isArray(chart.t)) throw new Error('no chart')
        const bars = chart.t.map((_, i) => columns(chart, i))
        expect(copy.series, `${mint} ${resolution} at ${instant}`).toEqual(bars)
        expect(copy.faults).toEqual([])
        const isOver = (time: number) =>
          nextBarTime(WIDTHS[resolution], time) <= streams.settledTime()
        const over = chart.t.filter(isOver)
        expect([...copy.final].sort(), `${mint} ${resolution} at ${instant}`).toEqual(over)
      }
    }
    expect(series.some(({ copy }) => copy.final.size > 0 && copy.final.size < copy.bars.size)).toBe(
      true,
    )
  },
  LONG_MS,
)

test('a bar that a swap with an older time changes is told again, however final it was', () => {
  const { engine, service, market, feed } = started(SEED + 2, 6)
  const { answers, streams, live } = service
  const [mint = ''] = market.mints
  const candles = new LiveCandles(mint, '5', answers, streams)
  const copy = new CandleCopy()
  copy.take(candleSnapshot(candles, 5_000, service))
  live.onTrade((trade) => {
    if (trade.mint === mint) candles.traded(trade.timestamp)
  })
  live.attach()
  // Until the market has jumped on, and a bar is final.
  for (let round = 0; round < 20 && copy.final.size === 0; round += 1) {
    feed(200)
    const first = candles.advance()
    if (first !== null) copy.take(first)
  }
  const [timestamp = Number.NaN] = copy.final
  const slot = engine.newestSlot + 1
  engine.accept(swap({ mint, slot, timestamp, signature: 'steps back', quoteRaw: 77n }))
  copy.take(candles.advance() ?? '{}')
  expect(copy.faults).toEqual([timestamp])
  const chart: unknown = JSON.parse(answers.chart(wholeChart(mint, market.second + 100, '5')))
  if (!isRecord(chart) || !Array.isArray(chart.t)) throw new Error('no chart')
  expect(copy.series).toEqual(chart.t.map((_, i) => columns(chart, i)))
})

test('a bar that was told as final is not told again with the one that comes after it', () => {
  const { engine, service } = served()
  const at = (mint: string, seconds: number) => {
    const timestamp = START_SECOND + seconds
    engine.advance(timestamp)
    engine.accept(swap({ mint, slot: 1_000 + seconds, timestamp, signature: `${mint} ${seconds}` }))
  }
  at('A', 0)
  const candles = new LiveCandles('A', '1', service.answers, service.streams)
  for (const seconds of [200, 400]) at('B', seconds)
  expect(framed(candles.advance() ?? '{}')).toMatchObject({
    data: { t: [START_SECOND] },
    final: [true],
  })
  at('A', 500)
  candles.traded(START_SECOND + 500)
  expect(framed(candles.advance() ?? '{}').data.t).toEqual([START_SECOND + 480])
})

test(
  'what is followed of tokens whose creation is told late is what a state read anew answers',
  () => {
    const { random, engine, service, market, feed } = started(SEED + 3, 12, true)
    const { answers, streams, live } = service
    const series = market.mints.flatMap((mint) =>
      RESOLUTIONS.map((resolution) => {
        const candles = new LiveCandles(mint, resolution, answers, streams)
        const copy = new CandleCopy()
        copy.take(candleSnapshot(candles, 5_000, service))
        return { mint, resolution, candles, copy }
      }),
    )
    const tables = Array.from({ length: FILTERS }, () => {
      const query = randomWindowTables(random)
      const table = liveTable(tableName(query), query, answers, streams)
      table.advance()
      const copy = new TableCopy()
      copy.take(table.snapshot())
      return { query, table, copy }
    })
    const traded = (mint: string, timestamp: number) => {
      for (const one of series) if (one.mint === mint) one.candles.traded(timestamp)
    }
    live.onTrade(({ mint, timestamp }) => traded(mint, timestamp))
    live.onRepriced((mint) => traded(mint, 0))
    live.attach()
    for (let instant = 0; instant < INSTANTS / 3; instant += 1) {
      feed(random.integer(1, 25))
      const anew = served()
      copyParts(engine.parts, anew.engine.parts)
      for (const { mint, resolution, candles, copy } of series) {
        const frame = candles.advance()
        if (frame !== null) copy.take(frame)
        const query = wholeChart(mint, market.second + 100, resolution)
        const chart: unknown = JSON.parse(anew.service.answers.chart(query))
        if (!isRecord(chart) || !Array.isArray(chart.t)) throw new Error('no chart')
        const bars = chart.t.map((_, i) => columns(chart, i))
        expect(copy.series, `${mint} ${resolution} at ${instant}`).toEqual(bars)
      }
      for (const { query, table, copy } of tables) {
        const frame = table.isStale ? table.advance() : null
        if (frame !== null) copy.take(frame)
        const about = `${JSON.stringify(query)} at ${instant}, seed ${SEED}`
        expect(copy.json, about).toBe(anew.service.answers.tables(query))
      }
      for (const mint of market.mints)
        expect(answers.detail(mint), `${mint} at ${instant}`).toBe(
          anew.service.answers.detail(mint),
        )
    }
    expect(series.some(({ copy }) => copy.faults.length > 0)).toBe(true)
  },
  LONG_MS,
)

function queryOf(body: object): TablesQuery {
  const parsed = tablesOf(body)
  if (!parsed.ok) throw new Error(parsed.error.message)
  return parsed.value
}

test('queries that mean the same have one name, others have others', () => {
  const name = (body: Parameters<typeof tableName>[0]) => tableName(body)
  const plain = { type: 'new', limit: 50 } as const
  const same = [
    { ...plain, filters: {} },
    { ...plain, filters: { new: {} } },
    { ...plain, filters: { new: { holders: {}, dexPaid: false }, graduated: { dexPaid: true } } },
    { ...plain, filters: { new: { socials: { twitter: false } } } },
    queryOf({ type: 'new', newPools: { socials: { twitter: false }, holders: null } }),
  ]
  expect(new Set(same.map(name)).size).toBe(1)
  const others = [
    ...same.slice(0, 1),
    { ...plain, type: 'all' as const, filters: {} },
    { ...plain, limit: 51, filters: {} },
    { ...plain, filters: { new: { holders: { min: 1 } } } },
    { ...plain, filters: { new: { holders: { max: 1 } } } },
    { ...plain, filters: { new: { socials: { twitter: true } } } },
  ]
  expect(new Set(others.map(name)).size).toBe(others.length)
})
