import { LRUCache } from 'lru-cache'
import { USDC_MINT } from '../../events/platform.ts'
import type { FeedCounters } from '../feed-counters.ts'
import { canonicalPoolAddress } from './layouts/program-address.ts'
import { isCoinMint, isSolMint, WRAPPED_SOL_MINT } from './layouts/programs.ts'
import type { TokenBalanceChange } from './transactions/transaction.ts'

/** Pools that are remembered, three months of migrations; the cache allocates all of it at once. */
const POOLS_MAX = 100_000
/** What pools are quoted in, nearly all of them: tried first. */
const QUOTES: readonly string[] = [WRAPPED_SOL_MINT, USDC_MINT]
/** Addresses derived for one pool that holds more than its two mints, 0.6 ms each. */
const TRIES_MAX = 16
/** Of what it holds, mints that may be a coin of the platform, as base and as quote. */
const COINS_TRIED_MAX = 16

/** The mint that a pool trades, and what it is quoted in. */
export interface PoolMint {
  readonly mint: string
  /** null: nobody said. */
  readonly quoteMint: string | null
}

type PoolLookup =
  | ({ readonly found: 'mint' } & PoolMint)
  | { readonly found: 'foreign' | 'nothing' }

const FOREIGN: PoolLookup = { found: 'foreign' }
const NOTHING: PoolLookup = { found: 'nothing' }

/**
 * Which mint a pool trades, and in what: AMM events name the pool only. A mint counts through the one
 * pool its migration makes; anybody can open others, with any mints and any price, and these are foreign.
 */
export class PoolMints {
  readonly #pools = new LRUCache<string, PoolLookup>({ max: POOLS_MAX })

  /** The pool is the one of this mint (a migration said so). */
  learn(pool: string, { mint, quoteMint }: PoolMint): void {
    this.#pools.set(pool, { found: 'mint', mint, quoteMint })
  }

  /** A pool was created by anybody; whose it is follows from its address. */
  learnCreated(pool: string, mint: string, quoteMint: string): void {
    if (this.lookup(pool).found === 'mint') return
    if (canonicalPoolAddress(mint, quoteMint) === pool) this.learn(pool, { mint, quoteMint })
    else this.#pools.set(pool, FOREIGN)
  }

  lookup(pool: string): PoolLookup {
    return this.#pools.get(pool) ?? NOTHING
  }

  /**
   * As `lookup`, and asks the balances of the transaction about a pool not seen yet: the pool owns
   * its two accounts, so both mints are there, and its address says whether it is the right one.
   */
  lookupIn(pool: string, balances: readonly TokenBalanceChange[]): PoolLookup {
    const known = this.lookup(pool)
    if (known.found !== 'nothing') return known
    const mints = balances.filter((change) => change.owner === pool).map((change) => change.mint)
    if (mints.length > 2) this.#tryPairs(pool, mints)
    const [first, second, third] = mints
    if (first === undefined || second === undefined || third !== undefined) return this.lookup(pool)
    const [mint, quoteMint] = isSolMint(first) ? [second, first] : [first, second]
    this.learnCreated(pool, mint, quoteMint)
    if (this.lookup(pool).found === 'foreign') this.learnCreated(pool, quoteMint, mint)
    return this.lookup(pool)
  }

  /** Anybody can send a pool other tokens, and so hide its mints among them. */
  #tryPairs(pool: string, mints: readonly string[]): void {
    const coins = mints.filter((mint) => !QUOTES.includes(mint)).slice(0, COINS_TRIED_MAX)
    const quotes = [...QUOTES.filter((quote) => mints.includes(quote)), ...coins]
    const pairs = quotes.flatMap((quoteMint) =>
      coins.flatMap((mint) => (mint === quoteMint ? [] : [{ mint, quoteMint }])),
    )
    const own = pairs
      .slice(0, TRIES_MAX)
      .find(({ mint, quoteMint }) => canonicalPoolAddress(mint, quoteMint) === pool)
    if (own !== undefined) this.learn(pool, own)
  }
}

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

  /** What comes first of a coin holds. */
  learn(mint: string, decimals: number): void {
    if (!isCoinMint(mint) || this.#ofCoin.has(mint)) return
    if (decimals <= DECIMALS_MAX) this.#ofCoin.set(mint, decimals)
    else this.#counters.badDecimals++
  }

  /** Key of an event with the decimals of its quote; empty where the quote is no coin, or nobody gave. */
  keyOf(
    quoteMint: string | null | undefined,
    balances: readonly TokenBalanceChange[],
  ): { readonly quoteDecimals?: number } {
    if (quoteMint === null || quoteMint === undefined || !isCoinMint(quoteMint)) return {}
    if (!this.#ofCoin.has(quoteMint)) {
      const known = balances.find(
        ({ mint, decimals }) => mint === quoteMint && decimals !== undefined,
      )
      if (known?.decimals !== undefined) this.learn(quoteMint, known.decimals)
    }
    const quoteDecimals = this.#ofCoin.get(quoteMint)
    return quoteDecimals === undefined ? {} : { quoteDecimals }
  }
}
