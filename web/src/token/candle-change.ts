import type { Candle } from './candle-view.ts'

/** How the chart gets from the candles it shows to others. */
export type CandleChange =
  /** All anew. */
  | { readonly kind: 'all' }
  /** These in order: the newest that is shown, and those after it. */
  | { readonly kind: 'newest'; readonly candles: readonly Candle[] }

/** Only the newest bar moves and new ones follow it: then hundreds of others need no new drawing. */
export function candleChange(shown: readonly Candle[], next: readonly Candle[]): CandleChange {
  const last = shown.length - 1
  if (last < 0 || next.length < shown.length) return { kind: 'all' }
  for (let at = 0; at < last; at++) if (!isSame(shown[at], next[at])) return { kind: 'all' }
  if (shown[last].time !== next[last].time) return { kind: 'all' }
  return { kind: 'newest', candles: next.slice(last) }
}

function isSame(a: Candle, b: Candle): boolean {
  return (
    a.time === b.time &&
    a.open === b.open &&
    a.high === b.high &&
    a.low === b.low &&
    a.close === b.close &&
    a.volume === b.volume
  )
}
