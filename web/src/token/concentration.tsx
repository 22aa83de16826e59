import type { TraderRecord } from '../../../client/src/mintfeed.ts'
import { short } from '../text/chain-text.ts'
import { exact, percent } from '../text/number-form.ts'

/** Holders with a part of their own. */
const PARTS = 20

/** How concentrated the supply is: the largest holders side by side, then everybody else. */
export function Concentration({ holders }: { readonly holders: readonly TraderRecord[] }) {
  const largest = holders.slice(0, PARTS)
  const held = largest.reduce((sum, { holding_pct }) => sum + holding_pct, 0)
  return (
    <div
      class="concentration"
      role="img"
      aria-label={`The ${largest.length} largest holders have ${percent(held)} of the supply`}
    >
      {largest.map((holder) => (
        <i
          key={holder.wallet}
          class={isMarked(holder) ? 'marked' : undefined}
          style={{ width: `${holder.holding_pct}%` }}
          title={`${short(holder.wallet)} ${exact(holder.holding_pct)}%`}
        />
      ))}
    </div>
  )
}

function isMarked(holder: TraderRecord): boolean {
  return (
    holder.creator_wallet || holder.sniper_wallet || holder.insider_wallet || holder.bundle_wallet
  )
}
