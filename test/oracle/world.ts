/** The fold of everything taken, in order, from nothing. What the other files read. */
import type { Metadata, Migrated, Swap, TokenCreated } from '../../src/engine/event.ts'
import { clampPercent, U64_MAX } from './exact.ts'
import type { Arrivals, Key, Placed } from './order.ts'
import { foldPosition, openPosition, type Position } from './positions.ts'
import {
  lamportsOfFees,
  lamportsOfWorth,
  type Quote,
  quoteOf,
  type Reserves,
  type Valuation,
  valuation,
  type Worth,
  worthOf,
} from './quote.ts'
import { foldTrade, isPro, judgeFresh, newTrader, type ProRule, type Trader } from './traders.ts'

/** A swap and everything that was true at its place. */
export interface FoldedSwap {
  readonly swap: Swap
  readonly key: Key
  readonly txIndex: number
  /** Neighbours in order with the same signature share this number. */
  readonly transaction: number
  readonly opensTransaction: boolean
  readonly solPriceUsd: number
  /** By the quote that was known at this place; stored, so a creation told later leaves it. */
  readonly worth: Worth
  /** By the quote that is known now. */
  readonly lamports: number
  /** Platform and creator fee. */
  readonly feeLamports: number
  readonly value: Valuation
  readonly progressPct: number
  readonly balanceBeforeRaw: bigint
  readonly balanceAfterRaw: bigint
  readonly fresh: boolean
  readonly pro: boolean
  /** The creation of the token was known at this place. */
  readonly afterCreation: boolean
}

export interface Token {
  readonly mint: string
  /** The first event of the mint, whatever it is. */
  readonly firstKey: Key
  readonly firstTimestamp: number
  created: Placed<TokenCreated> | null
  /** Its creation, also at places where it was not yet known. */
  readonly told: TokenCreated | null
  /** What it is quoted in by all that is known: its creation, else the first swap that told it. */
  readonly quote: Quote
  /** What a swap up to this place told of its quote. */
  quoteSaid: Quote | null
  migrated: Placed<Migrated> | null
  /** Its first AMM swap. */
  firstAmm: Placed<Swap> | null
  /** By event, or because a curve swap emptied the real reserve. */
  complete: boolean
  /** The last reserves that gave a price. */
  reserves: Reserves | null
  realBaseRaw: bigint
  supplySeenRaw: bigint | null
  bondingCurve: string
  readonly swaps: FoldedSwap[]
  readonly positions: Map<string, Position>
}

export interface World {
  readonly tokens: ReadonlyMap<string, Token>
  readonly traders: ReadonlyMap<string, Trader>
  readonly metadata: ReadonlyMap<string, readonly Metadata[]>
  /** The SOL price of now; 0 while unknown. */
  readonly solPriceUsd: number
  readonly proRule: ProRule
}

const INITIAL_REAL_BASE_RAW = 793_100_000_000_000n

export const decimalsOf = (token: Token): number => token.told?.decimals ?? 6

export const isGraduated = (token: Token): boolean =>
  token.migrated !== null || token.firstAmm !== null

export const poolAmmOf = (token: Token): string =>
  token.migrated?.event.poolAmm ?? token.firstAmm?.event.pool ?? ''

export const supplyOf = (token: Token): bigint =>
  token.supplySeenRaw ?? token.told?.supplyRaw ?? 10n ** BigInt(9 + decimalsOf(token))

export const initialRealBaseOf = (token: Token): bigint =>
  token.told?.realBaseRaw ?? INITIAL_REAL_BASE_RAW

/** What it is quoted in by what is known at this place. */
const quoteThenOf = ({ created, quoteSaid }: Token): Quote =>
  created === null ? (quoteSaid ?? 'sol') : quoteOf(created.event.quoteMint)

/** Unclamped pct_completion of a curve that is not complete, 0 to 100 only after a clamp. */
export function curveProgressPct(token: Token, realBaseRaw: bigint): number {
  const initial = initialRealBaseOf(token)
  if (realBaseRaw === 0n || initial === 0n) return 100
  return clampPercent((Number(initial - realBaseRaw) * 100) / Number(initial))
}

/** Folds everything; the steps between are the fields. */
export class Fold {
  readonly tokens = new Map<string, Token>()
  readonly traders = new Map<string, Trader>()
  /** The own price of the last swap that carried one. */
  private swapPriceUsd = 0
  private transaction = 0
  private lastSignature: string | null = null
  private readonly proRule: ProRule
  private readonly creations = new Map<string, TokenCreated>()
  /** By mint what the first swap said that said anything. */
  private readonly saidQuotes = new Map<string, Quote>()

  constructor(proRule: ProRule) {
    this.proRule = proRule
  }

  run(arrivals: Arrivals): World {
    const sorted = arrivals.sorted()
    for (const { event } of sorted) {
      if (event.type === 'token_created') this.creations.set(event.mint, event)
      const hasSaid = this.saidQuotes.has(event.mint)
      if (event.type === 'swap' && event.quoteMint !== undefined && !hasSaid)
        this.saidQuotes.set(event.mint, quoteOf(event.quoteMint))
    }
    for (const placed of sorted) this.foldEvent(placed)
    return {
      tokens: this.tokens,
      traders: this.traders,
      metadata: arrivals.metadata,
      solPriceUsd: arrivals.solPriceUsd ?? this.swapPriceUsd,
      proRule: this.proRule,
    }
  }

  private foldEvent(placed: Placed): void {
    const token = this.tokenOf(placed)
    const { event } = placed
    if (event.type === 'token_created') foldCreated(token, { ...placed, event })
    else if (event.type === 'swap') this.foldSwap(token, { ...placed, event })
    else {
      if (event.type === 'migrated') token.migrated = { ...placed, event }
      else token.complete = true
      token.bondingCurve ||= event.bondingCurve
    }
  }

  private tokenOf({ event, key }: Placed): Token {
    const known = this.tokens.get(event.mint)
    if (known) return known
    const told = this.creations.get(event.mint) ?? null
    const token: Token = {
      mint: event.mint,
      firstKey: key,
      firstTimestamp: event.timestamp,
      created: null,
      told,
      quote: told ? quoteOf(told.quoteMint) : (this.saidQuotes.get(event.mint) ?? 'sol'),
      quoteSaid: null,
      migrated: null,
      firstAmm: null,
      complete: false,
      reserves: null,
      realBaseRaw: INITIAL_REAL_BASE_RAW,
      supplySeenRaw: null,
      bondingCurve: '',
      swaps: [],
      positions: new Map(),
    }
    this.tokens.set(event.mint, token)
    return token
  }

  private foldSwap(token: Token, placed: Placed<Swap>): void {
    const swap = placed.event
    foldIntoToken(token, placed)
    const trader = this.traders.get(swap.signer) ?? newTrader()
    this.traders.set(swap.signer, trader)
    const position = token.positions.get(swap.signer) ?? openPosition(swap.signer, token.mint)
    token.positions.set(swap.signer, position)
    const folded = this.judge(token, placed, trader, position)
    foldPosition(position, folded)
    foldTrade(trader, swap, position)
    token.swaps.push(folded)
  }

  private judge(token: Token, placed: Placed<Swap>, trader: Trader, at: Position): FoldedSwap {
    const { event: swap, key, txIndex } = placed
    const opensTransaction = this.lastSignature !== swap.signature
    if (opensTransaction) this.transaction += 1
    this.lastSignature = swap.signature
    const solPriceUsd = swap.solPriceUsd ?? placed.arrivedPriceUsd ?? this.swapPriceUsd
    this.swapPriceUsd = swap.solPriceUsd ?? this.swapPriceUsd
    const { quote } = token
    const quoteThen = quoteThenOf(token)
    const worth = worthOf(quoteThen, swap.quoteRaw, solPriceUsd)
    const fees = swap.platformFeeRaw + swap.creatorFeeRaw
    const supply = supplyOf(token)
    const before = swap.baseBalanceBeforeRaw ?? at.balanceRaw
    return {
      swap,
      key,
      txIndex,
      transaction: this.transaction,
      opensTransaction,
      solPriceUsd,
      worth,
      lamports: lamportsOfWorth(quote, swap.quoteRaw, worth.microUsd, solPriceUsd),
      feeLamports: lamportsOfFees(quoteThen, fees, solPriceUsd),
      value: valuation(quote, token.reserves, decimalsOf(token), supply, solPriceUsd),
      progressPct: progressAt(token, swap),
      balanceBeforeRaw: before,
      balanceAfterRaw: swap.baseBalanceAfterRaw ?? moved(before, swap),
      fresh: swap.fresh ?? judgeFresh(trader, swap.timestamp),
      pro: swap.pro ?? isPro(trader, this.proRule),
      afterCreation: token.created !== null,
    }
  }
}

function foldCreated(token: Token, placed: Placed<TokenCreated>): void {
  const { event } = placed
  token.created = placed
  token.bondingCurve = event.bondingCurve || token.bondingCurve
  token.supplySeenRaw ??= event.supplyRaw ?? null
  // A creation that stands after trades of its own mint knows less than they do.
  if (token.swaps.length > 0) return
  token.realBaseRaw = event.realBaseRaw
  if (event.virtualBaseRaw > 0n && event.virtualQuoteRaw > 0n) {
    token.reserves = { baseRaw: event.virtualBaseRaw, quoteRaw: event.virtualQuoteRaw }
  }
}

/** Supply, lifecycle and reserves after the swap. */
function foldIntoToken(token: Token, placed: Placed<Swap>): void {
  const { event: swap } = placed
  const { virtualBaseRaw: baseRaw, virtualQuoteRaw: quoteRaw } = swap
  token.supplySeenRaw = swap.supplyRaw ?? token.supplySeenRaw
  if (swap.quoteMint !== undefined) token.quoteSaid ??= quoteOf(swap.quoteMint)
  if (swap.source === 'pump_amm') {
    token.firstAmm ??= placed
  } else {
    token.bondingCurve ||= swap.pool
    token.realBaseRaw = swap.realBaseRaw
    token.complete ||= swap.realBaseRaw === 0n
  }
  const priceStays = [swap.baseRaw, swap.quoteRaw, baseRaw, quoteRaw].includes(0n)
  if (!priceStays) token.reserves = { baseRaw, quoteRaw }
}

function progressAt(token: Token, swap: Swap): number {
  if (token.complete || isGraduated(token)) return 100
  return curveProgressPct(token, swap.realBaseRaw)
}

function moved(before: bigint, { direction, baseRaw }: Swap): bigint {
  const after = direction === 'buy' ? before + baseRaw : before - baseRaw
  return after < 0n ? 0n : after > U64_MAX ? U64_MAX : after
}
