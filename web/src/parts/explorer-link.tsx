import type { ComponentChildren } from 'preact'
import { IS_SIMULATED } from '../frame/market.ts'

const EXPLORER_URL = 'https://solscan.io'

interface OnChain {
  readonly kind: 'tx' | 'account' | 'token'
  /** Its signature or address. */
  readonly name: string
}

/** What is shown of a transaction, as a link to it; without one where the market is made up. */
export function TransactionLink({
  signature,
  children,
}: {
  readonly signature: string
  readonly children: ComponentChildren
}) {
  if (IS_SIMULATED) return children
  return (
    <ForeignLink kind="tx" name={signature} style="link">
      {children}
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
