import type { Page } from '../protocol/queries.ts'
import type { SwapCursor } from '../protocol/requests/pages.ts'

/** Reads beyond the specification's, each at the clock's now (docs/live.md, "Additive reads"). */
export interface TokenReads {
  /**
   * Looks for what `detail` reads for as long as `mayGoOn` says; false: it lies on the disk, to be called
   * again in a later turn. True: `detail` has it at once.
   */
  hasFoundDetail(mint: string, mayGoOn: () => boolean): boolean
  /** TokenDetail; null for a mint nobody knows. */
  detail(mint: string): string | null
  /** As `hasFoundDetail`, for `holders`: of many traders it is read one by one what they hold. */
  hasFoundHolders(mint: string, mayGoOn: () => boolean): boolean
  /** Wallets that hold the token, largest first. */
  holders(mint: string, page: Page): string
  /** As `hasFoundHolders`, for `firstBuyers`. */
  hasFoundFirstBuyers(mint: string, mayGoOn: () => boolean): boolean
  /** Wallets that bought, in order of their first buy. */
  firstBuyers(mint: string, page: Page): string
  /** As `hasFoundDetail`, for `swapsFrom`. */
  hasFoundSwapsFrom(
    mint: string,
    wallet: string | null,
    cursor: SwapCursor,
    mayGoOn: () => boolean,
  ): boolean
  /** Swaps behind a cursor; null when the cursor is of no swap of the mint. */
  swapsFrom(mint: string, wallet: string | null, cursor: SwapCursor): string | null
  /** Name, symbol and present price of a token; null for a mint nobody knows. */
  symbol(mint: string): { name: string; symbol: string; priceUsd: number } | null
  /** Unix seconds of now. */
  now(): number
}
