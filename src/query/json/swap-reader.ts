import { encodeBase58 } from '../../base/base58.ts'
import { numberAt, readU64, wholeAt } from '../../base/u64.ts'
import type { Engine } from '../../engine/engine.ts'
import { NOTHING_LATER } from '../../engine/event-acceptor.ts'
import { comparePlace } from '../../engine/order/position-resolver.ts'
import { flagsOf, isNeverHolder } from '../../engine/state/lanes.ts'
import {
  ProfileLane,
  SeldomLane,
  TokenFlag,
  TokenLane,
  WalletLane,
} from '../../engine/state/layout.ts'
import { priceSwap, soldPercent, usdOfQuote } from '../../engine/state/money.ts'
import type { State } from '../../engine/state/state.ts'
import { Quote } from '../../events/platform.ts'
import {
  Flag,
  hopOf,
  lamportsPerUnitOf,
  poolOf,
  SIGNATURE_LANES,
  SwapFloatLane,
  SwapLane,
  solPriceOf,
  volumeMicroUsdOf,
  walletOf,
} from '../../events/swap-record.ts'
import type { Trade } from '../../protocol/queries.ts'
import { labelExtra, WalletLabels } from '../../protocol/wallet-labels.ts'
import { jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'

const MICRO = 1e6
const SOL_DECIMALS = 9

/** Bits that judge a wallet: one that never is a holder has none of them. */
const JUDGED =
  Flag.freshWallet |
  Flag.sniperWallet |
  Flag.proTrader |
  Flag.bundleWallet |
  Flag.insiderWallet |
  Flag.creatorWallet

/**
 * The values of one folded swap of the tape in the units of the wire (contract section 1). `at` selects the swap for
 * every read after it, until a record of another block of the tape is read.
 */
export class SwapReader {
  readonly #state: State
  index = 0
  #r: Uint32Array = new Uint32Array(0)
  #rf: Float64Array = new Float64Array(0)
  #at = 0
  #token = 0
  #wallet = 0
  #flags = 0

  constructor(state: State) {
    this.#state = state
  }

  at(index: number): this {
    const { tape } = this.#state
    this.index = index
    this.#r = tape.u32Of(index)
    this.#rf = tape.f64Of(index)
    this.#at = tape.at(index)
    this.#token = this.#r[this.#at + SwapLane.token]
    this.#wallet = walletOf(this.#r, this.#at)
    this.#flags = this.#shownFlags()
    return this
  }

  /** 0: unknown. */
  get slot(): number {
    return this.is(Flag.noSlot) ? 0 : this.#rf[(this.#at >>> 1) + SwapFloatLane.slot]
  }

  get txIndex(): number {
    return this.#r[this.#at + SwapLane.txIndex]
  }

  get ordinal(): number {
    return this.#r[this.#at + SwapLane.ordinal]
  }

  /** Unix seconds. */
  get timestamp(): number {
    return this.#r[this.#at + SwapLane.timestamp]
  }

  get signature(): string {
    const at = this.#at + SwapLane.signature
    if (this.is(Flag.textSignature)) return this.#state.book.text(this.#r[at])
    const start = this.#r.byteOffset + at * 4
    return encodeBase58(new Uint8Array(this.#r.buffer, start, SIGNATURE_LANES * 4))
  }

  get source(): 'pump' | 'pump_amm' {
    return this.is(Flag.amm) ? 'pump_amm' : 'pump'
  }

  get direction(): 'buy' | 'sell' {
    return this.is(Flag.sell) ? 'sell' : 'buy'
  }

  get signer(): string {
    return this.#state.book.walletText(this.#wallet)
  }

  get mint(): string {
    return this.#state.book.mintOf(this.#token)
  }

  get pool(): string {
    return this.#state.book.text(poolOf(this.#r, this.#at))
  }

  /** One of `Flag`, as it is shown. */
  is(flag: number): boolean {
    return (this.#flags & flag) !== 0
  }

  /** Its place in a route, one of `Hop`. */
  get hop(): number {
    return hopOf(this.#r, this.#at)
  }

  /** A u64 (`SwapLane.…Lo`) to its last digit. */
  raw(lane: number): bigint {
    return readU64(this.#r, this.#at + lane)
  }

  /** Whole tokens of a u64. */
  tokens(lane: number): number {
    return wholeAt(this.#r, this.#at + lane, this.decimals)
  }

  /** Whole units of the quote of a u64. */
  units(lane: number): number {
    return wholeAt(this.#r, this.#at + lane, this.quoteDecimals)
  }

  get decimals(): number {
    return this.#state.profiles.get(this.#token, ProfileLane.decimals)
  }

  get quoteDecimals(): number {
    return this.#state.quotes.decimalsOf(this.#quote)
  }

  get quoteMint(): string {
    return this.#state.quotes.mintOf(this.#quote)
  }

  get quoteSymbol(): string {
    return this.#state.quotes.symbolOf(this.#quote)
  }

  /** Of a whole token behind the swap. */
  get price(): { readonly usd: number; readonly sol: number } {
    return priceSwap(this.#r, this.#rf, this.#at, this.#quote, this.decimals)
  }

  get solPriceUsd(): number {
    return solPriceOf(this.#rf, this.#at >>> 1)
  }

  /** An integer. */
  get volumeMicroUsd(): number {
    return volumeMicroUsdOf(this.#r, this.#rf, this.#at)
  }

  get volumeUsd(): number {
    return this.volumeMicroUsd / MICRO
  }

  /** Whole tokens. One from before any supply was known gets that of the creation, or by the decimals, that became known later. */
  get supply(): number {
    const { profiles } = this.#state
    const isPassed =
      profiles.get(this.#token, ProfileLane.tokenProgramPlus1) !== 0 ||
      (flagsOf(this.#state, this.#token) & TokenFlag.creationKnown) !== 0
    if (!this.is(Flag.supplyUnseen) || !isPassed) return this.tokens(SwapLane.supplyLo)
    const supplyAt = profiles.at(this.#token) + ProfileLane.passedSupplyLo
    return wholeAt(profiles.pageOf(this.#token), supplyAt, this.decimals)
  }

  get completionPercent(): number {
    if (this.is(Flag.complete) || this.#isAfterGraduation()) return 100
    const { profiles } = this.#state
    const initialAt = profiles.at(this.#token) + ProfileLane.initialRealBaseLo
    const profile = profiles.pageOf(this.#token)
    return soldPercent(this.#r, this.#at + SwapLane.realBaseLo, profile, initialAt)
  }

  /** At the prices that were stored with the swap. */
  get liquidityUsd(): number {
    const quote = this.#quote
    const quoteAt = this.#at + SwapLane.virtualQuoteLo
    const { solPriceUsd } = this
    if (quote < Quote.other)
      return 2 * usdOfQuote(this.units(SwapLane.virtualQuoteLo), quote, solPriceUsd)
    const lamports = lamportsPerUnitOf(this.#rf, this.#at >>> 1)
    return 2 * (((numberAt(this.#r, quoteAt) * lamports) / 1e9) * solPriceUsd)
  }

  /** Whole SOL. */
  get chainFee(): number {
    return wholeAt(this.#r, this.#at + SwapLane.chainFeeLo, SOL_DECIMALS)
  }

  /** Raw units of the quote. A curve has no liquidity providers. */
  get lpFeeRaw(): bigint {
    return this.is(Flag.amm) ? this.raw(SwapLane.lpFeeLo) : 0n
  }

  /** Whole units of the quote. */
  get lpFee(): number {
    return this.is(Flag.amm) ? this.units(SwapLane.lpFeeLo) : 0
  }

  /** Are its dollars those of a price that was known? By the prices that were stored with the swap. */
  get isPriced(): boolean {
    const quote = this.#quote
    if (quote === Quote.usdc) return true
    if (this.solPriceUsd === 0) return false
    return quote === Quote.sol || lamportsPerUnitOf(this.#rf, this.#at >>> 1) > 0
  }

  get #quote(): number {
    return this.#state.profiles.get(this.#token, ProfileLane.quote)
  }

  /** Wallets that are no holders are never flagged, even when that became known after the swap. */
  #shownFlags(): number {
    const flags = this.#r[this.#at + SwapLane.flags]
    if ((flags & JUDGED) === 0) return flags
    return isNeverHolder(this.#state, this.#token, this.#wallet) ? flags & ~JUDGED : flags
  }

  /** A migration may become known long after swaps that came behind it in the total order. */
  #isAfterGraduation(): boolean {
    const state = this.#state
    if ((flagsOf(state, this.#token) & TokenFlag.graduated) === 0) return false
    const slot = state.seldom.getF(this.#token, SeldomLane.graduatedSlotF)
    // Its index and ordinal are its own, and its slot is that of the event before it.
    if (this.is(Flag.noSlot)) return this.#rf[(this.#at >>> 1) + SwapFloatLane.slot] > slot
    const graduation = {
      slot,
      txIndex: state.seldom.get(this.#token, SeldomLane.graduatedTxIndex),
      ordinal: state.seldom.get(this.#token, SeldomLane.graduatedOrdinal),
    }
    return comparePlace(state.tape, this.index, graduation) > 0
  }
}

const NO_LABELS = new WalletLabels()

/** A trade of the tape; its numbers are counts of the state, which contains it already. */
export class TapeTrade implements Trade {
  readonly #engine: Engine
  readonly #swap: SwapReader
  readonly #labels: WalletLabels
  #index = 0
  #later = NOTHING_LATER
  /** Its swap without the last bracket; empty: not written yet. */
  #fields = ''

  constructor(engine: Engine, labels = NO_LABELS) {
    this.#engine = engine
    this.#swap = new SwapReader(engine.state)
    this.#labels = labels
  }

  /** Stands on record `index` of the tape. */
  at(index: number, later = NOTHING_LATER): this {
    this.#index = index
    this.#later = later
    this.#fields = ''
    return this
  }

  /** What hears the engine's trades, and tells them. */
  toldTo(listener: (trade: Trade) => void): (index: number, later: typeof NOTHING_LATER) => void {
    return (index, later) => listener(this.at(index, later))
  }

  get mint(): string {
    return this.#engine.state.book.mintOf(this.#lane(SwapLane.token))
  }

  get pool(): string {
    const { book, tape } = this.#engine.state
    return jsonString(book.text(poolOf(tape.u32Of(this.#index), tape.at(this.#index))))
  }

  data(extra: boolean): string {
    const swap = this.#swap.at(this.#index)
    if (this.#fields === '') this.#fields = swapFields(swap)
    return extra ? `${this.#fields}${swapExtras(swap, this.#labels)}}` : `${this.#fields}}`
  }

  get seq(): number {
    const row = this.#lane(SwapLane.token)
    return this.#engine.state.tokens.get(row, TokenLane.swaps) - this.#later.ofMint
  }

  get ordinal(): number {
    return this.#lane(SwapLane.ordinal)
  }

  get timestamp(): number {
    return this.#lane(SwapLane.timestamp)
  }

  get wallet(): string {
    return this.#engine.state.book.walletText(this.#walletRow)
  }

  get walletSeq(): number {
    return this.#engine.state.wallets.get(this.#walletRow, WalletLane.trades) - this.#later.ofWallet
  }

  get tradeSeq(): number {
    return this.#engine.counts.swaps - this.#later.swaps
  }

  get #walletRow(): number {
    const { tape } = this.#engine.state
    return walletOf(tape.u32Of(this.#index), tape.at(this.#index))
  }

  #lane(lane: number): number {
    const { tape } = this.#engine.state
    return tape.u32Of(this.#index)[tape.at(this.#index) + lane] ?? 0
  }
}

/** The swap that the reader stands on as the specification's Swap resource, with additive keys where `extra`. */
export function swapJson(swap: SwapReader, extra = false, labels = NO_LABELS): string {
  return `${swapFields(swap)}${extra ? swapExtras(swap, labels) : ''}}`
}

/** The specification's keys of a swap, without the bracket that ends it. */
function swapFields(swap: SwapReader): string {
  const priceUsd = swap.price.usd
  return (
    `{"slot":${swap.slot},"tx_index":${swap.txIndex}` +
    `,"signature":${jsonString(swap.signature)},"timestamp":"${timeText(swap.timestamp)}"` +
    `,"source":"${swap.source}","direction":"${swap.direction}"` +
    `,"signer":${jsonString(swap.signer)},"mint":${jsonString(swap.mint)}` +
    `,"pool":${jsonString(swap.pool)}` +
    `,"base_mint_amount":${jsonNumber(swap.tokens(SwapLane.baseLo))}` +
    `,"quote_mint_amount":${jsonNumber(swap.units(SwapLane.quoteLo))}` +
    `,"base_mint_price_usd":${jsonNumber(priceUsd)},"sol_price_usd":${jsonNumber(swap.solPriceUsd)}` +
    `,"volume_usd":${jsonNumber(swap.volumeUsd)}` +
    `,"m_cap_usd":${jsonNumber(priceUsd * swap.supply)}` +
    `,"bonding_curve_progress":${jsonNumber(swap.completionPercent)}` +
    `,"liquidity_usd":${jsonNumber(swap.liquidityUsd)},"chain_fee":${jsonNumber(swap.chainFee)}` +
    `,"platform_fee":${jsonNumber(swap.units(SwapLane.platformFeeLo))}` +
    `,"creator_fee":${jsonNumber(swap.units(SwapLane.creatorFeeLo))}` +
    `,"base_balance_before":${jsonNumber(swap.tokens(SwapLane.balanceBeforeLo))}` +
    `,"base_balance_after":${jsonNumber(swap.tokens(SwapLane.balanceAfterLo))}` +
    `,"fresh_wallet":${swap.is(Flag.freshWallet)},"sniper_wallet":${swap.is(Flag.sniperWallet)}` +
    `,"pro_trader":${swap.is(Flag.proTrader)}`
  )
}

/** Additive keys of a swap: fees in whole units of its quote, and whether its dollars are those of a price that was known. */
function swapExtras(swap: SwapReader, labels: WalletLabels): string {
  return (
    `,"lp_fee":${jsonNumber(swap.lpFee)}` +
    `,"cashback":${jsonNumber(swap.units(SwapLane.cashbackLo))}` +
    `,"quote_mint":${jsonString(swap.quoteMint)},"quote_symbol":${jsonString(swap.quoteSymbol)}` +
    `,"priced":${swap.isPriced}` +
    labelExtra(labels, 'signer_label', swap.signer)
  )
}
