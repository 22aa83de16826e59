/**
 * What the live feed tells of an engine: each swap of the tape, as JSON and as a message; launches and migrations; and
 * the newest arrivals, from which a stream that was left goes on.
 */

import { encodeBase58 } from '../../base/base58.ts'
import { numberAt, wholeAt } from '../../base/u64.ts'
import type { Engine } from '../../engine/engine.ts'
import { NOTHING_LATER } from '../../engine/event-acceptor.ts'
import { ROW_MASK, ROW_SHIFT } from '../../engine/memory/rows.ts'
import { untouchedByScattered } from '../../engine/memory/views.ts'
import { comparePlace } from '../../engine/order/position-resolver.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { flagsOf, isNeverHolder } from '../../engine/state/lanes.ts'
import { LifecycleLane, TokenFlag, TokenLane, WalletLane } from '../../engine/state/layout.ts'
import { priceSwap, soldPercent, usdOfQuote } from '../../engine/state/money.ts'
import type { State } from '../../engine/state/state.ts'
import { indexOfMark, markOf, type Tape } from '../../engine/state/tape.ts'
import { Quote } from '../../events/platform.ts'
import {
  Flag,
  lamportsPerUnitOf,
  poolOf,
  SIGNATURE_LANES,
  SwapFloatLane,
  SwapLane,
  solPriceOf,
  volumeMicroUsdOf,
  walletOf,
} from '../../events/swap-record.ts'
import { type LiveSource, RECENT_ARRIVALS_MAX, type Trade } from '../../protocol/queries.ts'
import {
  type AnnouncedChannel,
  type EventMessage,
  jsonNumber,
  jsonString,
  timeText,
} from '../../protocol/wire.ts'
import { tokenJson } from './token-json.ts'

/** The engine's facts as messages of the live feed. */
export class EngineLive implements LiveSource {
  #engine: Engine
  /** Each begins to hear an engine; the answer ends that. */
  readonly #listeners: ((engine: Engine) => () => void)[] = []
  /** Ends of those that hear the engine. */
  #ends: (() => void)[] = []
  readonly #alertListeners: ((message: EventMessage, seq: number) => void)[] = []

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Publishes the facts of another engine, once `attach` was called. */
  use(engine: Engine): void {
    for (const end of this.#ends) end()
    this.#ends = []
    this.#engine = engine
  }

  /** Begins to publish: after the recovery, whose events were published before the stop. */
  attach(): void {
    for (const listen of this.#listeners.slice(this.#ends.length))
      this.#ends.push(listen(this.#engine))
  }

  onTrade(listener: (trade: Trade) => void): void {
    this.#listeners.push((engine) => {
      const trade = new TapeTrade(engine)
      return engine.facts.on('trade', (i, later) => listener(trade.at(i, later)))
    })
  }

  onAnnounced(listener: (channel: AnnouncedChannel, message: EventMessage) => void): void {
    this.#listeners.push((engine) => {
      const announced = new Announcement(engine)
      const listen = (channel: AnnouncedChannel) => (token: number) =>
        listener(channel, announced.at(channel, token))
      const ends = [
        engine.facts.on('created', listen('new_launched_pool')),
        engine.facts.on('migration', listen('mint_migration')),
      ]
      return () => {
        for (const end of ends) end()
      }
    })
  }

  onAlert(listener: (message: EventMessage, seq: number) => void): void {
    this.#alertListeners.push(listener)
  }

  /** Publishes an alert, which is JSON text. */
  alerted(body: string, seq: number): void {
    const message = { pool: null, ordinal: null, data: () => body }
    for (const listener of this.#alertListeners) listener(message, seq)
  }

  onRepriced(listener: (mint: string) => void): void {
    this.#listeners.push(({ facts, state }) =>
      facts.on('repriced', (token) => listener(state.book.mintOf(token))),
    )
  }
}

/** A trade of the tape; its numbers are counts of the state, which contains it already. */
export class TapeTrade implements Trade {
  readonly #engine: Engine
  #index = 0
  #later = NOTHING_LATER
  /** Its swap without the last bracket; empty: not written yet. */
  #fields = ''

  constructor(engine: Engine) {
    this.#engine = engine
  }

  /** Stands on record `index` of the tape. */
  at(index: number, later = NOTHING_LATER): this {
    this.#index = index
    this.#later = later
    this.#fields = ''
    return this
  }

  get mint(): string {
    return this.#engine.state.book.mintOf(this.#lane(SwapLane.token))
  }

  get pool(): string {
    const { book, tape } = this.#engine.state
    return jsonString(book.text(poolOf(tape.u32Of(this.#index), tape.at(this.#index))))
  }

  data(extra: boolean): string {
    const { state } = this.#engine
    if (this.#fields === '') this.#fields = swapFields(state, this.#index)
    return extra ? `${this.#fields}${swapExtras(state, this.#index)}}` : `${this.#fields}}`
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

/** The launch or the migration of a token. */
export class Announcement implements EventMessage {
  readonly #token: TokenReader
  #channel: AnnouncedChannel = 'new_launched_pool'

  constructor(engine: Engine) {
    this.#token = new TokenReader(engine.state, engine.top, engine.links)
  }

  /** Stands on a token; for `mint_migration` it has migrated. */
  at(channel: AnnouncedChannel, token: number): this {
    this.#channel = channel
    this.#token.at(token)
    return this
  }

  get pool(): string | null {
    return this.#channel === 'mint_migration' ? null : jsonString(this.#token.pool)
  }

  get ordinal(): null {
    return null
  }

  data(): string {
    const token = this.#token
    if (this.#channel === 'new_launched_pool') return tokenJson(token, 'search')
    return (
      `{"signature":${jsonString(token.migrationSignature ?? '')}` +
      `,"timestamp":"${timeText(token.migratedAt ?? 0)}"` +
      `,"bonding_curve":${jsonString(token.bondingCurve)},"mint":${jsonString(token.mint)}` +
      `,"pool_amm":${jsonString(token.poolAmm)}}`
    )
  }
}

const MASK = RECENT_ARRIVALS_MAX - 1

/**
 * The places of the newest swaps by arrival. A late swap moves the records behind it, so each place has a mark by which
 * its swap is found there or further on.
 */
export class RecentArrivals {
  readonly #tape: Tape
  readonly #indexes = new Float64Array(RECENT_ARRIVALS_MAX)
  readonly #ordinals = new Uint32Array(RECENT_ARRIVALS_MAX)
  readonly #words = new Uint32Array(RECENT_ARRIVALS_MAX)
  readonly #wallets = new Uint32Array(RECENT_ARRIVALS_MAX)
  /** By the last bits of a wallet's row: number of the newest arrival of such a wallet. */
  readonly #newest = new Float64Array(RECENT_ARRIVALS_MAX)
  /** Number of the one before it of such a wallet; forgotten ones are numbers up to `first`. */
  readonly #olders = new Float64Array(RECENT_ARRIVALS_MAX)
  readonly #first: number
  #last: number

  /** `arrived`: swaps that arrived before the recovery was done. */
  constructor(tape: Tape, arrived: number) {
    this.#tape = tape
    this.#first = arrived
    this.#last = arrived
  }

  get bytes(): number {
    const places = [this.#indexes, this.#ordinals, this.#words, this.#wallets, this.#olders]
    return places.reduce((sum, one) => sum + one.byteLength, this.#newest.byteLength)
  }

  /** Arrivals are written one behind the other; the columns by wallet at scattered places. */
  get untouchedBytes(): number {
    const noted = this.#last - this.first
    const byWallet = this.#newest.byteLength
    const placeBytes = (this.bytes - byWallet) / RECENT_ARRIVALS_MAX
    return placeBytes * (RECENT_ARRIVALS_MAX - noted) + untouchedByScattered(byWallet, noted)
  }

  /** Arrivals behind this number are remembered. */
  get first(): number {
    return Math.max(this.#first, this.#last - RECENT_ARRIVALS_MAX)
  }

  /** Notes the newest arrival, record `index` of the tape. */
  readonly note = (index: number): void => {
    const { ordinal, word } = markOf(this.#tape, index)
    const place = this.#last & MASK
    this.#indexes[place] = index
    this.#ordinals[place] = ordinal
    this.#words[place] = word
    const wallet = walletOf(this.#tape.u32Of(index), this.#tape.at(index))
    this.#wallets[place] = wallet
    this.#last += 1
    this.#olders[place] = this.#newest[wallet & MASK] ?? 0
    this.#newest[wallet & MASK] = this.#last
  }

  /**
   * Numbers of the newest `count` arrivals of a wallet row, oldest first; null when fewer are remembered. Follows the
   * wallet's own arrivals alone: a client asks for hundreds of wallets in one message.
   */
  ofWallet(wallet: number, count: number): number[] | null {
    const found: number[] = []
    let number = this.#newest[wallet & MASK] ?? 0
    while (found.length < count && number > this.first) {
      const place = (number - 1) & MASK
      if (this.#wallets[place] === wallet) found.push(number)
      number = this.#olders[place] ?? 0
    }
    return found.length < count ? null : found.reverse()
  }

  /** Tape index of arrival `number`, from 1; valid until the next event. -1: it is not there. */
  indexOf(number: number): number {
    const place = (number - 1) & MASK
    const { [place]: index = 0 } = this.#indexes
    const { [place]: ordinal = 0 } = this.#ordinals
    const { [place]: word = 0 } = this.#words
    return indexOfMark(this.#tape, { index, ordinal, word }, this.#tape.count)
  }
}

const MICRO = 1e6
const SOL_DECIMALS = 9

/** Swap `index` of the tape as the specification's Swap resource, with additive keys where `extra`. */
export function swapJson(state: State, index: number, extra = false): string {
  return `${swapFields(state, index)}${extra ? swapExtras(state, index) : ''}}`
}

/** The specification's keys of a swap, without the bracket that ends it. */
function swapFields(state: State, index: number): string {
  const r = state.tape.u32Of(index)
  const rf = state.tape.f64Of(index)
  const at = state.tape.at(index)
  const token = r[at + SwapLane.token]
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LifecycleLane.lanes
  const wallet = walletOf(r, at)
  const flags = shownFlags(state, r[at + SwapLane.flags], token, wallet)
  const quote = b[bAt + LifecycleLane.quote]
  const decimals = b[bAt + LifecycleLane.decimals]
  const quoteDecimals = state.quotes.decimalsOf(quote)
  const solPriceUsd = solPriceOf(rf, at >>> 1)
  const { usd: priceUsd } = priceSwap(r, rf, at, quote, decimals)
  const liquidity = 2 * reserveUsd(r, rf, at, quote, quoteDecimals)
  const isSlotKnown = (flags & Flag.noSlot) === 0
  const isComplete = (flags & Flag.complete) !== 0 || isAfterGraduation(state, index, token)
  const progress = isComplete
    ? 100
    : soldPercent(r, at + SwapLane.realBaseLo, b, bAt + LifecycleLane.initialRealBaseLo)
  return (
    `{"slot":${isSlotKnown ? rf[(at >>> 1) + SwapFloatLane.slot] : 0},"tx_index":${r[at + SwapLane.txIndex]}` +
    `,"signature":${signatureJson(state, r, at)},"timestamp":"${timeText(r[at + SwapLane.timestamp])}"` +
    `,"source":"${flags & Flag.amm ? 'pump_amm' : 'pump'}"` +
    `,"direction":"${flags & Flag.sell ? 'sell' : 'buy'}"` +
    `,"signer":${jsonString(state.book.walletText(wallet))}` +
    `,"mint":${jsonString(state.book.mintOf(token))}` +
    `,"pool":${jsonString(state.book.text(poolOf(r, at)))}` +
    `,"base_mint_amount":${jsonNumber(wholeAt(r, at + SwapLane.baseLo, decimals))}` +
    `,"quote_mint_amount":${jsonNumber(wholeAt(r, at + SwapLane.quoteLo, quoteDecimals))}` +
    `,"base_mint_price_usd":${jsonNumber(priceUsd)},"sol_price_usd":${jsonNumber(solPriceUsd)}` +
    `,"volume_usd":${jsonNumber(volumeMicroUsdOf(r, rf, at) / MICRO)}` +
    `,"m_cap_usd":${jsonNumber(priceUsd * supplyOf(state, r, at, decimals))}` +
    `,"bonding_curve_progress":${jsonNumber(progress)},"liquidity_usd":${jsonNumber(liquidity)}` +
    `,"chain_fee":${jsonNumber(wholeAt(r, at + SwapLane.chainFeeLo, SOL_DECIMALS))}` +
    `,"platform_fee":${jsonNumber(wholeAt(r, at + SwapLane.platformFeeLo, quoteDecimals))}` +
    `,"creator_fee":${jsonNumber(wholeAt(r, at + SwapLane.creatorFeeLo, quoteDecimals))}` +
    `,"base_balance_before":${jsonNumber(wholeAt(r, at + SwapLane.balanceBeforeLo, decimals))}` +
    `,"base_balance_after":${jsonNumber(wholeAt(r, at + SwapLane.balanceAfterLo, decimals))}` +
    `,"fresh_wallet":${(flags & Flag.freshWallet) !== 0}` +
    `,"sniper_wallet":${(flags & Flag.sniperWallet) !== 0}` +
    `,"pro_trader":${(flags & Flag.proTrader) !== 0}`
  )
}

/**
 * Additive keys of swap `index` of the tape: fees in whole units of its quote, and whether its dollars are
 * those of a price that was known. A curve has no liquidity providers.
 */
function swapExtras(state: State, index: number): string {
  const r = state.tape.u32Of(index)
  const rf = state.tape.f64Of(index)
  const at = state.tape.at(index)
  const token = r[at + SwapLane.token]
  const quote =
    state.births.u32[token >>> ROW_SHIFT][
      (token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.quote
    ]
  const decimals = state.quotes.decimalsOf(quote)
  const lpFee = r[at + SwapLane.flags] & Flag.amm ? wholeAt(r, at + SwapLane.lpFeeLo, decimals) : 0
  return (
    `,"lp_fee":${jsonNumber(lpFee)}` +
    `,"cashback":${jsonNumber(wholeAt(r, at + SwapLane.cashbackLo, decimals))}` +
    `,"quote_mint":${jsonString(state.quotes.mintOf(quote))}` +
    `,"quote_symbol":${jsonString(state.quotes.symbolOf(quote))}` +
    `,"priced":${wasPriced(rf, at >>> 1, quote)}`
  )
}

/** By the prices that were stored with the swap, from f64 lane `atF` on. */
function wasPriced(rf: Float64Array, atF: number, quote: number): boolean {
  if (quote === Quote.usdc) return true
  if (solPriceOf(rf, atF) === 0) return false
  return quote === Quote.sol || lamportsPerUnitOf(rf, atF) > 0
}

/** Dollars of the quote reserve behind the swap, at the prices that were stored with it. */
function reserveUsd(
  r: Uint32Array,
  rf: Float64Array,
  at: number,
  quote: number,
  quoteDecimals: number,
): number {
  const solPriceUsd = solPriceOf(rf, at >>> 1)
  const quoteAt = at + SwapLane.virtualQuoteLo
  if (quote < Quote.other) return usdOfQuote(wholeAt(r, quoteAt, quoteDecimals), quote, solPriceUsd)
  return ((numberAt(r, quoteAt) * lamportsPerUnitOf(rf, at >>> 1)) / 1e9) * solPriceUsd
}

/** A migration may become known long after swaps that came behind it in the total order. */
function isAfterGraduation(state: State, index: number, token: number): boolean {
  if ((flagsOf(state, token) & TokenFlag.graduated) === 0) return false
  const b = state.births.u32[token >>> ROW_SHIFT]
  const at = (token & ROW_MASK) * LifecycleLane.lanes
  const bf = state.births.f64[token >>> ROW_SHIFT]
  const { tape } = state
  const slot = bf[(at >>> 1) + LifecycleLane.graduatedSlotF]
  const isSlotless = (tape.u32Of(index)[tape.at(index) + SwapLane.flags] & Flag.noSlot) !== 0
  // Its index and ordinal are its own, and its slot is that of the event before it.
  if (isSlotless) return tape.f64Of(index)[(tape.at(index) >>> 1) + SwapFloatLane.slot] > slot
  const graduation = {
    slot,
    txIndex: b[at + LifecycleLane.graduatedTxIndex],
    ordinal: b[at + LifecycleLane.graduatedOrdinal],
  }
  return comparePlace(tape, index, graduation) > 0
}

/** A swap from before any supply was known gets that of the creation, or by the decimals, that became known later. */
function supplyOf(state: State, r: Uint32Array, at: number, decimals: number): number {
  const token = r[at + SwapLane.token]
  const b = state.births.u32[token >>> ROW_SHIFT]
  const bAt = (token & ROW_MASK) * LifecycleLane.lanes
  const isPassed = b[bAt + LifecycleLane.tokenProgramPlus1] !== 0 || isCreationKnown(state, token)
  if ((r[at + SwapLane.flags] & Flag.supplyUnseen) === 0 || !isPassed)
    return wholeAt(r, at + SwapLane.supplyLo, decimals)
  return wholeAt(b, bAt + LifecycleLane.passedSupplyLo, decimals)
}

function isCreationKnown(state: State, token: number): boolean {
  return (flagsOf(state, token) & TokenFlag.creationKnown) !== 0
}

/** Wallets that are no holders are never flagged, even when that became known after the swap. */
function shownFlags(state: State, flags: number, token: number, wallet: number): number {
  const judged = Flag.freshWallet | Flag.sniperWallet | Flag.proTrader
  return flags & judged && isNeverHolder(state, token, wallet) ? flags & ~judged : flags
}

function signatureJson(state: State, r: Uint32Array, at: number): string {
  if (r[at + SwapLane.flags] & Flag.textSignature)
    return jsonString(state.book.text(r[at + SwapLane.signature]))
  const start = r.byteOffset + (at + SwapLane.signature) * 4
  return `"${encodeBase58(new Uint8Array(r.buffer, start, SIGNATURE_LANES * 4))}"`
}
