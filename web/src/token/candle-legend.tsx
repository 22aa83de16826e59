import { compact, signedPercent } from '../text/number-form.ts'
import { signClass } from '../text/sign-class.ts'
import { exactTime } from '../text/time-form.ts'
import type { Candle } from './candle-view.ts'

/** The numbers of the bar that is pointed at, else of the newest. */
export function CandleLegend({
  candles,
  time,
  unit,
}: {
  readonly candles: readonly Candle[]
  readonly time: number | null
  readonly unit: 'usd' | 'sol'
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
          ['O', open],
          ['H', high],
          ['L', low],
          ['C', close],
          ['V', volume],
        ] as const
      ).map(([letter, value]) => (
        <span key={letter}>
          <span class="label">{letter}</span> {sign}
          {compact(value)}
        </span>
      ))}
      <span class={signClass(change)}>{signedPercent(change)}</span>
    </p>
  )
}
