import type { AuditedSwap } from './audited-swap.ts'
import { TIERS_FROM_FACTS, usdcThreshold } from './fee-facts.ts'
import { must } from './must.ts'

/** Rates in basis points to liquidity providers, platform and creator. */
type Rates = readonly [number, number, number]

const CURVE: Rates = [0, 95, 30]
/** Pools quoted in a coin: one rate for all. */
const COIN_POOL: Rates = [20, 5, 5]

export interface FeePayer {
  readonly quote: 'sol' | 'usdc' | 'coin'
  readonly isAmm: boolean
  readonly isAgent: boolean
  readonly isCashback: boolean
  readonly base: bigint
  readonly quoteRaw: bigint
  readonly supply: bigint
}

/** Checks all fees of a swap, given what stood before it; returns the one that stays in the pool. */
export function auditFees(swap: AuditedSwap, payer: FeePayer): bigint {
  const isNear = swap.route > 0 && payer.quote !== 'coin'
  const isFar = swap.route > 0 && !isNear
  const [liquidity, platform, creator] = payer.isAgent ? ([0, 0, 0] as const) : ratesOf(payer)
  const platformFee = isFar ? 0n : fee(swap.quote, platform)
  const creatorFee = isNear ? 0n : fee(swap.quote, creator)
  const liquidityFee = isNear ? 0n : fee(swap.quote, liquidity)
  must(swap.platformFee === platformFee, 'platform fee')
  must(swap.creatorFee === (payer.isCashback ? 0n : creatorFee), 'creator fee')
  must(swap.cashback === (payer.isCashback ? creatorFee : 0n), 'cashback')
  must(swap.liquidityFee === liquidityFee, 'liquidity fee')
  return liquidityFee
}

function ratesOf({ quote, isAmm, base, quoteRaw, supply }: FeePayer): Rates {
  if (!isAmm) return CURVE
  if (quote === 'coin') return COIN_POOL
  const capRaw = (quoteRaw * supply) / base
  const tier = TIERS_FROM_FACTS.findLast(([minSol]) => {
    const least =
      quote === 'usdc'
        ? BigInt(usdcThreshold(minSol)) * 1_000_000n
        : BigInt(minSol) * 1_000_000_000n
    return capRaw >= least
  })
  if (tier === undefined) throw new Error('no tier')
  return [tier[1], tier[2], tier[3]]
}

function fee(amount: bigint, bps: number): bigint {
  return (amount * BigInt(bps) + 9_999n) / 10_000n
}
