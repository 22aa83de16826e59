import fc from 'fast-check'
import { expect, test } from 'vitest'
import {
  FLAG_FILTERS,
  RANGE_FILTERS,
  SOCIAL_FILTERS,
  TABLE_ORDERS,
  WINDOW_FILTERS,
  WINDOWS,
} from '../../client/src/mintfeed.ts'
import { parseTables } from '../../src/protocol/requests/tables.ts'
import {
  boardViewText,
  bound,
  parseBoardView,
  parseRange,
  tableQuery,
  withWindow,
} from '../../web/src/filters/board-view.ts'
import {
  FLAG_LABELS,
  filterCount,
  RANGE_KEYS,
  SOCIAL_LABELS,
  WINDOW_FIELDS,
} from '../../web/src/filters/filter-fields.ts'
import { PRESETS_MAX, parsePresets, withPreset } from '../../web/src/filters/presets.ts'
import { orderIn, SORT_KEYS, SORTS, windowOf } from '../../web/src/filters/sort-orders.ts'

const PLAIN = { filters: {}, sort: 'default' } as const
const PLAIN_BOARD = { new: PLAIN, completing: PLAIN, graduated: PLAIN, window: '24h' } as const

const range = fc
  .tuple(fc.integer({ min: 0, max: 1e6 }), fc.integer({ min: 0, max: 1e6 }), fc.nat(2))
  .map(([a, b, which]) => {
    if (which === 0) return { min: a }
    return which === 1 ? { max: b } : { min: Math.min(a, b), max: Math.max(a, b) }
  })
const some = <K extends string, V>(keys: readonly K[], value: fc.Arbitrary<V>) =>
  fc.dictionary(fc.constantFrom(...keys), value)
/** Bounds of some windows; a window without one is no filter. */
const windows = some(
  WINDOWS,
  fc.dictionary(fc.constantFrom(...WINDOW_FILTERS), range, { minKeys: 1 }),
)
const column = fc.record({
  filters: fc
    .tuple(
      some(RANGE_KEYS, range),
      some(FLAG_FILTERS, fc.constant(true as const)),
      some(SOCIAL_FILTERS, fc.constant(true as const)),
      windows,
      fc.option(
        fc.record({
          tag: fc.string({ minLength: 1, maxLength: 32, unit: 'grapheme-ascii' }),
          min: fc.integer({ min: 1, max: 100_000 }),
        }),
      ),
    )
    .map(([ranges, flags, socials, windows, heldBy]) => ({
      ...ranges,
      ...flags,
      ...(Object.keys(socials).length > 0 ? { socials } : {}),
      ...(Object.keys(windows).length > 0 ? { windows } : {}),
      ...(heldBy === null ? {} : { heldBy }),
    })),
  sort: fc.constantFrom(...SORT_KEYS, ...TABLE_ORDERS),
})
const board = fc.record({
  new: column,
  completing: column,
  graduated: column,
  window: fc.constantFrom(...WINDOWS),
})

test('every view of the board is in its address and comes back from it', () => {
  fc.assert(
    fc.property(board, (view) => {
      expect(parseBoardView(boardViewText(view))).toEqual(view)
    }),
  )
})

test('the service takes the query of every view', () => {
  fc.assert(
    fc.property(board, (view) => {
      const parsed = parseTables(JSON.stringify(tableQuery('new', view.new)))
      expect(parsed.ok).toBe(true)
    }),
  )
})

test('the page offers every filter of the client', () => {
  expect([...RANGE_KEYS].sort()).toEqual([...RANGE_FILTERS].sort())
  expect(Object.keys(FLAG_LABELS)).toEqual(FLAG_FILTERS)
  expect(Object.keys(SOCIAL_LABELS)).toEqual(SOCIAL_FILTERS)
  expect(WINDOW_FIELDS.map(({ key }) => key).sort()).toEqual([...WINDOW_FILTERS].sort())
})

test('another window of the board takes the orders by a window along, and leaves others as they are', () => {
  fc.assert(
    fc.property(board, fc.constantFrom(...WINDOWS), (view, window) => {
      const next = withWindow(view, window)
      expect(next.window).toBe(window)
      for (const group of ['new', 'completing', 'graduated'] as const) {
        expect(next[group].filters).toEqual(view[group].filters)
        const { sort } = view[group]
        const isByWindow = windowOf(sort) !== null
        expect(windowOf(next[group].sort)).toBe(isByWindow ? window : null)
        expect(orderIn(windowOf(sort) ?? window, next[group].sort)).toBe(sort)
      }
    }),
  )
})

test('a foreign address shows the plain board', () => {
  expect(
    parseBoardView(
      '?new.holders=x..y&foo=1&new.sort=constructor&new.dexPaid=yes&window=2m&new.5m.volumeUsd=9..3',
    ),
  ).toEqual(PLAIN_BOARD)
  expect(parseRange('9..3')).toBeNull()
  expect(parseRange('..')).toBeNull()
})

test('bounds are read as traders type them', () => {
  expect(bound('1.5k')).toBe(1500)
  expect(bound('2M')).toBe(2e6)
  expect(bound('.5')).toBe(0.5)
  expect(bound('10,000')).toBe(10_000)
  expect(bound('-1,234,567.5')).toBe(-1_234_567.5)
  expect(bound('$1.5k')).toBe(1500)
  expect(bound('2 m')).toBe(2e6)
  expect(bound('5%')).toBe(5)
  expect(bound('1e-7')).toBe(1e-7)
  for (const hundredths of [201, 403, 806, 1_234])
    expect(bound(`${hundredths / 100}k`)).toBe(hundredths * 10)
  expect(bound('2.05m')).toBe(2_050_000)
  for (const text of ['ten', '', 'k', '1,5', '10,00', '--1', '1.2.3', '$', '1e999'])
    expect(bound(text)).toBeNull()
})

test('a bound so large or small that it is written with an exponent is in the address too', () => {
  for (const value of [1e-7, 2.5e21, -1e-9]) {
    const view = {
      ...PLAIN_BOARD,
      new: { filters: { mCapUsd: { min: value } }, sort: 'cap' },
    } as const
    expect(parseBoardView(boardViewText(parseBoardView(boardViewText(view))))).toEqual(view)
  }
})

test('the badge counts ranges, those of windows, flags and socials', () => {
  const windows = { '5m': { txs: { min: 1 }, buys: { max: 2 } }, '1h': { txs: { min: 3 } } }
  const filters = { holders: { min: 1 }, dexPaid: true, socials: { twitter: true }, windows }
  expect(filterCount(filters)).toBe(6)
  expect(filterCount({})).toBe(0)
})

test('presets are bounded, named once, and a spoiled store is an empty one', () => {
  expect(parsePresets('{')).toEqual([])
  expect(parsePresets('[1,{"name":"a"},{"name":"a","view":"x"}]')).toEqual([
    { name: 'a', view: 'x' },
  ])
  let presets = withPreset([{ name: 'a', view: '1' }], { name: 'a', view: '2' })
  expect(presets).toEqual([{ name: 'a', view: '2' }])
  for (let i = 0; i < 40; i++) presets = withPreset(presets, { name: `p${i}`, view: '' })
  expect(presets).toHaveLength(PRESETS_MAX)
})

test('an order by figures of a day says so, since rows may show those of another window', () => {
  expect([SORTS.volume.label, SORTS.txs.label]).toEqual(['Volume 24h', 'Trades 24h'])
})
