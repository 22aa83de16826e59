import { LRUCache } from 'lru-cache'
import type { FeedCounters } from '../feed-counters.ts'
import { isCoinMint } from './layouts/programs.ts'
import type { TokenBalanceChange } from './transactions/transaction.ts'

/** Coins that others are quoted in; past it the one that was asked for longest ago is forgotten. */
const COINS_MAX = 10_000
/** Highest that an event carries; amounts of a coin with more say nothing. */
const DECIMALS_MAX = 18

/** Decimals of the coins that others are quoted in, as balances and creations of pools tell them. */
export class QuoteDecimals {
  readonly #ofCoin = new LRUCache<string, number>({ max: COINS_MAX })
  readonly #counters: FeedCounters

  constructor(counters: FeedCounters) {
    this.#counters = counters
  }

  /** What is told first of a coin holds. */
  learn(mint: string, decimals: number): void {
    if (!isCoinMint(mint) || this.#ofCoin.has(mint)) return
    if (decimals <= DECIMALS_MAX) this.#ofCoin.set(mint, decimals)
    else this.#counters.badDecimals++
  }

  /** Key of an event with the decimals of its quote; empty where the quote is no coin, or nobody told. */
  keyOf(
    quoteMint: string | null | undefined,
    balances: readonly TokenBalanceChange[],
  ): { readonly quoteDecimals?: number } {
    if (quoteMint === null || quoteMint === undefined || !isCoinMint(quoteMint)) return {}
    if (!this.#ofCoin.has(quoteMint)) {
      const told = balances.find(
        ({ mint, decimals }) => mint === quoteMint && decimals !== undefined,
      )
      if (told?.decimals !== undefined) this.learn(quoteMint, told.decimals)
    }
    const quoteDecimals = this.#ofCoin.get(quoteMint)
    return quoteDecimals === undefined ? {} : { quoteDecimals }
  }
}
