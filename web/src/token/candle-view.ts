import type { Bar, Resolution } from '../../../client/src/mintfeed.ts'

/** What the chart shows of each bar. */
export interface CandleView {
  readonly unit: 'usd' | 'sol'
  readonly measure: 'price' | 'cap'
}

export const WIDTHS: readonly Resolution[] = [
  ...(['1S', '5S', '15S', '30S'] as const),
  ...(['1', '5', '15', '30', '60', '240'] as const),
  ...(['1D', '1W', '1M'] as const),
]

/** A width of which some hundred bars reach over an age. */
export function widthFor(ageSeconds: number): Resolution {
  if (ageSeconds < 600) return '5S'
  if (ageSeconds < 3_600) return '15S'
  if (ageSeconds < 4 * 3_600) return '1'
  return ageSeconds < 16 * 3_600 ? '5' : '15'
}

/** What a width is called: `1` is a minute. */
export function widthLabel(width: Resolution): string {
  if (/[SDWM]$/.test(width)) return width.replace('S', 's')
  const minutes = Number(width)
  return minutes < 60 ? `${minutes}m` : `${minutes / 60}h`
}

/** The part of a bar that is drawn. */
export type Candle = Pick<Bar, 'time' | 'open' | 'high' | 'low' | 'close' | 'volume'>

/** A bar in the unit and measure asked for; `supply` in whole tokens turns a price into a market cap. */
export function candleOf(bar: Bar, { unit, measure }: CandleView, supply: number): Candle {
  const factor = measure === 'cap' ? supply : 1
  const [open, high, low, close, volume] =
    unit === 'usd'
      ? [bar.open, bar.high, bar.low, bar.close, bar.volume]
      : [bar.openSol, bar.highSol, bar.lowSol, bar.closeSol, bar.volumeSol]
  return {
    time: bar.time,
    open: open * factor,
    high: high * factor,
    low: low * factor,
    close: close * factor,
    volume,
  }
}
