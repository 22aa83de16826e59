import { isNumber, listOf, type ObjectOf, objectOf, type Shape } from '../shape.ts'

/** One number a bar. */
export const isSeries: Shape<readonly number[]> = listOf(isNumber)

const SERIES = {
  t: isSeries,
  o: isSeries,
  h: isSeries,
  l: isSeries,
  c: isSeries,
  v: isSeries,
  o_sol: isSeries,
  h_sol: isSeries,
  l_sol: isSeries,
  c_sol: isSeries,
  v_sol: isSeries,
} as const

/** Candles as parallel arrays: `t` unix seconds, then USD, then SOL. */
export type Ohlcv = ObjectOf<typeof SERIES>
const hasSeries = objectOf(SERIES)

/** All series have the length of `t`. */
export const isOhlcv: Shape<Ohlcv> = (value): value is Ohlcv =>
  hasSeries(value) && areParallel(Object.keys(SERIES).map((key) => Reflect.get(value, key)))

/** Arrays of one length, or nothing at all in each place. */
export function areParallel(series: readonly unknown[]): boolean {
  const lengths = series.map((each) => (Array.isArray(each) ? each.length : null))
  return new Set(lengths).size <= 1
}

const HOLDERS = {
  t: isSeries,
  holders: isSeries,
  creator_pct: isSeries,
  snipers_pct: isSeries,
  insiders_pct: isSeries,
  bundlers_pct: isSeries,
  fresh_pct: isSeries,
  pros_pct: isSeries,
} as const

/** Holders of a token over time, by its trades: `t` unix seconds of bars with trades, then shares of the supply. */
export type HolderHistory = ObjectOf<typeof HOLDERS>
const hasHolders = objectOf(HOLDERS)
export const isHolderHistory: Shape<HolderHistory> = (value): value is HolderHistory =>
  hasHolders(value) && areParallel(Object.keys(HOLDERS).map((key) => Reflect.get(value, key)))
