/**
 * feeds/simulator/world: the state of a simulated market, in tables of fixed size, and the way out of it. `TokenTable` has the
 * tokens that trade, `HolderTable` who can sell, `WalletPool` who trades; `TicketPool` and `WatchList` say which token is next,
 * `ChainClock` and `Appointments` when; `SwapWriter` emits swap records and events. Amounts are raw units, in doubles below 2^53.
 */
import type { Random } from '../../../base/random.ts'
import type { TicketPool, WatchList } from './attention.ts'
import type { Appointments, ChainClock } from './chain-clock.ts'
import type { HolderTable } from './holder-table.ts'
import type { SwapWriter } from './swap-writer.ts'
import type { TokenTable } from './token-table.ts'
import type { Interner, WalletPool } from './wallet-pool.ts'

/** What launches, trades and migrations of one market share. */
export interface MarketParts {
  readonly tokens: TokenTable
  readonly tickets: TicketPool
  readonly watched: WatchList
  readonly appointments: Appointments
  readonly holders: HolderTable
  readonly wallets: WalletPool
  readonly clock: ChainClock
  readonly writer: SwapWriter
  readonly book: Interner
  readonly random: Random
}
