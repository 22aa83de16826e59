import fc from 'fast-check'
import { expect, test } from 'vitest'
import { appliedDelta, appliedTrendingDelta } from '../../client/src/live/table-delta.ts'
import {
  isTables,
  type TableRow,
  type Tables,
  type TrendingToken,
} from '../../client/src/resources/tables.ts'
import { tableDelta } from '../../src/server/live/hub/followed-tables.ts'

type Group = readonly TableRow[]

/** Rows of a dozen tokens with one of three figures each, in any order. */
const group: fc.Arbitrary<Group> = fc
  .oneof(fc.uniqueArray(fc.nat(2), { maxLength: 3 }), fc.uniqueArray(fc.nat(11), { maxLength: 12 }))
  .chain((mints) =>
    fc.tuple(...mints.map((mint) => fc.nat(2).map((holders) => rowOf(`mint "${mint}"`, holders)))),
  )
const tables = fc.record({ new: group, completing: group, graduated: group })

function rowOf(mint: string, holders: number): TableRow {
  return {
    ...{ name: 'n', symbol: 's', timestamp: '2026-11-20 00:00:00', creator: 'c', pool: 'p' },
    ...{ top_10_percent: 0, market_cap: 0, pct_completion: 0, liqudity: 0 },
    ...{ tx_24h: 0, tx_24h_buy: 0, tx_24h_sell: 0, vol_24h: 0, vol_24_buy: 0, vol_24_sell: 0 },
    ...{ fresh_wallets_holding: 0, insiders_holding: 0, bundle_holding: 0, snipers_holding: 0 },
    ...{ creator_holding: 0, pro_traders_holding: 0 },
    ...{ creator_completed_pools: 0, creator_completing_pools: 0, mint, holders },
  }
}

/** As the service keeps them. */
function keptRows(tables: Tables) {
  return new Map(
    (['new', 'completing', 'graduated'] as const).map((name) => [
      name,
      (tables[name] ?? []).map((row) => ({ mint: row.mint, json: JSON.stringify(row) })),
    ]),
  )
}

/** How many rows of a group keep their order at most, by trying all that may stand before each. */
function longestRun(before: Group, after: Group): number {
  const places = after.map(({ mint }) => before.findIndex((row) => row.mint === mint))
  const runs: number[] = []
  for (const [i, place] of places.entries()) {
    const shorter = runs.filter((_, j) => places[j] < place)
    runs[i] = place < 0 ? 0 : 1 + Math.max(0, ...shorter)
  }
  return Math.max(0, ...runs)
}

test('a delta of the service makes one table of another in the client, and puts no row more than it must', () => {
  fc.assert(
    fc.property(tables, tables, (before, after) => {
      const text = tableDelta(keptRows(before), keptRows(after))
      const delta = JSON.parse(text ?? '{}')
      const was = structuredClone(before)
      expect(appliedDelta(before, delta)).toEqual(after)
      expect(before).toEqual(was)
      for (const name of ['new', 'completing', 'graduated'] as const) {
        const put = delta[name]?.put.length ?? 0
        expect(put).toBe(after[name].length - longestRun(before[name], after[name]))
      }
      expect(tableDelta(keptRows(after), keptRows(after))).toBe(null)
    }),
  )
})

test('a group that was not there comes with its rows, and others stay the very same', () => {
  const [a, b] = [rowOf('a', 1), rowOf('b', 2)]
  const before: Tables = { new: [a] }
  const delta = { graduated: { leave: [], put: [{ at: 0, row: b }], change: [] } }
  const after = appliedDelta(before, delta)
  expect(after).toEqual({ new: [a], graduated: [b] })
  expect(after?.new).toBe(before.new)
})

test('a delta that does not fit the table, or is none, is refused', () => {
  const [a, b] = [rowOf('a', 1), rowOf('b', 2)]
  const before: Tables = { new: [a] }
  const of = (change: object) => ({ new: { leave: [], put: [], change: [], ...change } })
  for (const fits of [{}, of({}), of({ change: [a] }), of({ put: [{ at: 1, row: b }] })])
    expect(appliedDelta(before, fits)).not.toBe(null)
  for (const unfit of [
    ...[null, [], 'x', { new: [] }, { new: { leave: [], put: [] } }, of({ leave: [1] })],
    ...[of({ change: [b] }), of({ leave: ['a'], change: [a] }), of({ put: [{ at: 2, row: b }] })],
    ...[of({ put: [{ at: -1, row: b }] }), of({ put: [{ at: 0, row: { ...b, holders: '2' } }] })],
    ...[of({ leave: ['a'], put: [{ at: 1, row: b }] }), of({ put: [{ at: 1, row: a }] })],
  ])
    expect(appliedDelta(before, unfit), JSON.stringify(unfit)).toBe(null)
  expect(isTables(before)).toBe(true)
})

/** Ranked as the service ranks them: who moves up or down is another row. */
const ranked = (rows: Group): TrendingToken[] =>
  rows.map((row, at) => ({ rank: at + 1, value: row.holders, ...row }))

test('a delta of the service makes one list of what trends of another in the client', () => {
  fc.assert(
    fc.property(group, group, (before, after) => {
      const words = { window: '5m', by: 'volume' }
      const [was, is] = [ranked(before), ranked(after)]
      const kept = (rows: TrendingToken[]) =>
        new Map([['items', rows.map((row) => ({ mint: row.mint, json: JSON.stringify(row) }))]])
      const delta: unknown = JSON.parse(tableDelta(kept(was), kept(is)) ?? '{}')
      const applied = appliedTrendingDelta({ ...words, items: was }, delta)
      expect(applied).toEqual({ ...words, items: is })
    }),
  )
})

test('a delta of what trends without a rank, or that does not fit, is refused', () => {
  const [a, b] = ranked([rowOf('a', 1), rowOf('b', 2)])
  const trending = { window: '5m', by: 'volume', items: [a] }
  const { rank: _, ...unranked } = b
  const of = (change: object) => ({ items: { leave: [], put: [], change: [], ...change } })
  expect(appliedTrendingDelta(trending, of({ put: [{ at: 1, row: b }] }))?.items).toEqual([a, b])
  for (const unfit of [
    ...[null, { items: [] }, of({ put: [{ at: 1, row: unranked }] }), of({ change: [b] })],
    ...[of({ put: [{ at: 2, row: b }] }), of({ leave: [1] })],
  ])
    expect(appliedTrendingDelta(trending, unfit), JSON.stringify(unfit)).toBe(null)
})
