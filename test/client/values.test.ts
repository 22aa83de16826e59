import fc from 'fast-check'
import { afterAll, expect, test } from 'vitest'
import { barsOf } from '../../client/src/live/bars.ts'
import { timestampMs, timestampText } from '../../client/src/mintfeed.ts'
import { isMigration } from '../../client/src/resources/migration.ts'
import { pageOf } from '../../client/src/resources/page.ts'
import { isOhlcv } from '../../client/src/resources/series.ts'
import { isSwap, isSwapsByCursor } from '../../client/src/resources/swap.ts'
import { isRow, isTables } from '../../client/src/resources/tables.ts'
import { isDetail, isMarketData, isSearched } from '../../client/src/resources/token.ts'
import { isTrader } from '../../client/src/resources/trader.ts'
import {
  isUdfFound,
  isUdfHistory,
  isUdfQuotes,
  isUdfSymbol,
} from '../../client/src/resources/udf.ts'
import type { Shape } from '../../client/src/shape.ts'
import { isRecord } from '../../src/base/json-access.ts'
import { RESOURCE_SCHEMAS } from '../../src/openapi/resources.ts'

const zone = process.env.TZ
afterAll(() => {
  if (zone === undefined) delete process.env.TZ
  else process.env.TZ = zone
})

test.each(['UTC', 'America/New_York', 'Asia/Kathmandu'])(
  'a timestamp is UTC for a reader in %s',
  (name) => {
    process.env.TZ = name
    expect(timestampMs('2026-03-08 02:30:00')).toBe(Date.UTC(2026, 2, 8, 2, 30))
    const seconds = fc.integer({ min: -62_167_219_200, max: 253_402_300_799 })
    fc.assert(
      fc.property(seconds, (second) => timestampMs(timestampText(second * 1000)) === second * 1000),
    )
  },
)

test.each([
  '',
  '2026-02-30 00:00:00',
  '2026-01-01T00:00:00',
  '2026-1-1 0:0:0',
  '2026-01-01 24:00:00',
])('%j is no timestamp', (text) => expect(timestampMs(text)).toBe(null))

type Schema = Readonly<Record<string, unknown>>

/** The smallest value of a schema of the service's own document. */
function sampleOf(schema: Schema): unknown {
  if (Array.isArray(schema.allOf))
    return Object.assign({}, ...schema.allOf.filter(isRecord).map(sampleOf))
  if (Array.isArray(schema.anyOf)) return sampleOf(schema.anyOf.filter(isRecord)[0])
  if (Array.isArray(schema.enum)) return schema.enum[0]
  if (typeof schema.$ref === 'string')
    return sampleOf(RESOURCE_SCHEMAS[schema.$ref.split('/').at(-1) ?? ''])
  switch (Array.isArray(schema.type) ? schema.type[0] : schema.type) {
    case 'object': {
      const required = Array.isArray(schema.required) ? schema.required : []
      const properties = isRecord(schema.properties) ? schema.properties : {}
      const keys = required.filter((key) => typeof key === 'string')
      return Object.fromEntries(
        keys.map((key) => {
          const inner = properties[key]
          return [key, isRecord(inner) ? sampleOf(inner) : null]
        }),
      )
    }
    case 'array':
      return isRecord(schema.items) ? [sampleOf(schema.items)] : []
    case 'string':
      return 'text'
    case 'boolean':
      return true
    default:
      return 1
  }
}

const SHAPES: readonly (readonly [string, Shape<unknown>])[] = [
  ['Swap', isSwap],
  ['TokenSearchDetailed', isSearched],
  ['TokenMarketData', isMarketData],
  ['MemeTablePoolDto', isRow],
  ['MigrationEvent', isMigration],
  ['TraderRecord', isTrader],
  ['TokenDetail', isDetail],
  ['SwapsByCursor', isSwapsByCursor],
  ['PaginatedTraders', pageOf(isTrader)],
  ['MemeTablesResponseDto', isTables],
  ['Ohlcv', isOhlcv],
  ['UdfSymbol', isUdfSymbol],
  ['UdfFound', isUdfFound],
]

test.each(SHAPES)(
  'the client takes %s as the service describes it, and nothing less',
  (name, shape) => {
    const sample = sampleOf(RESOURCE_SCHEMAS[name])
    expect(shape(sample)).toBe(true)
    if (!isRecord(sample)) throw new Error('a resource is no object')
    for (const key of Object.keys(sample)) {
      const { [key]: _, ...rest } = sample
      expect(shape(rest), `${name} without ${key}`).toBe(false)
      for (const wrong of [Symbol('of no type'), Number.NaN, {}])
        expect(shape({ ...sample, [key]: wrong }), `${name} with ${String(wrong)} in ${key}`).toBe(
          false,
        )
    }
    expect(shape({ ...sample, added: 1 })).toBe(true)
    for (const other of [null, [], 'text', 1]) expect(shape(other)).toBe(false)
  },
)

test('quotes are of symbols that are known and of such that are not, and nothing else', () => {
  const text = { short_name: 'S', exchange: 'E', original_name: 'E:S', description: 'D' }
  const day = { open_price: 1, high_price: 2, low_price: 1, prev_close_price: 1, volume: 5 }
  const v = { ...text, ...day, lp: 2, ch: 1, chp: 100 }
  const none = { s: 'error', n: 'A', v: {} }
  expect(isUdfQuotes({ s: 'ok', d: [{ s: 'ok', n: 'B', v }, none] })).toBe(true)
  expect(isUdfQuotes({ s: 'ok', d: [] })).toBe(true)
  for (const key of Object.keys(v)) {
    const { [key]: _, ...rest }: Record<string, unknown> = v
    expect(isUdfQuotes({ s: 'ok', d: [{ s: 'ok', n: 'B', v: rest }] }), key).toBe(false)
  }
  for (const wrong of [{ s: 'ok' }, { s: 'error', d: [] }, { s: 'ok', d: [{ s: 'no', n: 'A' }] }])
    expect(isUdfQuotes(wrong)).toBe(false)
})

test('series that are not of one length are no bars', () => {
  const bars = { s: 'ok', t: [1, 2], o: [1, 2], h: [1, 2], l: [1, 2], c: [1, 2], v: [1, 2] }
  expect(isUdfHistory(bars)).toBe(true)
  expect(isUdfHistory({ s: 'no_data', nextTime: 7 })).toBe(true)
  for (const key of ['t', 'o', 'h', 'l', 'c', 'v']) {
    expect(isUdfHistory({ ...bars, [key]: [1] }), key).toBe(false)
    expect(isUdfHistory({ ...bars, [key]: undefined }), key).toBe(false)
  }
  expect(isUdfHistory({ s: 'ok' })).toBe(false)
  expect(isUdfHistory({ ...bars, s: 'error' })).toBe(false)
  expect(isUdfHistory({ s: 'no_data', nextTime: '7' })).toBe(false)
})

test('bars of a live frame are none without their series or a flag for each', () => {
  const series = Object.fromEntries(
    ['t', 'o', 'h', 'l', 'c', 'v', 'o_sol', 'h_sol', 'l_sol', 'c_sol', 'v_sol'].map((key, i) => [
      key,
      [60 + i, 120 + i],
    ]),
  )
  expect(barsOf(series, [true, false])).toMatchObject([
    { time: 60, open: 61, high: 62, low: 63, close: 64, volume: 65, openSol: 66, isFinal: true },
    { time: 120, highSol: 127, lowSol: 128, closeSol: 129, volumeSol: 130, isFinal: false },
  ])
  for (const final of [undefined, null, [true], [true, false, false], [1, 0], 'no'])
    expect(barsOf(series, final), JSON.stringify(final)).toBe(null)
  for (const data of [undefined, [], { ...series, c: [1] }, { ...series, c: [1, null] }])
    expect(barsOf(data, [true, false]), JSON.stringify(data)).toBe(null)
})
