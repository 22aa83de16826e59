/** The fold of everything taken, in order, from nothing. */
import type { Balance, Reserves, Swap, TokenCreated, TokenState } from '../../src/events/event.ts'
import { isExcluded } from './classes.ts'
import { type Coins, lamportsPerUnitOf, valuationThen } from './coins.ts'
import { U64_MAX } from './exact.ts'
import { compareBirths, type Placed, type PositionResolver } from './order.ts'
import { foldBalance, foldPosition, openPosition, type Position } from './positions.ts'
import { lamportsOfWorth, quoteOf, worthOf } from './quote.ts'
import { Routes } from './routes.ts'
import { Tellings } from './tellings.ts'
import { foldTrade, isPro, judgeFresh, newTrader, type ProRule, type Trader } from './traders.ts'
import {
  curveProgressPct,
  type FoldedSwap,
  INITIAL_REAL_BASE_RAW,
  isGraduated,
  quoteThenOf,
  supplyOf,
  type Token,
  type World,
} from './world.ts'

/** Folds everything; the steps between are the fields. */
export class Fold {
  private readonly tokens = new Map<string, Token>()
  private readonly traders = new Map<string, Trader>()
  /** The own price of the last swap that carried one. */
  private swapPriceUsd = 0
  private readonly routes = new Routes()
  private readonly proRule: ProRule
  private readonly creations = new Map<string, TokenCreated>()
  /** The decimals that the last state of a mint told. */
  private readonly stateDecimals = new Map<string, number>()
  private readonly tellings: Tellings
  private readonly arrivals: PositionResolver
  private refusedBalances = 0

  constructor(arrivals: PositionResolver, proRule: ProRule) {
    this.arrivals = arrivals
    this.proRule = proRule
    this.tellings = new Tellings(arrivals)
  }

  run(): World {
    const { arrivals, tokens, tellings } = this
    const sorted = arrivals.sorted()
    const born = new Set<string>()
    for (const { event } of sorted) {
      if (event.type === 'token_created') this.creations.set(event.mint, event)
      if (event.type === 'token_state' && born.has(event.mint))
        this.stateDecimals.set(event.mint, event.decimals)
      if (!['reserves', 'balance', 'token_state'].includes(event.type)) born.add(event.mint)
    }
    for (const placed of sorted) {
      tellings.reach(placed)
      this.foldEvent(placed)
    }
    return {
      tokens,
      traders: this.traders,
      metadata: arrivals.metadata,
      coins: { tokens, toldDecimals: (coin) => tellings.decimals(coin) },
      solPriceUsd: arrivals.solPriceUsd ?? this.swapPriceUsd,
      proRule: this.proRule,
      unseen: arrivals.unseen,
      refusedBalances: this.refusedBalances,
    }
  }

  private foldEvent(placed: Placed): void {
    const { event } = placed
    // These create no token.
    if (event.type === 'reserves') {
      const known = this.tokens.get(event.mint)
      if (known) foldReserves(known, event)
      return
    }
    if (event.type === 'balance') {
      const known = this.tokens.get(event.mint)
      if (known) this.foldBalance(known, event)
      return
    }
    if (event.type === 'token_state') {
      const known = this.tokens.get(event.mint)
      if (known) foldState(known, event)
      return
    }
    const token = this.tokenOf(placed)
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
    // What was told too late can be older than what was folded first.
    if (known && compareBirths(key, known.firstKey) < 0)
      Object.assign(known, { firstKey: key, firstTimestamp: event.timestamp })
    if (known) return known
    const told = this.creations.get(event.mint) ?? null
    const token: Token = {
      mint: event.mint,
      firstKey: key,
      firstTimestamp: event.timestamp,
      created: null,
      told,
      quote: told ? quoteOf(told.quoteMint) : this.tellings.quote(event.mint),
      quoteSaid: null,
      migrated: null,
      firstAmm: null,
      complete: false,
      reserves: null,
      realBaseRaw: INITIAL_REAL_BASE_RAW,
      supplySeenRaw: null,
      bondingCurve: '',
      state: { name: '', symbol: '', uri: '', tokenProgram: '', creator: '' },
      toldDecimals: told ? (told.decimals ?? 6) : (this.stateDecimals.get(event.mint) ?? 6),
      decimals: 6,
      reservesTold: [],
      burns: [],
      swaps: [],
      positions: new Map(),
    }
    this.tokens.set(event.mint, token)
    return token
  }

  private foldSwap(token: Token, placed: Placed<Swap>): void {
    const swap = placed.event
    const told = quoteOf(swap.quoteMint)
    if (swap.quoteMint !== undefined && token.quoteSaid === null)
      token.quoteSaid = told.kind === 'coin' ? this.tellings.coin(token.mint) : told
    const opensTransaction = this.routes.begin(swap)
    const isMiddle = this.routes.isMiddle(swap)
    const trader = this.traderOf(swap.signer)
    const held = token.positions.get(swap.signer)
    const position = isMiddle ? undefined : (held ?? openPosition(swap.signer, token.mint))
    // A coin has its price from before this swap, also where it is quoted in itself.
    const rate = this.rateOf(token, placed)
    foldIntoToken(token, placed)
    const judged = this.judge(token, placed, trader, position, { ...rate, opensTransaction })
    this.routes.take(judged)
    if (position) {
      token.positions.set(swap.signer, position)
      const payer = this.routes.payerOf(swap, judged.quoteThen.coin ?? null)
      foldPosition(position, judged, payer)
      this.routes.foldedInto(position, judged)
    } else this.routes.giveProceeds(judged)
    foldTrade(trader, swap, position ?? null)
    token.swaps.push(judged)
  }

  private traderOf(wallet: string): Trader {
    const trader = this.traders.get(wallet) ?? newTrader()
    this.traders.set(wallet, trader)
    return trader
  }

  /** The SOL price of this place, and what a unit of its quote was worth. */
  private rateOf(token: Token, { event: swap, arrivedPriceUsd }: Placed<Swap>) {
    const solPriceUsd = swap.solPriceUsd ?? arrivedPriceUsd ?? this.swapPriceUsd
    this.swapPriceUsd = swap.solPriceUsd ?? this.swapPriceUsd
    const coins: Coins = {
      tokens: this.tokens,
      toldDecimals: (coin) => this.tellings.decimalsThen(coin),
    }
    const quoteThen = quoteThenOf(token)
    const lamportsPerUnit = lamportsPerUnitOf(coins, quoteThen, solPriceUsd)
    return { coins, quoteThen, solPriceUsd, lamportsPerUnit }
  }

  private judge(
    token: Token,
    placed: Placed<Swap>,
    trader: Trader,
    at: Position | undefined,
    rate: ReturnType<Fold['rateOf']> & { readonly opensTransaction: boolean },
  ): FoldedSwap {
    const { event: swap, key, txIndex } = placed
    const { coins, opensTransaction, quoteThen, solPriceUsd, lamportsPerUnit } = rate
    const worth = worthOf(quoteThen, swap.quoteRaw, solPriceUsd, lamportsPerUnit)
    const fees =
      swap.platformFeeRaw + swap.creatorFeeRaw + (swap.lpFeeRaw ?? 0n) + (swap.cashbackRaw ?? 0n)
    const before = swap.baseBalanceBeforeRaw ?? at?.balanceRaw ?? 0n
    return {
      swap,
      key,
      txIndex,
      transaction: this.routes.transaction,
      opensTransaction,
      solPriceUsd,
      quoteThen,
      lamportsPerUnit,
      worth,
      lamports: lamportsOfWorth(
        token.quote,
        swap.quoteRaw,
        worth.microUsd,
        solPriceUsd,
        lamportsPerUnit,
      ),
      feeLamports: worthOf(quoteThen, fees, solPriceUsd, lamportsPerUnit).lamports,
      value: valuationThen(coins, token, solPriceUsd, lamportsPerUnit),
      progressPct: progressAt(token, swap),
      balanceBeforeRaw: before,
      balanceAfterRaw: swap.baseBalanceAfterRaw ?? (at ? moved(before, swap) : before),
      fresh: swap.fresh ?? judgeFresh(trader, swap.timestamp),
      pro: swap.pro ?? isPro(trader, this.proRule),
      afterCreation: token.created !== null,
      isMiddle: at === undefined,
      burns: token.burns.length,
    }
  }

  private foldBalance(token: Token, told: Balance): void {
    const { wallet, balanceRaw } = told
    if (isExcluded(token, wallet)) return
    const supply = token.supplySeenRaw ?? 0n
    if (supply > 0n && balanceRaw > supply) {
      this.refusedBalances += 1
      return
    }
    const known = token.positions.get(wallet)
    if (known === undefined && balanceRaw === 0n) return
    const position = known ?? openPosition(wallet, token.mint)
    token.positions.set(wallet, position)
    this.traderOf(wallet).positions.set(token.mint, position)
    foldBalance(position, told, token.burns.length)
  }
}

function foldCreated(token: Token, placed: Placed<TokenCreated>): void {
  const { event } = placed
  token.created = placed
  token.bondingCurve = event.bondingCurve || token.bondingCurve
  token.decimals = event.decimals ?? 6
  const { name, symbol, uri, creator } = event
  const tokenProgram = event.tokenProgram || token.state.tokenProgram
  token.state = { name, symbol, uri, creator, tokenProgram }
  token.supplySeenRaw ??= event.supplyRaw ?? null
  // A creation that stands after trades or reserves of its own mint knows less than they do.
  if (token.swaps.length > 0 || token.reservesTold.length > 0) return
  token.realBaseRaw = event.realBaseRaw
  if (event.virtualBaseRaw > 0n && event.virtualQuoteRaw > 0n) {
    token.reserves = { baseRaw: event.virtualBaseRaw, quoteRaw: event.virtualQuoteRaw }
  }
}

/** The supply always counts, the rest while no creation is known. */
function foldState(token: Token, told: TokenState): void {
  token.supplySeenRaw = told.supplyRaw
  if (token.created !== null) return
  const { state } = token
  token.decimals = told.decimals
  token.bondingCurve ||= told.bondingCurve ?? ''
  token.state = {
    name: told.name ?? state.name,
    symbol: told.symbol ?? state.symbol,
    uri: told.uri ?? state.uri,
    tokenProgram: told.tokenProgram,
    creator: state.creator || (told.creator ?? ''),
  }
}

/** Supply, lifecycle and reserves after the swap. */
function foldIntoToken(token: Token, placed: Placed<Swap>): void {
  const { event: swap } = placed
  const { virtualBaseRaw: baseRaw, virtualQuoteRaw: quoteRaw } = swap
  token.supplySeenRaw = swap.supplyRaw ?? token.supplySeenRaw
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

/** What makes the price, the completion and the supply without a trade. */
function foldReserves(token: Token, told: Reserves): void {
  const { virtualBaseRaw: baseRaw, virtualQuoteRaw: quoteRaw } = told
  const supplyBefore = supplyOf(token)
  if (told.reason === 'burn' && told.supplyRaw !== undefined && told.supplyRaw < supplyBefore)
    token.burns.push({ signature: told.signature, raw: supplyBefore - told.supplyRaw })
  token.supplySeenRaw = told.supplyRaw ?? token.supplySeenRaw
  const isOfCurve = told.source === 'pump'
  if (isOfCurve) {
    token.realBaseRaw = told.realBaseRaw
    token.complete ||= told.realBaseRaw === 0n
  }
  const priceStays = baseRaw === 0n || quoteRaw === 0n || (isOfCurve && isGraduated(token))
  if (!priceStays) token.reserves = { baseRaw, quoteRaw }
  token.reservesTold.push(told)
}

function progressAt(token: Token, swap: Swap): number {
  if (token.complete || isGraduated(token)) return 100
  return curveProgressPct(token, swap.realBaseRaw)
}

function moved(before: bigint, { direction, baseRaw }: Swap): bigint {
  const after = direction === 'buy' ? before + baseRaw : before - baseRaw
  return after < 0n ? 0n : after > U64_MAX ? U64_MAX : after
}
