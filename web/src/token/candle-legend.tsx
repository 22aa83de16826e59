import { compact, DIGITS, signedPercent } from '../text/number-form.ts'
import { signClass } from '../text/sign-class.ts'
import { exactTime } from '../text/time-form.ts'
import type { Candle } from './candle-view.ts'

/** The numbers of the bar that is pointed at, else of the newest. */
export function CandleLegend({
  candles,
  time,
  unit,
  digits,
}: {
  readonly candles: readonly Candle[]
  readonly time: number | null
  readonly unit: 'usd' | 'sol'
  /** Of prices, as on the chart's scale. */
  readonly digits: number
}) {
  const candle = candles.find((each) => each.time === time) ?? candles.at(-1)
  if (candle === undefined) return null
  const { open, high, low, close, volume } = candle
  const change = open === 0 ? 0 : (close / open - 1) * 100
  const sign = unit === 'usd' ? '$' : ''
  return (
    <p class="legend" title={exactTime(candle.time)}>
      {(
        [
          ['O', open, digits],
          ['H', high, digits],
          ['L', low, digits],
          ['C', close, digits],
          ['V', volume, DIGITS],
        ] as const
      ).map(([letter, value, shown]) => (
        <span key={letter}>
          <span class="label">{letter}</span> {sign}
          {compact(value, shown)}
        </span>
      ))}
      <span class={signClass(change)}>{signedPercent(change)}</span>
    </p>
  )
}
