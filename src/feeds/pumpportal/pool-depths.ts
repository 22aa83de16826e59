import { LRUCache } from 'lru-cache'

/** Pools whose depth is remembered; of others that of the platform's pools at their opening is taken. */
const MINTS_MAX = 20_000
/** The square root of the product of the reserves that pools opened with until October 2026: 206.9M tokens, 84.99 SOL. */
const OPENING_DEPTH = Math.sqrt(206_900_000_000_000 * 84_990_359_057)
/** Trades of less are no price: fees and rounding are too much of them. */
const PRICED_QUOTE_RAW_MIN = 10_000_000n
/** Amounts of the chain have 64 bits. */
const RESERVE_RAW_MAX = 2 ** 63

/** Raw reserves of a pool. */
export interface PoolReserves {
  readonly baseRaw: bigint
  readonly quoteRaw: bigint
}

const UNKNOWN: PoolReserves = { baseRaw: 0n, quoteRaw: 0n }

/**
 * Reserves for trades that do not tell them: at the price that the trade paid, fees in it, and on the curve of constant
 * product on which the pool was told to be last. The price is the trade's; the liquidity that follows is an estimate.
 */
export class PoolDepths {
  readonly #depths = new LRUCache<string, number>({ max: MINTS_MAX })

  /** The reserves of a mint's pool were told. */
  told(mint: string, { baseRaw, quoteRaw }: PoolReserves): void {
    const depth = Math.sqrt(Number(baseRaw) * Number(quoteRaw))
    if (depth > 0) this.#depths.set(mint, depth)
  }

  /** A trade of these amounts; zeros, which leave the price as it is, where they make none. */
  after(mint: string, baseRaw: bigint, quoteRaw: bigint): PoolReserves {
    if (baseRaw === 0n || quoteRaw < PRICED_QUOTE_RAW_MIN) return UNKNOWN
    const depth = this.#depths.get(mint) ?? OPENING_DEPTH
    const root = Math.sqrt(Number(quoteRaw) / Number(baseRaw))
    const base = Math.round(depth / root)
    const quote = Math.round(depth * root)
    const isPossible = base > 0 && quote > 0 && base < RESERVE_RAW_MAX && quote < RESERVE_RAW_MAX
    return isPossible ? { baseRaw: BigInt(base), quoteRaw: BigInt(quote) } : UNKNOWN
  }
}
