import type { TableRow } from '../../client/src/mintfeed.ts'
import {
  compact,
  completion,
  money,
  share,
  signedPercent,
  usd,
} from '../../web/src/text/number-form.ts'

/** What the cells of a row have to show, by the API's row. */
export function expectedCells(row: TableRow): Readonly<Record<string, string>> {
  const graduated = row.creator_completed_pools
  const created = graduated + row.creator_completing_pools
  return {
    cap: usd(row.market_cap),
    holders: compact(row.holders),
    change: signedPercent(row.windows?.['24h'].price_change_pct ?? Number.NaN),
    traders: compact(row.windows?.['24h'].traders ?? Number.NaN),
    buys: compact(row.tx_24h_buy),
    sells: compact(row.tx_24h_sell),
    creator: `${compact(graduated)}/${compact(created)}`,
    volume: money(row.vol_24h),
    progress: completion(row.pct_completion),
    T10: share(row.top_10_percent),
    DEV: share(row.creator_holding),
    SNP: share(row.snipers_holding),
    INS: share(row.insiders_holding),
    BND: share(row.bundle_holding),
    FRS: share(row.fresh_wallets_holding),
    PRO: share(row.pro_traders_holding),
  }
}
