import { mulDivFloor } from '../../../base/muldiv.ts'
import {
  BPS_PER_WHOLE,
  COIN_TIER,
  CURVE_CREATOR_BPS,
  CURVE_PLATFORM_BPS,
  feeOf,
  TIER_CREATOR_BPS,
  TIER_LIQUIDITY_BPS,
  TIER_MIN_SOL,
  TIER_MIN_USDC,
  TIER_PLATFORM_BPS,
  tierOf,
} from './fees.ts'
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

  /** What the far hop of a route keeps of an amount of the coin that its token is quoted in. */
  farFee(row: number, quoteRaw: number): number {
    return feeOf(quoteRaw, this.#coinCreatorBps(row)) + feeOf(quoteRaw, this.#coinLiquidityBps(row))
  }

  /** The largest amount that a far hop can buy for with `grossRaw` of the coin, fees within. */
  netOfFar(row: number, grossRaw: number): number {
    const bps = this.#coinCreatorBps(row) + this.#coinLiquidityBps(row)
    let net = mulDivFloor(grossRaw, BPS_PER_WHOLE, BPS_PER_WHOLE + bps)
    while (net > 0 && net + this.farFee(row, net) > grossRaw) net--
    return net
  }

  /** The same for a swap that pays all fees in the coin. */
  netOfAll(row: number, grossRaw: number): number {
    const platformBps = this.#coinPlatformBps(row)
    const bps = platformBps + this.#coinCreatorBps(row) + this.#coinLiquidityBps(row)
    let net = mulDivFloor(grossRaw, BPS_PER_WHOLE, BPS_PER_WHOLE + bps)
    while (net > 0 && net + this.farFee(row, net) + feeOf(net, platformBps) > grossRaw) net--
    return net
  }

  #coinPlatformBps(row: number): number {
    return this.#tokens.has(row, Trait.amm) ? TIER_PLATFORM_BPS[COIN_TIER] : CURVE_PLATFORM_BPS
  }

  #coinCreatorBps(row: number): number {
    return this.#tokens.has(row, Trait.amm) ? TIER_CREATOR_BPS[COIN_TIER] : CURVE_CREATOR_BPS
  }

  #coinLiquidityBps(row: number): number {
    return this.#tokens.has(row, Trait.amm) ? TIER_LIQUIDITY_BPS[COIN_TIER] : 0
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
    const tier = tierOf(cap, isUsdc ? TIER_MIN_USDC : TIER_MIN_SOL, ints[at])
    ints[at] = tier
    return tier
  }
}
