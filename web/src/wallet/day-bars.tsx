import type { WalletDay } from '../../../client/src/mintfeed.ts'
import { exact, exactUsd, signedMoney } from '../text/number-form.ts'

/** Of the drawing; a day has a part of its width. */
const WIDTH = 300
const HEIGHT = 96
/** Of a day, how much its bar takes. */
const BAR_PART = 0.7
/** A day with a result is seen, however small that is beside the greatest. */
const BAR_MIN = 1

/** What a wallet realised on each day: gains above the line, losses below. */
export function DayBars({ days }: { readonly days: readonly WalletDay[] }) {
  const results = days.map(({ realized_pnl_usd: result }) => result)
  const top = Math.max(0, ...results)
  const bottom = Math.min(0, ...results)
  // Without any result the line stands in the middle.
  const span = top - bottom
  const zero = span === 0 ? HEIGHT / 2 : (top / span) * HEIGHT
  const step = WIDTH / Math.max(1, days.length)
  const sum = results.reduce((all, result) => all + result, 0)
  return (
    <svg
      class="days"
      viewBox={`0 0 ${WIDTH} ${HEIGHT}`}
      preserveAspectRatio="none"
      role="img"
      aria-label={`Realised PnL of ${days.length} days: ${signedMoney(sum)}`}
    >
      <line x1="0" x2={WIDTH} y1={zero} y2={zero} />
      {days.map((day, at) => {
        const { realized_pnl_usd: result } = day
        const size = result === 0 ? 0 : Math.max(BAR_MIN, (Math.abs(result) / span) * HEIGHT)
        return (
          <g key={day.day} data-day={day.day}>
            <title>{dayText(day)}</title>
            {/* The whole day can be pointed at. */}
            <rect class="day" x={at * step} y="0" width={step} height={HEIGHT} />
            <rect
              class={result < 0 ? 'loss' : 'gain'}
              x={at * step + ((1 - BAR_PART) / 2) * step}
              y={result < 0 ? zero : zero - size}
              width={BAR_PART * step}
              height={size}
            />
          </g>
        )
      })}
    </svg>
  )
}

function dayText({ day, realized_pnl_usd, volume_usd, trades }: WalletDay): string {
  return `${day}: ${signedMoney(realized_pnl_usd)} in ${exact(trades)} trades of ${exactUsd(volume_usd)}`
}
