import type { TableRow } from '../../../client/src/mintfeed.ts'
import { HOLDING_SHARES } from '../parts/holding-shares.ts'
import { exact, share } from '../text/number-form.ts'

/** Who holds how much of the supply, as small bars; a high one is marked. */
export function ShareBars({ row }: { readonly row: TableRow }) {
  return (
    <span class="shares">
      {HOLDING_SHARES.map(({ mark, name, read, high }) => {
        const value = read(row)
        const isHigh = high !== null && value >= high
        return (
          <span
            key={mark}
            class={isHigh ? 'share high' : value === 0 ? 'share none' : 'share'}
            title={`${name}: ${exact(value)}% of the supply`}
          >
            <span class="label">{mark}</span>
            <b data-cell={mark}>{share(value)}</b>
            <i style={{ '--part': String(value / 100) }} />
          </span>
        )
      })}
    </span>
  )
}
