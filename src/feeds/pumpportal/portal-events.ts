import { createHash } from 'node:crypto'
import { LRUCache } from 'lru-cache'
import type { FeedEvent, Migrated, Swap, TokenCreated } from '../../events/event.ts'
import { MAYHEM_AGENT, PUMP_MINT, Quote, quoteOf } from '../../events/platform.ts'
import { bondingCurveAddress, canonicalPoolAddress } from '../chain/layouts/program-address.ts'
import {
  type CreateFrame,
  type PortalFrame,
  readPortalFrame,
  type TradeFrame,
  unknownKeysOf,
} from './portal-frame.ts'

/** What PumpPortal sent and what had to be left out; plain numbers that only grow. */
function newPortalCounters() {
  return {
    frames: 0,
    creates: 0,
    trades: 0,
    /** Of these, trades of graduated coins without pool and reserves. */
    bareTrades: 0,
    migrations: 0,
    /** Creations and trades of another coin: with the mint of its quote, or with the curve of another mint. */
    bogusFrames: 0,
    /** Of these, those with the curve of another mint. */
    wrongCurves: 0,
    /** Frames of launch platforms that are not followed. */
    otherPlatforms: 0,
    /** Frames that are not what the service is known to send. */
    unusableFrames: 0,
    /** Keys that no frame was known to have, each counted once. */
    unknownKeys: 0,
    /** Repeated frames. */
    duplicateFrames: 0,
    /** Trades whose reserves follow on from the trade before. */
    continuousTrades: 0,
    /** Trades whose reserves do not: one before them is missing, or came in another order. */
    gaps: 0,
    /** Subscriptions that were refused, as for trades without a funded key. */
    refusedSubscriptions: 0,
    /** Messages above the limit; each ends its connection. */
    hugeFrames: 0,
    /** Connections ended because nothing but pings came for too long. */
    stalls: 0,
  }
}

const TOKEN_DECIMALS = 6
const SOL_DECIMALS = 9
/** What a curve has virtually and not really, by the platform's constants. */
const UNREAL_BASE_RAW = 279_900_000_000_000n
const UNREAL_QUOTE_RAW = 30_000_000_000n
/** Amounts come as doubles: reserves that differ by so much follow on from each other. */
const ROUNDING_RAW = 16n
/** Every creation uses it since the platform's create_v2; frames do not name it. */
const TOKEN_PROGRAM = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
/** Frames that are remembered, so that repeats are recognized. */
const FRAMES_MAX = 50_000
/** Mints whose last reserves are remembered. */
const MINTS_MAX = 20_000
/** Keys that are remembered as unknown; those past it are not reported. */
const UNKNOWN_KEYS_MAX = 64

/**
 * Events of PumpPortal's frames. They have neither slot nor index nor ordinal nor fees, and no time
 * but that of their arrival; amounts are rounded. A repeated trade is recognized by its whole content.
 */
export class PortalEvents {
  readonly counters = newPortalCounters()
  readonly #seen = new LRUCache<string, true>({ max: FRAMES_MAX })
  /** Virtual base reserves after the last trade, by mint. */
  readonly #lastBaseRaw = new LRUCache<string, bigint>({ max: MINTS_MAX })
  readonly #curves = new PortalCurves()
  readonly #depths = new PoolDepths()
  readonly #unknownKeys = new Set<string>()
  readonly #onUnknownKey: (key: string) => void

  /** @param onUnknownKey called once for each key that frames were not known to have */
  constructor(onUnknownKey: (key: string) => void = () => {}) {
    this.#onUnknownKey = onUnknownKey
  }

  /** @param timestamp unix seconds of the arrival */
  events(value: unknown, timestamp: number): readonly FeedEvent[] {
    this.counters.frames++
    const frame = readPortalFrame(value)
    if (typeof frame === 'string') {
      if (frame === 'refused') this.counters.refusedSubscriptions++
      if (frame === 'other platform') this.counters.otherPlatforms++
      if (frame === 'unusable') this.counters.unusableFrames++
      return []
    }
    this.#noteKeys(frame)
    // Coins are reported with the mint of what they are quoted in, in place of their own.
    if (quoteOf(frame.mint) !== Quote.other || frame.mint === PUMP_MINT) {
      this.counters.bogusFrames++
      return []
    }
    if (frame.txType === 'create') return this.#create(frame, timestamp)
    return frame.txType === 'migrate'
      ? this.#migrate(frame, timestamp)
      : this.#trade(frame, timestamp)
  }

  #create(frame: CreateFrame, timestamp: number): readonly FeedEvent[] {
    const curve = this.#curves.ofCreation(frame)
    if (curve === null) return this.#wrongCurve()
    if (this.#isDuplicate(`create ${frame.signature} ${frame.mint}`)) return []
    this.counters.creates++
    const created = createdToken(frame, curve, timestamp)
    this.#lastBaseRaw.set(frame.mint, created.virtualBaseRaw)
    if (frame.initialBuy === 0) return [created]
    const { initialBuy, ...rest } = frame
    const bought = { ...rest, txType: 'buy', tokenAmount: initialBuy } as const
    // What the creator holds after it is what was bought.
    return [created, ...this.#trade({ ...bought, newTokenBalance: initialBuy }, timestamp)]
  }

  #trade(frame: TradeFrame, timestamp: number): readonly FeedEvent[] {
    const { mint, signature } = frame
    const pool = frame.pool === 'pump' ? this.#curves.ofTrade(frame) : canonicalPoolAddress(mint)
    if (pool === null) return this.#wrongCurve()
    const reserves = this.#reservesOf(frame)
    const swap = swapOf(frame, pool, reserves, timestamp)
    if (this.#isDuplicate(`trade ${signature} ${swap.ordinal}`)) return []
    this.#curves.seen(mint, signature)
    this.counters.trades++
    if (frame.pool === undefined) {
      this.counters.bareTrades++
      // What follows does not follow on from the last one whose reserves were given.
      this.#lastBaseRaw.delete(frame.mint)
    } else this.#judge(swap)
    if (frame.pool === 'pump-amm') this.#depths.observe(mint, reserves)
    return [swap]
  }

  /** After the trade; where the frame has none, at the trade's own price. */
  #reservesOf(frame: TradeFrame): PoolReserves {
    if (frame.pool === undefined) {
      const baseRaw = raw(frame.tokenAmount, TOKEN_DECIMALS)
      return this.#depths.after(frame.mint, baseRaw, raw(frame.solAmount, SOL_DECIMALS))
    }
    const [base, quote] =
      frame.pool === 'pump'
        ? [frame.vTokensInBondingCurve, frame.vSolInBondingCurve]
        : [frame.tokensInPool, frame.solInPool]
    return { baseRaw: raw(base, TOKEN_DECIMALS), quoteRaw: raw(quote, SOL_DECIMALS) }
  }

  #migrate({ signature, mint }: PortalFrame, timestamp: number): readonly FeedEvent[] {
    const bondingCurve = bondingCurveAddress(mint)
    const poolAmm = canonicalPoolAddress(mint)
    if (bondingCurve === null || poolAmm === null) {
      this.counters.unusableFrames++
      return []
    }
    if (this.#isDuplicate(`migrate ${signature} ${mint}`)) return []
    this.counters.migrations++
    this.#curves.seen(mint, signature)
    // The pool's reserves begin anew.
    this.#lastBaseRaw.delete(mint)
    const position = { slot: null, txIndex: null, ordinal: 0, signature, timestamp }
    const migrated: Migrated = { type: 'migrated', ...position, mint, bondingCurve, poolAmm }
    return [migrated]
  }

  #wrongCurve(): readonly FeedEvent[] {
    this.counters.bogusFrames++
    this.counters.wrongCurves++
    return []
  }

  #noteKeys(frame: PortalFrame): void {
    for (const key of unknownKeysOf(frame)) {
      if (this.#unknownKeys.has(key) || this.#unknownKeys.size >= UNKNOWN_KEYS_MAX) continue
      this.#unknownKeys.add(key)
      this.counters.unknownKeys++
      this.#onUnknownKey(key)
    }
  }

  #isDuplicate(identity: string): boolean {
    if (!this.#seen.has(identity)) {
      this.#seen.set(identity, true)
      return false
    }
    this.counters.duplicateFrames++
    return true
  }

  /** Whether the reserves before the trade are those after the last one. */
  #judge({ mint, direction, baseRaw, virtualBaseRaw }: Swap): void {
    const last = this.#lastBaseRaw.get(mint)
    this.#lastBaseRaw.set(mint, virtualBaseRaw)
    if (last === undefined) return
    const before = virtualBaseRaw + (direction === 'buy' ? baseRaw : -baseRaw)
    const difference = before > last ? before - last : last - before
    if (difference <= ROUNDING_RAW) this.counters.continuousTrades++
    else this.counters.gaps++
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
    name: frame.name?.toWellFormed() ?? '',
    symbol: frame.symbol?.toWellFormed() ?? '',
    uri: frame.uri?.toWellFormed() ?? '',
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

function swapOf(
  frame: TradeFrame,
  pool: string,
  { baseRaw: virtualBaseRaw, quoteRaw: virtualQuoteRaw }: PoolReserves,
  timestamp: number,
): Swap {
  const isCurve = frame.pool === 'pump'
  return {
    type: 'swap',
    slot: null,
    txIndex: null,
    ordinal: contentOrdinal(frame),
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
function contentOrdinal(frame: TradeFrame): number {
  const { mint, traderPublicKey, txType, tokenAmount, solAmount } = frame
  const reserves =
    frame.pool === 'pump'
      ? [frame.vTokensInBondingCurve, frame.vSolInBondingCurve]
      : frame.pool === 'pump-amm'
        ? [frame.tokensInPool, frame.solInPool]
        : []
  const content = [mint, traderPublicKey, txType, tokenAmount, solAmount, ...reserves]
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

/** Mints that are remembered, with the transaction that named each first. */
const CURVES_MAX = 50_000

/**
 * The curve of a mint follows from its address, and a frame with another one is about another coin: most often its
 * mint is what that coin is quoted in. Where the curve should stand, frames of mayhem coins have the agent; that is
 * believed of a mint that its frame calls mayhem and of which nothing came before, so that no quote is.
 */
class PortalCurves {
  /** By mint the signature that named it first. */
  readonly #first = new LRUCache<string, string>({ max: CURVES_MAX })
  readonly #mayhem = new LRUCache<string, true>({ max: CURVES_MAX })

  /** null: the frame is about another coin. */
  ofCreation({
    mint,
    signature,
    bondingCurveKey,
    is_mayhem_mode: isMayhem = false,
  }: CreateFrame): string | null {
    const curve = bondingCurveAddress(mint)
    const first = this.#first.get(mint)
    const isNew = first === undefined || first === signature
    if (bondingCurveKey !== curve && !(bondingCurveKey === MAYHEM_AGENT && isMayhem && isNew))
      return null
    if (isMayhem) this.#mayhem.set(mint, true)
    this.seen(mint, signature)
    return curve
  }

  /** null: the frame is about another coin. */
  ofTrade({
    mint,
    bondingCurveKey,
    is_mayhem_mode: isMayhem,
  }: Extract<TradeFrame, { pool: 'pump' }>): string | null {
    const curve = bondingCurveAddress(mint)
    if (bondingCurveKey === curve) return curve
    const hasAgent = bondingCurveKey === MAYHEM_AGENT && (isMayhem || this.#mayhem.has(mint))
    return hasAgent ? curve : null
  }

  /** A mint was seen: it is not new to other transactions any more. */
  seen(mint: string, signature: string): void {
    if (!this.#first.has(mint)) this.#first.set(mint, signature)
  }
}

/** Pools whose depth is remembered; others count with the depth that pools open with. */
const DEPTHS_MAX = 20_000
/** The square root of the product of the reserves that pools opened with until October 2026: 206.9M tokens, 84.99 SOL. */
const OPENING_DEPTH = Math.sqrt(206_900_000_000_000 * 84_990_359_057)
/** Trades of less are no price: fees and rounding are too much of them. */
const PRICED_QUOTE_RAW_MIN = 10_000_000n
/** Amounts of the chain have 64 bits. */
const RESERVE_RAW_MAX = 2 ** 63

/** Raw reserves of a pool. */
interface PoolReserves {
  readonly baseRaw: bigint
  readonly quoteRaw: bigint
}

const UNKNOWN: PoolReserves = { baseRaw: 0n, quoteRaw: 0n }

/**
 * Reserves for trades without them: at the price that the trade paid, fees in it, and on the curve of constant
 * product on which the pool was last. The price is the trade's; the liquidity that follows is an estimate.
 */
class PoolDepths {
  readonly #depths = new LRUCache<string, number>({ max: DEPTHS_MAX })

  /** The reserves of a mint's pool were given. */
  observe(mint: string, { baseRaw, quoteRaw }: PoolReserves): void {
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
