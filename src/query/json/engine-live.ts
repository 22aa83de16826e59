/**
 * What the live feed tells of an engine: each swap of the tape, as JSON and as a message; launches and migrations; and
 * the newest arrivals, from which a stream that was left goes on.
 */

import type { Engine } from '../../engine/engine.ts'
import { NOTHING_LATER } from '../../engine/event-acceptor.ts'
import { untouchedByScattered } from '../../engine/memory/views.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { TokenLane, WalletLane } from '../../engine/state/layout.ts'
import { indexOfMark, markOf, type Tape } from '../../engine/state/tape.ts'
import { Flag, poolOf, SwapLane, walletOf } from '../../events/swap-record.ts'
import { type LiveSource, RECENT_ARRIVALS_MAX, type Trade } from '../../protocol/queries.ts'
import { labelExtra, WalletLabels } from '../../protocol/wallet-labels.ts'
import {
  type AnnouncedChannel,
  type EventMessage,
  jsonNumber,
  jsonString,
  timeText,
} from '../../protocol/wire.ts'
import { SwapReader } from './swap-reader.ts'
import { tokenJson } from './token-json.ts'

/** The engine's facts as messages of the live feed. */
export class EngineLive implements LiveSource {
  #engine: Engine
  readonly #labels: WalletLabels
  /** Each begins to hear an engine; the answer ends that. */
  readonly #listeners: ((engine: Engine) => () => void)[] = []
  /** Ends of those that hear the engine. */
  #ends: (() => void)[] = []
  readonly #alertListeners: ((message: EventMessage, seq: number) => void)[] = []

  constructor(engine: Engine, labels = NO_LABELS) {
    this.#engine = engine
    this.#labels = labels
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
      const trade = new TapeTrade(engine, this.#labels)
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

const NO_LABELS = new WalletLabels()

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
