import { LRUCache } from 'lru-cache'
import { canonicalPoolAddress } from './program-address.ts'
import { isSolMint } from './programs.ts'
import type { TokenBalanceChange } from './transaction.ts'

/** Pools that are remembered, three months of migrations; the cache allocates all of it at once. */
const POOLS_MAX = 100_000

/** The mint that a pool trades, and what it is quoted in. */
export interface PoolMint {
  readonly mint: string
  /** null: nobody said. */
  readonly quoteMint: string | null
}

export type PoolLookup =
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
    if (mints.length !== 2) return known
    const [mint, quoteMint] = isSolMint(mints[0]) ? [mints[1], mints[0]] : mints
    this.learnCreated(pool, mint, quoteMint)
    if (this.lookup(pool).found === 'foreign') this.learnCreated(pool, quoteMint, mint)
    return this.lookup(pool)
  }
}
