import type { TableRow } from '../../../client/src/mintfeed.ts'
import { WALLET_CLASSES } from './wallet-classes.ts'

/** Who holds how much of a token's supply, as a row of the board tells it. */
export interface HoldingShare {
  readonly mark: string
  readonly name: string
  /** What makes a wallet one of these. */
  readonly why: string
  readonly read: (row: TableRow) => number
  /** Percent from which on it is marked; null: never. */
  readonly high: number | null
}

const { creator, sniper, insider, bundler, fresh, pro } = WALLET_CLASSES

/** In the order of a row. */
export const HOLDING_SHARES: readonly HoldingShare[] = [
  {
    mark: 'T10',
    name: 'Ten largest holders',
    why: 'the ten wallets that hold most',
    read: (row) => row.top_10_percent,
    high: 50,
  },
  { ...creator, name: 'Creator', read: (row) => row.creator_holding, high: 10 },
  { ...sniper, name: 'Snipers', read: (row) => row.snipers_holding, high: 15 },
  { ...insider, name: 'Insiders', read: (row) => row.insiders_holding, high: 10 },
  { ...bundler, name: 'Bundlers', read: (row) => row.bundle_holding, high: 15 },
  { ...fresh, name: 'Fresh wallets', read: (row) => row.fresh_wallets_holding, high: 40 },
  { ...pro, name: 'Pro traders', read: (row) => row.pro_traders_holding, high: null },
]
