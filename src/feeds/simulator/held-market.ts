/**
 * The market that an earlier run left in the folder, as the simulator asks for it: src/app/feeds reads it out of
 * the engine, so that a feed knows nothing of one. Nothing here waits for the disk.
 */
export interface HeldMarket {
  readonly seq: number
  readonly newestSlot: number
  readonly newestEventSeconds: number
  readonly solPriceUsd: number
  readonly tokenCount: number

  /** Up to `rows` tokens at the head of each table. */
  boardTokens(rows: number): number[]
  /** How often tokens and wallets are among the `most` newest swaps in memory; yields now and then. */
  recentAttention(most: number): Generator<void, RecentAttention>
  /** Token of a quote's number; -1: it is none. */
  tokenOfQuote(quote: number): number
  /** null: its creation was not seen. */
  read(token: number): HeldToken | null
  /** What its traders have paid into the curve, less what they got out, raw; -1 when that cannot be seen. */
  paidIn(token: number): number
  /** Do its newest swaps pay the creator's fee back to the traders? */
  paysBack(token: number): boolean
  balanceOf(token: number, wallet: number): number
  /** Holders among those who came last, the newest first; none while the token is dormant. */
  holdersOf(token: number, most: number): HeldPosition[]
}

/** A token whose creation was seen, as the engine has it. Amounts are raw; wallets and tokens are rows. */
export interface HeldToken {
  readonly token: number
  readonly mint: string
  readonly bondingCurve: string
  readonly creator: string
  readonly creatorWallet: number
  readonly decimals: number
  /** Where its metadata are said to be; '' for none. */
  readonly uri: string
  /** Number of what it is quoted in (`Quotes`). */
  readonly quote: number
  readonly isMayhem: boolean
  readonly isComplete: boolean
  readonly isMigrated: boolean
  readonly poolAmm: string
  readonly virtualBase: number
  readonly virtualQuote: number
  readonly realBase: number
  readonly supply: number
  readonly swaps: number
}

/** A wallet and what it holds of a token, raw. */
export interface HeldPosition {
  readonly wallet: number
  readonly balance: number
}

/** How often each token, and each wallet, is among the newest swaps that are in memory. */
export interface RecentAttention {
  readonly tokens: ReadonlyMap<number, number>
  readonly wallets: ReadonlyMap<number, number>
}
