import { mulDivCeil, mulDivFloor } from '../../../base/u64.ts'
import { A, type SwapWriter } from './swap-writer.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'

const LAMPORTS_PER_SOL = 1e9
const MICRO_PER_USDC = 1e6

/** Which fees a swap pays: the mayhem agent pays none, a hop of a route its part. */
export const FeePart = {
  none: 0,
  /** To the platform: the hop of a route in the trader's own currency. */
  platform: 1,
  /** To creator and liquidity providers: the far hop. */
  far: 2,
  all: 3,
} as const

/** What a swap costs beside its amount, at the rates that hold before it. */
export class FeeSchedule {
  readonly #tokens: TokenTable
  readonly #writer: SwapWriter

  constructor(parts: { readonly tokens: TokenTable; readonly writer: SwapWriter }) {
    this.#tokens = parts.tokens
    this.#writer = parts.writer
  }

  /** Puts the fees of `amounts[A.quote]` into the writer's lanes. */
  set(row: number, parts: number): void {
    const amounts = this.#writer.amounts
    const traits = this.#tokens.ints[row * TOKEN_INTS + I.traits]
    let platformBps = CURVE_PLATFORM_BPS
    let creatorBps = CURVE_CREATOR_BPS
    let liquidityBps = 0
    if ((traits & Trait.amm) !== 0) {
      const tier = this.#tier(row, traits)
      platformBps = TIER_PLATFORM_BPS[tier]
      creatorBps = TIER_CREATOR_BPS[tier]
      liquidityBps = TIER_LIQUIDITY_BPS[tier]
    }
    const isFar = (parts & FeePart.far) !== 0
    const isCashback = (traits & Trait.cashback) !== 0
    amounts[A.cashback] = 0
    amounts[A.creatorFee] = 0
    this.#put(A.platformFee, (parts & FeePart.platform) !== 0 ? platformBps : 0)
    this.#put(isCashback ? A.cashback : A.creatorFee, isFar ? creatorBps : 0)
    this.#put(A.liquidityFee, isFar ? liquidityBps : 0)
  }

  /** From lane to lane, so that no amount is boxed on its way. */
  #put(lane: number, bps: number): void {
    const amounts = this.#writer.amounts
    amounts[lane] = bps === 0 ? 0 : feeOf(amounts[A.quote], bps)
  }

  /** Fees of the far hop of a route for an amount of the coin that its token is quoted in. */
  farFee(row: number, quoteRaw: number): number {
    const { creatorBps, liquidityBps } = this.#coinRates(row)
    return feeOf(quoteRaw, creatorBps) + feeOf(quoteRaw, liquidityBps)
  }

  /** The largest amount that a far hop can buy for with `grossRaw` of the coin, fees within. */
  netOfFar(row: number, grossRaw: number): number {
    return this.#netOf(row, grossRaw, 0)
  }

  /** The same for a swap that pays all fees in the coin. */
  netOfAll(row: number, grossRaw: number): number {
    return this.#netOf(row, grossRaw, this.#coinRates(row).platformBps)
  }

  #netOf(row: number, grossRaw: number, platformBps: number): number {
    const { creatorBps, liquidityBps } = this.#coinRates(row)
    const bps = platformBps + creatorBps + liquidityBps
    let net = mulDivFloor(grossRaw, BPS_PER_WHOLE, BPS_PER_WHOLE + bps)
    while (net > 0 && net + this.farFee(row, net) + feeOf(net, platformBps) > grossRaw) net--
    return net
  }

  /** Of a pool or a curve that is quoted in a coin. */
  #coinRates(row: number): { platformBps: number; creatorBps: number; liquidityBps: number } {
    const isAmm = this.#tokens.has(row, Trait.amm)
    return {
      platformBps: isAmm ? TIER_PLATFORM_BPS[COIN_TIER] : CURVE_PLATFORM_BPS,
      creatorBps: isAmm ? TIER_CREATOR_BPS[COIN_TIER] : CURVE_CREATOR_BPS,
      liquidityBps: isAmm ? TIER_LIQUIDITY_BPS[COIN_TIER] : 0,
    }
  }

  #tier(row: number, traits: number): number {
    if ((traits & Trait.coin) !== 0) return COIN_TIER
    const { lanes, ints } = this.#tokens
    const lane = row * TOKEN_LANES
    const at = row * TOKEN_INTS + I.tier
    const isUsdc = (traits & Trait.usdc) !== 0
    const capRaw =
      (lanes[lane + T.virtualQuote] / lanes[lane + T.virtualBase]) * lanes[lane + T.supply]
    const cap = capRaw / (isUsdc ? MICRO_PER_USDC : LAMPORTS_PER_SOL)
    const tier = tierOf(cap, isUsdc, ints[at])
    ints[at] = tier
    return tier
  }
}

/**
 * Trading fees, in whole basis points as on chain; each fee is rounded up by itself. Whether the program
 * holds a fee on the curve or in the pool, or pays it out with the trade, changes no amount and no reserve.
 */

const BPS_PER_WHOLE = 10_000

const CURVE_PLATFORM_BPS = 95
const CURVE_CREATOR_BPS = 30

/**
 * The pool's tiers as of October 2026 (FeeConfig account 5PHirr8joyTMp9JMm6nW7hNDVyEYdkzDqazxPD7RaTjx):
 * lowest market cap in SOL, lowest market cap in USDC, then bps to liquidity, platform and creator. Of the
 * USDC table only the first threshold was read; the others stand in the same ratio to it, in whole thousands.
 */
export const TIERS: readonly (readonly [number, number, number, number, number])[] = [
  [0, 0, 2, 93, 30],
  [420, 59_000, 20, 5, 95],
  [1470, 207_000, 20, 5, 90],
  [2460, 346_000, 20, 5, 85],
  [3440, 483_000, 20, 5, 80],
  [4420, 621_000, 20, 5, 75],
  [9820, 1_379_000, 20, 5, 70],
  [14740, 2_071_000, 20, 5, 65],
  [19650, 2_760_000, 20, 5, 60],
  [24560, 3_450_000, 20, 5, 55],
  [29470, 4_140_000, 20, 5, 50],
  [34380, 4_830_000, 20, 5, 45],
  [39300, 5_521_000, 20, 5, 40],
  [44210, 6_210_000, 20, 5, 35],
  [49120, 6_900_000, 20, 5, 30],
  [54030, 7_590_000, 20, 5, 28],
  [58940, 8_280_000, 20, 5, 25],
  [63860, 8_971_000, 20, 5, 23],
  [68770, 9_661_000, 20, 5, 20],
  [73681, 10_350_000, 20, 5, 18],
  [78590, 11_040_000, 20, 5, 15],
  [83500, 11_730_000, 20, 5, 13],
  [88400, 12_418_000, 20, 5, 10],
  [93330, 13_111_000, 20, 5, 8],
  [98240, 13_800_000, 20, 5, 5],
]

/** By tier: lowest market cap in SOL or in USDC. The entry after the last is never reached. */
const TIER_MIN_SOL = Float64Array.from([...TIERS.map((tier) => tier[0]), Infinity])
const TIER_MIN_USDC = Float64Array.from([...TIERS.map((tier) => tier[1]), Infinity])
/**
 * Rates by tier. The entry after the last tier is that of pools quoted in a coin: the chain has a flat
 * rate for them, whose value was not read.
 */
const COIN_TIER = TIERS.length
const TIER_LIQUIDITY_BPS = Float64Array.from([...TIERS.map((tier) => tier[2]), 20])
const TIER_PLATFORM_BPS = Float64Array.from([...TIERS.map((tier) => tier[3]), 5])
const TIER_CREATOR_BPS = Float64Array.from([...TIERS.map((tier) => tier[4]), 5])

/** The tier of a market cap, searched from the tier the pool was in, which is most often right. */
export function tierOf(marketCap: number, isUsdc: boolean, lastTier: number): number {
  const minimums = isUsdc ? TIER_MIN_USDC : TIER_MIN_SOL
  let tier = lastTier
  while (marketCap >= minimums[tier + 1]) tier++
  while (marketCap < minimums[tier]) tier--
  return tier
}

/** ceil(amount * rate), exact for any amount of a token. */
export function feeOf(amountRaw: number, bps: number): number {
  const product = amountRaw * bps
  // Below 2^53 the product is exact, and the quotient, below 2^40, has steps finer than the 1e-4 that
  // can lie between it and an integer.
  if (product <= Number.MAX_SAFE_INTEGER) return Math.ceil(product / BPS_PER_WHOLE)
  return mulDivCeil(amountRaw, bps, BPS_PER_WHOLE)
}
