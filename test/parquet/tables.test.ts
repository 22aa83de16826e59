import { expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import {
  BAR_COLUMNS,
  POSITION_COLUMNS,
  SWAP_COLUMNS,
  TOKEN_COLUMNS,
} from '../../src/parquet/exported-columns.ts'
import {
  barTable,
  type DayRange,
  positionTable,
  swapTable,
  type Table,
  tokenTable,
} from '../../src/parquet/tables.ts'
import { DAY_SECONDS, dayOf, dayText, TapeDays } from '../../src/parquet/tape-days.ts'
import { type Resolution, WIDTHS } from '../../src/protocol/queries.ts'
import { finiteNumber, timeText } from '../../src/protocol/wire.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { byLength } from '../lengths.ts'
import { Pair } from '../model/pair.ts'
import { created, START_SECOND, swap, TRADERS } from '../oracle/fixtures.ts'
import { history, slotlessHistory } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'

const ALL: DayRange = { from: 0, to: 50_000 }
const FIRST_SEED = Number(process.env.MODEL_SEED ?? 20_261_129)
const HISTORIES = byLength(12, 200)
const EVENTS = 200
const SHOWN: readonly Resolution[] = ['1S', '15', '1D', '1W', '1M']

const daysOf = (engine: Engine) => runToEnd(TapeDays.read(engine))

type Values = Readonly<Record<string, unknown>>

/** All rows of a table, day by day, each with the text of its day; times as JSON of the API has them. */
function rowsOf<Row>({ columns, days, rows }: Table<Row>): Values[] {
  const found: Values[] = []
  for (const { day } of days)
    for (const row of rows(day)) {
      const values = columns.map(({ name, kind, read }) => {
        const value = read(row)
        if (kind === 'time') return [name, typeof value === 'number' ? timeText(value) : null]
        return [name, typeof value === 'number' ? finiteNumber(value) : value]
      })
      found.push({ day: dayText(day), ...Object.fromEntries(values) })
    }
  return found
}

/** What of some values the API has too. */
function sharedWith(item: object, row: Values): Values {
  const keys = Object.keys(item).filter((key) => key in row)
  return Object.fromEntries(keys.map((key) => [key, row[key]]))
}

function itemsOf(answer: object): readonly object[] {
  const items = isRecord(answer) ? answer.items : null
  if (!Array.isArray(items)) throw new Error('it is a page')
  return items
}

/** Of an item of the API, the fields that a table has under the same name. */
function known(item: object, row: Values): object {
  return Object.fromEntries(Object.entries(item).filter(([key]) => key in row))
}

const PAGE = { ...TRADERS, limit: 200 }

test(`tables have the rows of the oracle, whatever left memory or came late (seed ${FIRST_SEED})`, () => {
  let [left, dormant, swaps, unpriced] = [0, 0, 0, 0]
  for (let seed = FIRST_SEED; seed < FIRST_SEED + HISTORIES; seed += 1) {
    const random = new Random(seed ^ 0xda7)
    const pair = new Pair('event')
    const events = seed % 4 === 0 ? slotlessHistory(seed, EVENTS) : history(seed, EVENTS)
    for (const event of events) {
      if (random.chance(0.05)) pair.rest()
      if (random.chance(0.1)) pair.leaveMemory()
      pair.apply(event)
    }
    if (random.chance(0.5)) pair.rest()
    pair.leaveMemory()
    const { engine, oracle } = pair
    left += engine.state.tape.firstInMemory
    dormant += engine.state.dormant.positions
    const days = daysOf(engine)
    const byMint = Map.groupBy(rowsOf(swapTable(engine, days, ALL)), ({ mint }) => String(mint))
    const traders = Map.groupBy(rowsOf(positionTable(engine, null)), ({ mint }) => String(mint))
    const tokens = new Map(rowsOf(tokenTable(engine, null)).map((row) => [String(row.mint), row]))
    const mints = oracle.mints()
    expect([...tokens.keys()].sort()).toEqual([...mints].sort())
    for (const mint of mints) {
      const where = `seed ${seed}, ${mint}`
      const items = itemsOf(oracle.swapsWithExtras(mint, 1, 200))
      const rows = byMint.get(mint) ?? []
      expect(rows.length, where).toBe(items.length)
      const [first = {}] = rows
      const wanted = items.map((item) => textOf(known(item, first)))
      const found = rows.map((row) => textOf(sharedWith(items[0] ?? {}, row)))
      expect(found.sort(), where).toEqual(wanted.sort())
      swaps += rows.length
      unpriced += rows.filter(({ priced }) => priced === false).length
      for (const { day, timestamp } of rows) expect(String(timestamp).slice(0, 10)).toBe(day)
      const records = itemsOf(oracle.tokenTraders(mint, PAGE))
      const wallets = new Map((traders.get(mint) ?? []).map((row) => [String(row.wallet), row]))
      expect(wallets.size, where).toBe(records.length)
      for (const record of records) {
        const row = wallets.get(isRecord(record) ? String(record.wallet) : '') ?? {}
        // Their times are unix seconds in the API.
        const isTime = (key: string) => key.endsWith('_ts')
        const entries = Object.entries(known(record, row))
        const wanted = entries.map(([key, value]) => [
          key,
          isTime(key) && typeof value === 'number' ? timeText(value) : value,
        ])
        expect(sharedWith(record, row), where).toEqual(Object.fromEntries(wanted))
      }
      const [data = {}] = oracle.marketData([mint])
      const row = tokens.get(mint) ?? {}
      expect(sharedWith(data, row), where).toEqual(known(data, row))
    }
    for (const resolution of SHOWN) {
      const found = rowsOf(barTable(engine, days, ALL, WIDTHS[resolution]))
      for (const { day, time } of found) expect(String(time).slice(0, 10)).toBe(day)
      const bars = found.map((bar) => [
        bar.mint,
        bar.time,
        bar.open,
        bar.high,
        bar.low,
        bar.close,
        bar.volume_usd,
      ])
      const wanted = mints.flatMap((mint) => chartOf(pair, mint, resolution))
      const sorted = (rows: readonly (readonly unknown[])[]) => rows.map(String).sort()
      expect(sorted(bars), `seed ${seed}, ${resolution}`).toEqual(sorted(wanted))
    }
  }
  expect([left, dormant, swaps, unpriced].every((count) => count > 0)).toBe(true)
})

/** Equal objects have equal texts, and so a set of them one order. */
function textOf(values: object): string {
  const entries = Object.entries(values).sort(([a], [b]) => (a < b ? -1 : 1))
  return JSON.stringify(entries, (_, value: unknown) =>
    typeof value === 'bigint' ? Number(value) : value,
  )
}

function chartOf({ oracle, engine }: Pair, mint: string, resolution: Resolution): unknown[][] {
  const query = { mint, resolution, from: 0, to: 2 ** 32, continuous: false, countback: 5_000 }
  const answer = oracle.chart({ ...query, fill: 'none', udf: false })
  expect(engine.state.tape.count).toBeGreaterThan(0)
  const column = (name: string): readonly unknown[] => {
    const found = isRecord(answer) ? answer[name] : null
    return Array.isArray(found) ? found : []
  }
  const [o, h, l, c, v] = ['o', 'h', 'l', 'c', 'v'].map(column)
  return column('t').map((time, i) => [
    mint,
    timeText(Number(time)),
    o?.[i],
    h?.[i],
    l?.[i],
    c?.[i],
    v?.[i],
  ])
}

test('columns of a table have different names, of letters that need no quotes', () => {
  const tables = [SWAP_COLUMNS, BAR_COLUMNS, TOKEN_COLUMNS, POSITION_COLUMNS]
  for (const columns of tables) {
    const names = columns.map(({ name }) => name)
    expect(new Set(names).size).toBe(names.length)
    expect(names.filter((name) => !/^[a-z][a-z0-9_]*$/.test(name))).toEqual([])
  }
})

/** An engine that was given these. */
function engineOf(events: readonly FeedEvent[]): Engine {
  const engine = new Engine({ clock: 'event' })
  engine.events(events)
  return engine
}

test('a swap whose time steps back over midnight is in its own day, and each is in one', () => {
  const midnight = START_SECOND + DAY_SECONDS
  const offsets = [-2, 1, -1, 0, DAY_SECONDS, -3, DAY_SECONDS - 1]
  const engine = engineOf([
    created(),
    ...offsets.map((offset, i) => swap({ slot: 200 + i, timestamp: midnight + offset })),
  ])
  const found = rowsOf(swapTable(engine, daysOf(engine), ALL))
  const slotsOf = (day: number) =>
    found.filter((row) => row.day === dayText(dayOf(START_SECOND) + day)).map(({ slot }) => slot)
  expect([0, 1, 2].map(slotsOf)).toEqual([[200n, 202n, 205n], [201n, 203n, 206n], [204n]])
  expect(found.length).toBe(offsets.length)
})

test('a day is made of its swaps alone once no late event reaches it, a bar of all days that it covers', () => {
  const at = (day: number, slot: number) =>
    swap({ slot, timestamp: START_SECOND + day * DAY_SECONDS + 10 })
  // It is a Tuesday.
  const swaps = [at(0, 200), at(0, 201), at(1, 300), at(9, 400), at(9, 401)]
  const signatures = swaps.map(({ signature }) => signature)
  const engine = engineOf([created(), ...swaps])
  const days = daysOf(engine)
  const plans = <Row>({ days: plans }: Table<Row>) =>
    plans.map(({ day, of }) => [day - dayOf(START_SECOND), of])
  const seq = `at seq ${engine.seq}`
  expect(plans(swapTable(engine, days, ALL))).toEqual([
    [0, `2 swaps from ${signatures[0]}`],
    [1, `1 swaps from ${signatures[2]}`],
    [9, `2 swaps from ${signatures[3]} ${seq}`],
  ])
  expect(plans(barTable(engine, days, ALL, 'week'))).toEqual([
    [-1, `3 swaps from ${signatures[0]}`],
    [6, `2 swaps from ${signatures[3]} ${seq}`],
  ])
  // A late event may still come to the day before the last one, whose newest swap is two slots back.
  const late = engineOf([created(), at(0, 200), at(1, 398), at(9, 400)])
  const isOpen = plans(swapTable(late, daysOf(late), ALL)).map(([, of]) =>
    String(of).endsWith(` at seq ${late.seq}`),
  )
  expect(isOpen).toEqual([false, true, true])
})
