import type { TableRow, Window } from '../../../client/src/mintfeed.ts'

/** What a row shows of a window. */
export interface WindowFigures {
  readonly priceChangePct: number
  readonly volumeUsd: number
  readonly volumeBuyUsd: number
  readonly volumeSellUsd: number
  readonly buys: number
  readonly sells: number
  readonly traders: number
}

/** Not finite: shown as a dash. */
const UNKNOWN: WindowFigures = {
  priceChangePct: Number.NaN,
  volumeUsd: Number.NaN,
  volumeBuyUsd: Number.NaN,
  volumeSellUsd: Number.NaN,
  buys: Number.NaN,
  sells: Number.NaN,
  traders: Number.NaN,
}

/** What the API tells of a token's windows, in rows and details alike. */
type Windowed = Pick<
  TableRow,
  'windows' | 'vol_24h' | 'vol_24_buy' | 'vol_24_sell' | 'tx_24h_buy' | 'tx_24h_sell'
>

/** Figures of a window. Those of the day that every row has are there also where the service cannot read its windows. */
export function windowFigures(row: Windowed, window: Window): WindowFigures {
  const read = row.windows?.[window]
  const figures: WindowFigures =
    read === undefined
      ? UNKNOWN
      : {
          priceChangePct: read.price_change_pct,
          volumeUsd: read.volume_usd,
          volumeBuyUsd: read.volume_buy_usd,
          volumeSellUsd: read.volume_sell_usd,
          buys: read.buys,
          sells: read.sells,
          traders: read.traders,
        }
  if (window !== '24h') return figures
  return {
    ...figures,
    volumeUsd: row.vol_24h,
    volumeBuyUsd: row.vol_24_buy,
    volumeSellUsd: row.vol_24_sell,
    buys: row.tx_24h_buy,
    sells: row.tx_24h_sell,
  }
}
