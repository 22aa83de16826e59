import { signal } from '@preact/signals'
import type { Bar } from '../../../client/src/mintfeed.ts'
import { browserStore } from '../frame/browser-store.ts'
import type { Candle } from './candle-view.ts'

const STORE_KEY = 'mintfeed.continuous'
/** Newest bars by which a chart is judged. */
const JUDGED_BARS = 120
/** From this part of bars with one price on they are sparse: a dash tells no direction. */
const SPARSE_PART = 0.1

/** Whether candles begin where the ones before them ended; null: nobody chose, and each chart is judged by its bars. */
export const chosenContinuous = signal<boolean | null>(chosen())

function chosen(): boolean | null {
  const kept = browserStore.getItem(STORE_KEY)
  return kept === null ? null : kept === 'on'
}

/** Holds for all charts of this browser. */
export function chooseContinuous(isOn: boolean): void {
  chosenContinuous.value = isOn
  browserStore.setItem(STORE_KEY, isOn ? 'on' : 'off')
}

/** Do many of the bars have one price only, as those of one trade have? */
export function isSparse(bars: readonly Pick<Bar, 'high' | 'low'>[]): boolean {
  const judged = bars.slice(-JUDGED_BARS)
  const flat = judged.filter(({ high, low }) => high === low).length
  return flat >= judged.length * SPARSE_PART
}

/**
 * Each candle opens at the close before it, and reaches to its new open: the chart endpoint's `continuous=1`.
 * One without a price (0), and one behind it, stay as they are.
 */
export function continued(candles: readonly Candle[]): readonly Candle[] {
  return candles.map((candle, at) => {
    const open = at === 0 ? 0 : candles[at - 1].close
    if (open === 0 || candle.close === 0) return candle
    const { high, low } = candle
    return { ...candle, open, high: Math.max(high, open), low: Math.min(low, open) }
  })
}
