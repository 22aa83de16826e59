import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { FeedEvent, Migrated, Swap, TokenCreated } from '../../engine/event.ts'
import { MAYHEM_AGENT, Quote, quoteOf } from '../../engine/platform.ts'
import { bondingCurveAddress, canonicalPoolAddress } from '../chain/program-address.ts'
import type { PortalCounters } from './portal-counters.ts'
import {
  type CreateFrame,
  type CurveTradeFrame,
  type MigrateFrame,
  readPortalFrame,
  type TradeFrame,
} from './portal-frame.ts'

const TOKEN_DECIMALS = 6
const SOL_DECIMALS = 9
/** What a curve has virtually and not really, by the platform's constants. */
const UNREAL_BASE_RAW = 279_900_000_000_000n
const UNREAL_QUOTE_RAW = 30_000_000_000n
/** Amounts come as doubles: reserves that differ by so much follow on from each other. */
const ROUNDING_RAW = 16n
/** Every creation uses it since the platform's create_v2; frames do not say. */
const TOKEN_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
/** Frames that are remembered, to know them again. */
const FRAMES_MAX = 50_000
/** Mints whose last reserves are remembered. */
const MINTS_MAX = 20_000

/**
 * Events of PumpPortal's frames. They have neither slot nor index nor ordinal nor fees, and no time
 * but that of their arrival; amounts are rounded. A trade is known again by its whole content.
 */
export class PortalEvents {
  readonly #counters: PortalCounters
  readonly #seen = new LRUCache<string, true>({ max: FRAMES_MAX })
  /** Virtual base reserves after the last trade, by mint. */
  readonly #lastBaseRaw = new LRUCache<string, bigint>({ max: MINTS_MAX })

  constructor(counters: PortalCounters) {
    this.#counters = counters
  }

  /** @param timestamp unix seconds of the arrival */
  events(value: unknown, timestamp: number): readonly FeedEvent[] {
    this.#counters.frames++
    const frame = readPortalFrame(value)
    if (typeof frame === 'string') {
      if (frame === 'refused') this.#counters.refusedSubscriptions++
      if (frame === 'other platform') this.#counters.otherPlatforms++
      if (frame === 'unusable') this.#counters.unusableFrames++
      return []
    }
    // Coins are reported with the mint of what they are quoted in, in place of their own.
    if (quoteOf(frame.mint) !== Quote.other) {
      this.#counters.bogusFrames++
      return []
    }
    if (frame.txType === 'create') return this.#create(frame, timestamp)
    return frame.txType === 'migrate'
      ? this.#migrate(frame, timestamp)
      : this.#trade(frame, timestamp)
  }

  #create(frame: CreateFrame, timestamp: number): readonly FeedEvent[] {
    const curve = this.#curveOf(frame)
    if (curve === null) return []
    if (this.#isDuplicate(`create ${frame.signature} ${frame.mint}`)) return []
    this.#counters.creates++
    const created = createdToken(frame, curve, timestamp)
    this.#lastBaseRaw.set(frame.mint, created.virtualBaseRaw)
    if (frame.initialBuy === 0) return [created]
    const { initialBuy, ...rest } = frame
    const bought = { ...rest, txType: 'buy', tokenAmount: initialBuy } as const
    // What the creator holds after it is what was bought.
    return [created, ...this.#trade({ ...bought, newTokenBalance: initialBuy }, timestamp)]
  }

  #trade(frame: TradeFrame, timestamp: number): readonly FeedEvent[] {
    const pool = frame.pool === 'pump' ? this.#curveOf(frame) : canonicalPoolAddress(frame.mint)
    if (pool === null) return []
    const swap = swapOf(frame, pool, timestamp)
    if (this.#isDuplicate(`trade ${swap.signature} ${swap.ordinal}`)) return []
    this.#counters.trades++
    this.#judge(swap)
    return [swap]
  }

  #migrate({ signature, mint }: MigrateFrame, timestamp: number): readonly FeedEvent[] {
    const bondingCurve = bondingCurveAddress(mint)
    const poolAmm = canonicalPoolAddress(mint)
    if (bondingCurve === null || poolAmm === null) {
      this.#counters.unusableFrames++
      return []
    }
    if (this.#isDuplicate(`migrate ${signature} ${mint}`)) return []
    this.#counters.migrations++
    // The pool's reserves begin anew.
    this.#lastBaseRaw.delete(mint)
    const position = { slot: null, txIndex: null, ordinal: 0, signature, timestamp }
    const migrated: Migrated = { type: 'migrated', ...position, mint, bondingCurve, poolAmm }
    return [migrated]
  }

  /**
   * The curve of a mint follows from its address. A frame with another one is about another coin; null:
   * such a frame. Where the curve should stand, many frames of mayhem coins have the agent.
   */
  #curveOf({ mint, bondingCurveKey }: CreateFrame | CurveTradeFrame): string | null {
    const curve = bondingCurveAddress(mint)
    if (curve === bondingCurveKey || bondingCurveKey === MAYHEM_AGENT) return curve
    this.#counters.bogusFrames++
    return null
  }

  #isDuplicate(identity: string): boolean {
    if (!this.#seen.has(identity)) {
      this.#seen.set(identity, true)
      return false
    }
    this.#counters.duplicateFrames++
    return true
  }

  /** Whether the reserves before the trade are those after the last one. */
  #judge({ mint, direction, baseRaw, virtualBaseRaw }: Swap): void {
    const last = this.#lastBaseRaw.get(mint)
    this.#lastBaseRaw.set(mint, virtualBaseRaw)
    if (last === undefined) return
    const before = virtualBaseRaw + (direction === 'buy' ? baseRaw : -baseRaw)
    const difference = before > last ? before - last : last - before
    if (difference <= ROUNDING_RAW) this.#counters.continuousTrades++
    else this.#counters.gaps++
  }
}

/** The reserves of the frame are those after the creator's own buy. */
function createdToken(frame: CreateFrame, bondingCurve: string, timestamp: number): TokenCreated {
  const virtualBaseRaw =
    raw(frame.vTokensInBondingCurve, TOKEN_DECIMALS) + raw(frame.initialBuy, TOKEN_DECIMALS)
  const virtualQuoteRaw = above(
    raw(frame.vSolInBondingCurve, SOL_DECIMALS),
    raw(frame.solAmount, SOL_DECIMALS),
  )
  return {
    type: 'token_created',
    slot: null,
    txIndex: null,
    ordinal: 0,
    signature: frame.signature,
    timestamp,
    mint: frame.mint,
    name: frame.name ?? '',
    symbol: frame.symbol ?? '',
    uri: frame.uri ?? '',
    creator: frame.traderPublicKey,
    bondingCurve,
    tokenProgram: TOKEN_PROGRAM,
    isMayhemMode: frame.is_mayhem_mode ?? false,
    decimals: TOKEN_DECIMALS,
    virtualBaseRaw,
    virtualQuoteRaw,
    realBaseRaw: above(virtualBaseRaw, UNREAL_BASE_RAW),
  }
}

function swapOf(frame: TradeFrame, pool: string, timestamp: number): Swap {
  const isCurve = frame.pool === 'pump'
  const baseReserve = isCurve ? frame.vTokensInBondingCurve : frame.tokensInPool
  const quoteReserve = isCurve ? frame.vSolInBondingCurve : frame.solInPool
  const virtualBaseRaw = raw(baseReserve, TOKEN_DECIMALS)
  const virtualQuoteRaw = raw(quoteReserve, SOL_DECIMALS)
  return {
    type: 'swap',
    slot: null,
    txIndex: null,
    ordinal: contentOrdinal(frame, baseReserve, quoteReserve),
    signature: frame.signature,
    timestamp,
    source: isCurve ? 'pump' : 'pump_amm',
    mint: frame.mint,
    pool,
    signer: frame.traderPublicKey,
    direction: frame.txType,
    baseRaw: raw(frame.tokenAmount, TOKEN_DECIMALS),
    quoteRaw: raw(frame.solAmount, SOL_DECIMALS),
    virtualBaseRaw,
    virtualQuoteRaw,
    realBaseRaw: isCurve ? above(virtualBaseRaw, UNREAL_BASE_RAW) : virtualBaseRaw,
    realQuoteRaw: isCurve ? above(virtualQuoteRaw, UNREAL_QUOTE_RAW) : virtualQuoteRaw,
    platformFeeRaw: 0n,
    creatorFeeRaw: 0n,
    ...(frame.newTokenBalance !== undefined && {
      baseBalanceAfterRaw: raw(frame.newTokenBalance, TOKEN_DECIMALS),
    }),
  }
}

/**
 * Stands in for the ordinal that frames lack: several trades of one transaction differ in their
 * reserves, and the same trade sent twice has the same number, in whatever order they come.
 */
function contentOrdinal(frame: TradeFrame, baseReserve: number, quoteReserve: number): number {
  const { mint, traderPublicKey, txType, tokenAmount, solAmount } = frame
  const content = [mint, traderPublicKey, txType, tokenAmount, solAmount, baseReserve, quoteReserve]
  return createHash('sha256').update(content.join(' ')).digest().readUInt32LE(0)
}

/** Whole units to raw ones. */
function raw(amount: number, decimals: number): bigint {
  return BigInt(Math.round(amount * 10 ** decimals))
}

/** The difference, or 0. */
function above(value: bigint, less: bigint): bigint {
  return value > less ? value - less : 0n
}
