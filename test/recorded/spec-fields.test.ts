import { describe, expect, test } from 'vitest'
import { FLAG_FILTERS, RANGE_FILTERS } from '../../src/protocol/filters.ts'
import { RESOLUTIONS, TRADER_ORDERS } from '../../src/protocol/queries.ts'
import { METRICS } from '../../src/query/tables/metrics.ts'
import { checkDay, checkShape } from '../conformance/shape.ts'
import {
  booleanFilters,
  groups,
  memeTablePool,
  migrationEvent,
  ohlcv,
  page,
  rangeFilters,
  resolutions,
  swap,
  tokenMarketData,
  tokenSearchDetailed,
  traderOrders,
  traderRecord,
} from '../conformance/spec-tables.ts'
import { Pair } from '../model/pair.ts'
import { wholeChart } from '../model/random-queries.ts'
import { history } from '../oracle/histories.ts'

type Json = Record<string, unknown>

const HISTORIES = 60
const WHOLE = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const

describe('the wire has every field of the specification with its exact name and type', () => {
  const markets = Array.from({ length: HISTORIES }, (_, seed) => market(seed + 1))

  test('search items', () => {
    const items = markets.flatMap(({ answers }) => parsed(answers.search('p')))
    for (const item of items) {
      checkShape(item, tokenSearchDetailed, 'search item')
      checkDay(item, 'search item')
    }
    expect(items.length).toBeGreaterThan(HISTORIES)
  })

  test('market data', () => {
    const items = markets.flatMap(({ answers, mints }) => parsed(answers.marketData([...mints])))
    for (const item of items) {
      checkShape(item, tokenMarketData, 'market data')
      checkDay(item, 'market data')
    }
    expect(items.length).toBeGreaterThan(HISTORIES)
  })

  test('swap pages, trader pages and charts', () => {
    const seen = { swaps: 0, traders: 0, bars: 0 }
    for (const { answers, mints, oracle } of markets)
      for (const mint of mints) {
        seen.swaps += checkPage(JSON.parse(answers.swaps(mint, null, WHOLE)), swap)
        seen.traders += checkPage(JSON.parse(answers.tokenTraders(mint, WHOLE)), traderRecord)
        for (const resolution of RESOLUTIONS) {
          const chart = JSON.parse(answers.chart(wholeChart(mint, oracle.now, resolution)))
          checkShape(chart, ohlcv, 'chart')
          seen.bars += chart.t.length
        }
      }
    expect(Math.min(...Object.values(seen))).toBeGreaterThan(HISTORIES)
  })

  test('tokens of wallets', () => {
    let seen = 0
    for (const { answers, wallets } of markets)
      for (const wallet of wallets)
        seen += checkPage(JSON.parse(answers.walletTokens(wallet, WHOLE)), traderRecord)
    expect(seen).toBeGreaterThan(HISTORIES)
  })

  test('rows of the three tables', () => {
    const seen = new Set<string>()
    for (const { answers } of markets) {
      const tables: Record<string, Json[]> = JSON.parse(
        answers.tables({ type: 'all', filters: {}, limit: 200 }),
      )
      expect(Object.keys(tables)).toEqual([...groups])
      for (const [group, rows] of Object.entries(tables))
        for (const row of rows) {
          seen.add(group)
          checkShape(row, memeTablePool, `${group} row`)
          checkDay(row, `${group} row`)
        }
    }
    expect(seen).toEqual(new Set(groups))
  })

  test('trade and migration messages', () => {
    const trades = markets.flatMap((pair) => pair.trades).map((text): Json => JSON.parse(text))
    const migrations = markets.flatMap((pair) => pair.migrations)
    expect(Math.min(trades.length, migrations.length)).toBeGreaterThan(10)
    for (const { channel, pool, data, ...rest } of trades) {
      expect([channel, typeof pool, rest]).toEqual(['update_mint_info', 'string', {}])
      checkShape(recordOf(data), swap, 'trade data')
    }
    for (const text of migrations) {
      const { channel, data, ...rest }: Json = JSON.parse(text)
      expect([channel, rest]).toEqual(['mint_migration', {}])
      checkShape(recordOf(data), migrationEvent, 'migration data')
    }
  })
})

test('filters, orders and resolutions are those of the specification', () => {
  expect([...RANGE_FILTERS].sort()).toEqual([...rangeFilters].sort())
  // What is known whole is no matter of the specification (contract section 9).
  expect([...FLAG_FILTERS].sort()).toEqual([...booleanFilters, 'historyComplete'].sort())
  expect([...TRADER_ORDERS]).toEqual([...traderOrders])
  expect(new Set<string>(RESOLUTIONS)).toEqual(new Set(Object.keys(resolutions)))
})

test('every filter of the specification reads exactly one metric of its kind', () => {
  for (const name of rangeFilters)
    expect(METRICS.filter(({ filter, kind }) => filter === name && kind === 'number')).toHaveLength(
      1,
    )
  for (const name of booleanFilters)
    expect(
      METRICS.filter(({ filter, kind }) => filter === name && kind === 'boolean'),
    ).toHaveLength(1)
})

function market(seed: number): Pair {
  const pair = new Pair('event')
  for (const event of history(seed, 60)) pair.apply(event)
  return pair
}

function parsed(text: string): Json[] {
  return JSON.parse(text)
}

function recordOf(value: unknown): Json {
  if (typeof value !== 'object' || value === null) throw new Error('a message has no data')
  return { ...value }
}

/** How many items it has: a page without any shows nothing of them. */
function checkPage(answer: Json & { items: Json[] }, fields: typeof swap): number {
  const { items, ...head } = answer
  checkShape(head, page, 'page')
  for (const item of items) checkShape(item, fields, 'item')
  return items.length
}
