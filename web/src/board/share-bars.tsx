import type { TableRow } from '../../../client/src/mintfeed.ts'
import { exact, share } from '../text/number-form.ts'

/** Class shares of a row: what they are called, where they stand, from where on they are marked. */
const SHARES = [
  ['T10', 'Ten largest holders', (row: TableRow) => row.top_10_percent, 50],
  ['DEV', 'Creator', (row: TableRow) => row.creator_holding, 10],
  ['SNP', 'Snipers', (row: TableRow) => row.snipers_holding, 15],
  ['INS', 'Insiders', (row: TableRow) => row.insiders_holding, 10],
  ['BND', 'Bundlers', (row: TableRow) => row.bundle_holding, 15],
  ['FRS', 'Fresh wallets', (row: TableRow) => row.fresh_wallets_holding, 40],
  ['PRO', 'Pro traders', (row: TableRow) => row.pro_traders_holding, 101],
] as const

/** Who holds how much of the supply, as small bars; a high one is marked. */
export function ShareBars({ row }: { readonly row: TableRow }) {
  return (
    <span class="shares">
      {SHARES.map(([short, name, read, high]) => {
        const value = read(row)
        return (
          <span
            key={short}
            class={value >= high ? 'share high' : value === 0 ? 'share none' : 'share'}
            title={`${name}: ${exact(value)}% of the supply`}
          >
            <span class="label">{short}</span>
            <b data-cell={short}>{share(value)}</b>
            <i style={{ '--part': String(value / 100) }} />
          </span>
        )
      })}
    </span>
  )
}
