import type { TokenDetail } from '../../../client/src/mintfeed.ts'
import { exact, percent } from '../text/number-form.ts'

const CLASSES = [
  ['Top 10', (detail: TokenDetail) => detail.top_10_percent],
  ['Creator', (detail: TokenDetail) => detail.creator_holding_pct],
  ['Snipers', (detail: TokenDetail) => detail.snipers_holding],
  ['Insiders', (detail: TokenDetail) => detail.insiders_holding],
  ['Bundlers', (detail: TokenDetail) => detail.bundle_holding],
  ['Fresh', (detail: TokenDetail) => detail.fresh_wallet_holding],
  ['Pro', (detail: TokenDetail) => detail.pro_traders_holding],
] as const

/** Share of the supply by class of wallet. */
export function ClassShares({ detail }: { readonly detail: TokenDetail }) {
  return (
    <dl class="class-shares">
      {CLASSES.map(([name, read]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd title={`${exact(read(detail))}%`}>
            {percent(read(detail))}
            <i class="progress" style={{ '--part': String(read(detail) / 100) }} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
