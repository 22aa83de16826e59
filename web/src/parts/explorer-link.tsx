import type { ComponentChildren } from 'preact'
import type { Swap } from '../../../client/src/mintfeed.ts'
import { IS_SIMULATED } from '../frame/market.ts'
import { parseTime } from '../text/time-form.ts'
import { TimeAgo } from './time-ago.tsx'

const EXPLORER_URL = 'https://solscan.io'

interface OnChain {
  readonly kind: 'tx' | 'account' | 'token'
  /** Its signature or address. */
  readonly name: string
}

/** How long ago a trade was, as a link to its transaction; without one where the market is made up. */
export function TradeAge({ swap: { timestamp, signature } }: { readonly swap: Swap }) {
  const since = <TimeAgo seconds={parseTime(timestamp) ?? 0} />
  if (IS_SIMULATED) return since
  return (
    <ForeignLink kind="tx" name={signature} style="link">
      {since}
    </ForeignLink>
  )
}

/** Leads to a wallet or token on an explorer of the chain; nothing where the market is made up. */
export function ExplorerButton({ kind, name }: OnChain) {
  if (IS_SIMULATED) return null
  return (
    <ForeignLink kind={kind} name={name} style="button edge">
      SCAN <span aria-hidden="true">↗</span>
    </ForeignLink>
  )
}

/** Whoever is behind it learns nothing of this page. */
function ForeignLink({
  kind,
  name,
  style,
  children,
}: OnChain & { readonly style: string; readonly children: ComponentChildren }) {
  return (
    <a
      class={style}
      href={`${EXPLORER_URL}/${kind}/${encodeURIComponent(name)}`}
      target="_blank"
      rel="noopener noreferrer nofollow"
    >
      {children}
      <span class="unseen">(opens a foreign page)</span>
    </a>
  )
}
