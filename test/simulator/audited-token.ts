import type { TokenCreated } from '../../src/engine/event.ts'
import { Flag } from '../../src/engine/swap-record.ts'
import { TIERS_FROM_FACTS } from './fee-facts.ts'

const AGENT = 'BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s'
const INITIAL_BASE = 1_073_000_000_000_000n
const INITIAL_REAL_BASE = 793_100_000_000_000n
const POOL_BASE = 206_900_000_000_000n

export interface AuditedSwap {
  readonly flags: number
  readonly signer: string
  readonly pool: string
  readonly base: bigint
  readonly quote: bigint
  readonly virtualBase: bigint
  readonly virtualQuote: bigint
  readonly realBase: bigint
  readonly platformFee: bigint
  readonly creatorFee: bigint
  readonly supply: bigint
  readonly balanceBefore: bigint
  readonly balanceAfter: bigint
}

/** One token as the platform's rules have it, in BigInt. */
export class AuditedToken {
  readonly isUsdc: boolean
  readonly isMayhem: boolean
  lastWasAgent = false
  trades = 0
  isComplete = false
  isMigrated = false
  #base: bigint
  #quote: bigint
  #realBase: bigint
  #pool: string
  readonly #launchQuote: bigint
  readonly #holdings = new Map<string, bigint>()

  constructor(event: TokenCreated) {
    this.isUsdc = event.quoteMint !== undefined
    this.isMayhem = event.isMayhemMode
    this.#base = event.virtualBaseRaw
    this.#quote = event.virtualQuoteRaw
    this.#realBase = event.realBaseRaw
    this.#launchQuote = event.virtualQuoteRaw
    this.#pool = event.bondingCurve
    must(this.#base === INITIAL_BASE && this.#realBase === INITIAL_REAL_BASE, 'initial base')
    must(this.#quote === (this.isUsdc ? 4_292_000_000n : 30_000_000_000n), 'initial quote')
  }

  complete(): void {
    must(this.#realBase === 0n && !this.isComplete, 'complete without the last base')
    this.isComplete = true
  }

  migrate(pool: string): void {
    must(this.isComplete && !this.isMigrated, 'migrated without being complete')
    this.isMigrated = true
    this.#pool = pool
    this.#quote -= this.#launchQuote + (this.isUsdc ? 2_150_000n : 15_000_001n)
    this.#base = POOL_BASE
    this.#realBase = POOL_BASE
    // 84.99036 SOL and whatever rounding left in the curve, some lamports a trade.
    const excess = this.#quote - 84_990_359_056n
    if (!this.isUsdc) must(excess >= 0n && excess < 10_000n, `pool of ${this.#quote}`)
  }

  swap(swap: AuditedSwap): void {
    const isSell = (swap.flags & Flag.sell) !== 0
    must(swap.pool === this.#pool, 'pool')
    must(swap.base > 0n && swap.quote > 0n, 'amounts above zero')
    must(this.isComplete === this.isMigrated, 'no trade between completion and migration')
    must(((swap.flags & Flag.amm) !== 0) === this.isMigrated, 'AMM flag')
    must(((swap.flags & Flag.supplyGiven) !== 0) === this.isMayhem, 'supply flag')
    if (this.isMayhem) must(swap.supply === 2_000_000_000_000_000n, 'mayhem supply')
    this.lastWasAgent = swap.signer === AGENT
    const liquidityFee = this.#fees(swap)
    if (isSell) this.#sell(swap, liquidityFee)
    else this.#buy(swap, liquidityFee)
    must(swap.virtualBase === this.#base && swap.virtualQuote === this.#quote, 'reserves')
    must(swap.realBase === this.#realBase && this.#realBase >= 0n, 'real base')
    must(this.isMigrated || this.#quote >= this.#launchQuote, 'real quote below zero')
    this.trades++
  }

  #buy(swap: AuditedSwap, liquidityFee: bigint): void {
    const isLast = !this.isMigrated && swap.base === this.#realBase
    const exact = (this.#base * swap.quote) / (this.#quote + swap.quote)
    if (isLast) {
      const left = this.#base - swap.base
      must(swap.quote === (this.#quote * swap.base + left - 1n) / left, 'price of the rest')
    } else must(swap.base === exact, 'base bought')
    this.#base -= swap.base
    this.#realBase -= swap.base
    this.#quote += swap.quote + liquidityFee
    const before = this.#holdings.get(swap.signer) ?? 0n
    if ((swap.flags & Flag.balanceBeforeGiven) !== 0) {
      must(swap.balanceBefore === before && swap.balanceAfter === before + swap.base, 'balances')
    }
    this.#holdings.set(swap.signer, before + swap.base)
  }

  #sell(swap: AuditedSwap, liquidityFee: bigint): void {
    must(swap.quote === (this.#quote * swap.base) / (this.#base + swap.base), 'quote fetched')
    const left = (this.#holdings.get(swap.signer) ?? 0n) - swap.base
    must(left >= 0n, 'sold more than it held')
    this.#holdings.set(swap.signer, left)
    this.#base += swap.base
    this.#realBase += swap.base
    this.#quote += liquidityFee - swap.quote
  }

  /** Checks platform and creator fee, returns the liquidity fee. */
  #fees(swap: AuditedSwap): bigint {
    if (!this.isMigrated) {
      must(swap.platformFee === (this.lastWasAgent ? 0n : fee(swap.quote, 950n)), 'platform fee')
      must(swap.creatorFee === (this.lastWasAgent ? 0n : fee(swap.quote, 300n)), 'creator fee')
      return 0n
    }
    const scale = this.isUsdc ? 1e9 / (59_000 / 420) : 1e6
    const capSol = (Number(this.#quote) / Number(this.#base)) * scale
    const tier = TIERS_FROM_FACTS.findLast(([minSol]) => capSol >= minSol)
    if (tier === undefined) throw new Error('no tier')
    must(swap.platformFee === fee(swap.quote, BigInt(tier[2] * 10)), 'platform fee of the tier')
    must(swap.creatorFee === fee(swap.quote, BigInt(tier[3] * 10)), 'creator fee of the tier')
    return fee(swap.quote, BigInt(tier[1] * 10))
  }
}

function fee(amount: bigint, tenthBps: bigint): bigint {
  return (amount * tenthBps + 99_999n) / 100_000n
}

function must(holds: boolean, rule: string): void {
  if (!holds) throw new Error(`broken: ${rule}`)
}
