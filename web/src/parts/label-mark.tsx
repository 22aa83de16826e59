import type { WalletLabel } from '../../../client/src/mintfeed.ts'
import { shown } from '../text/chain-text.ts'

/** What the service's own list calls a wallet; nothing for one that is not in it. */
export function LabelMark({ label }: { readonly label: WalletLabel | null | undefined }) {
  if (label === null || label === undefined) return null
  const tag = label.tag === '' ? '' : `, ${shown(label.tag)}`
  return (
    <span class="mark label-mark" title={`Label of the service: ${shown(label.name)}${tag}`}>
      <bdi>{shown(label.name)}</bdi>
    </span>
  )
}
