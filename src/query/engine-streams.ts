import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import { indexOfMark, markOf } from '../engine/history/swap-chains.ts'
import type { U32List } from '../engine/memory/rows.ts'
import { boundedPart, type MemoryPart } from '../engine/memory/state-part.ts'
import { untouchedByScattered } from '../engine/memory/views.ts'
import { swapsArrivedAfter } from '../engine/order/arrival-order.ts'
import { TokenLane, WalletLane } from '../engine/state/layout.ts'
import type { Tape } from '../engine/state/tape.ts'
import { SwapLane, walletOf } from '../events/swap-record.ts'
import { jsonNumber, jsonString } from '../protocol/json-text.ts'
import {
  type AnnouncedChannel,
  eventFrame,
  type StreamChannel,
  snapshotFrame,
} from '../protocol/live-frames.ts'
import type { Queries, TokenReads } from '../protocol/queries.ts'
import { type LiveStreams, RECENT_ARRIVALS_MAX, type StreamSource } from '../protocol/streams.ts'
import { Announcement, TapeTrade } from './engine-live.ts'
import { knownToken, knownWallet } from './known.ts'

/** Messages a snapshot of launches or migrations shows. */
export const SNAPSHOT_MESSAGES = 50
const WALLET_SNAPSHOT = {
  page: 1,
  limit: 50,
  orderBy: 'last_active_ts',
  direction: 'desc',
} as const

const MASK = RECENT_ARRIVALS_MAX - 1

interface StreamParts {
  readonly engine: Engine
  readonly answers: Queries
  readonly reads: TokenReads
  readonly epoch: () => string
}

/** The numbered streams, out of the engine's state (docs/decisions/0008). */
export class EngineStreams implements LiveStreams {
  readonly sources: { readonly [C in StreamChannel]: StreamSource }
  readonly #parts: StreamParts
  readonly #trade: TapeTrade
  readonly #announcement: Announcement
  /** Null until the recovery is done. */
  #recent: RecentArrivals | null = null

  constructor(parts: StreamParts) {
    this.#parts = parts
    this.#trade = new TapeTrade(parts.engine)
    this.#announcement = new Announcement(parts.engine)
    this.sources = {
      update_mint_info: this.#tradesOfMints(),
      mint_migration: this.#announced('mint_migration'),
      new_launched_pool: this.#announced('new_launched_pool'),
      wallet_trades: this.#tradesOfWallets(),
      all_trades: this.#allTrades(),
    }
  }

  /** Begins to note arrivals: after the recovery, and before the first event behind it. */
  attach(): void {
    const { engine } = this.#parts
    const recent = new RecentArrivals(engine.state.tape, engine.counts.swaps)
    this.#recent = recent
    engine.facts.on('trade', (index) => recent.note(index))
  }

  get memory(): MemoryPart {
    return boundedPart('recent_arrivals', ...(this.#recent === null ? [] : [this.#recent]))
  }

  isReady(): boolean {
    return this.#recent !== null
  }

  epoch(): string {
    return this.#parts.epoch()
  }

  position(): number {
    return this.#parts.engine.seq
  }

  now(): number {
    return this.#parts.reads.now()
  }

  settledTime(): number {
    const { engine } = this.#parts
    const { tape } = engine.state
    const last = engine.settledSwaps - 1
    return last < 0 ? 0 : tape.u32Of(last)[tape.at(last) + SwapLane.timestamp]
  }

  lateFolded(): number {
    return this.#parts.engine.counts.lateFolded
  }

  poolsSnapshot(mints: readonly string[], extra = false): string {
    const heads = mints.map(
      (mint) => `${jsonString(mint)}:${this.sources.update_mint_info.head(mint)}`,
    )
    const data = this.#parts.answers.marketData(mints, extra, Budget.unlimited)
    return (
      `{"channel":"update_pools_info","type":"snapshot","seqs":{${heads.join(',')}}` +
      `,"epoch":${jsonString(this.epoch())},"position":${this.position()},"data":${data}}`
    )
  }

  #tradesOfMints(): StreamSource {
    const { engine, reads } = this.#parts
    const { state } = engine
    const head = (mint: string) => {
      const token = knownToken(state, mint)
      return token < 0 ? 0 : state.tokens.get(token, TokenLane.swaps)
    }
    return {
      head,
      since: (mint, after, max, extra) => {
        const token = knownToken(state, mint)
        if (token < 0) return []
        const found = swapsArrivedAfter(state, token, after)
        if (typeof found === 'string') return found
        return this.#frames('update_mint_info', mint, found.slice(0, max), after, extra)
      },
      snapshot: (mint, _extra, budget) => {
        const data = reads.detail(mint, budget) ?? 'null'
        return this.#snapshot('update_mint_info', mint, head(mint), data)
      },
    }
  }

  #announced(channel: AnnouncedChannel): StreamSource {
    const { engine } = this.#parts
    const list = (): U32List =>
      channel === 'mint_migration' ? engine.announcements.migrations : engine.announcements.launches
    const message = (place: number) => this.#announcement.at(channel, list().get(place))
    const since = (_key: string, after: number, max: number) => {
      const end = Math.min(list().length, after + max)
      const frames: string[] = []
      for (let place = after; place < end; place++) {
        const number = { seq: place + 1, epoch: this.epoch(), extra: false }
        frames.push(eventFrame(channel, message(place), number))
      }
      return frames
    }
    return {
      head: () => list().length,
      since,
      snapshot: (key) => {
        const from = Math.max(0, list().length - SNAPSHOT_MESSAGES)
        const data: string[] = []
        for (let place = from; place < list().length; place++) data.push(message(place).data())
        return this.#snapshot(channel, key, list().length, `[${data.join(',')}]`)
      },
    }
  }

  #tradesOfWallets(): StreamSource {
    const { engine, answers } = this.#parts
    const { state } = engine
    const head = (wallet: string) => {
      const row = knownWallet(state, wallet)
      return row < 0 ? 0 : state.wallets.get(row, WalletLane.trades)
    }
    return {
      head,
      since: (wallet, after, max, extra) => {
        const count = head(wallet) - after
        const numbers = this.#recent?.ofWallet(knownWallet(state, wallet), count) ?? null
        if (numbers === null) return 'too_old'
        const found = this.#indexesOf(numbers.slice(0, max))
        return found === null
          ? 'too_old'
          : this.#frames('wallet_trades', wallet, found, after, extra)
      },
      snapshot: (wallet, extra, budget) => {
        const data = answers.walletTokens(wallet, { ...WALLET_SNAPSHOT, extra }, budget)
        return this.#snapshot('wallet_trades', wallet, head(wallet), data)
      },
    }
  }

  #allTrades(): StreamSource {
    const { engine } = this.#parts
    return {
      head: () => engine.counts.swaps,
      since: (_key, after, max, extra) => {
        if (after < (this.#recent?.first ?? engine.counts.swaps)) return 'too_old'
        const count = Math.min(max, engine.counts.swaps - after)
        const found = this.#indexesOf(Array.from({ length: count }, (_, i) => after + 1 + i))
        return found === null ? 'too_old' : this.#frames('all_trades', '', found, after, extra)
      },
      snapshot: (key) =>
        this.#snapshot('all_trades', key, engine.counts.swaps, this.#marketFigures()),
    }
  }

  /** Where the trades stand that arrived with these numbers; null: one is not remembered. */
  #indexesOf(numbers: readonly number[]): number[] | null {
    const indexes = numbers.map((number) => this.#recent?.indexOf(number) ?? -1)
    return indexes.includes(-1) ? null : indexes
  }

  /** Frames of trades of the tape, those behind seq `after` of a stream. */
  #frames(
    channel: StreamChannel,
    key: string,
    indexes: readonly number[],
    after: number,
    extra = false,
  ): string[] {
    const epoch = this.epoch()
    return indexes.map((index, i) =>
      eventFrame(channel, this.#trade.at(index), { seq: after + 1 + i, epoch, extra }, key),
    )
  }

  #snapshot(channel: StreamChannel, key: string, seq: number, data: string): string {
    return snapshotFrame({ channel, key, seq, epoch: this.epoch() }, this.position(), data)
  }

  #marketFigures(): string {
    const { state, counts } = this.#parts.engine
    return (
      `{"tokens":${state.tokens.count},"wallets":${state.wallets.count},"swaps":${counts.swaps}` +
      `,"sol_price_usd":${jsonNumber(state.solPriceUsd)},"time":${state.now}}`
    )
  }
}

/**
 * Where the newest swaps stand in the tape, by the order in which they arrived. Late ones move the
 * records behind them, so a place is kept as where it was, and what the swap is known by there or further on.
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

  /** `arrived`: swaps that arrived before this process began to look. */
  constructor(tape: Tape, arrived: number) {
    this.#tape = tape
    this.#first = arrived
    this.#last = arrived
  }

  get bytes(): number {
    const columns = [this.#indexes, this.#ordinals, this.#words, this.#wallets]
    const chains = [this.#newest, this.#olders]
    return [...columns, ...chains].reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Arrivals are written one behind the other; those by wallet, all over. */
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
  note(index: number): void {
    const { ordinal, word } = markOf(this.#tape, index)
    const place = this.#last & MASK
    this.#indexes[place] = index
    this.#ordinals[place] = ordinal
    this.#words[place] = word
    const wallet = walletOf(this.#tape.u32Of(index), this.#tape.at(index))
    this.#wallets[place] = wallet
    this.#last += 1
    this.#olders[place] = this.#newest[wallet & MASK]
    this.#newest[wallet & MASK] = this.#last
  }

  /**
   * Numbers of the newest `count` arrivals of a wallet row, oldest first; null when not so many are
   * remembered. Looks at its own alone: a client asks for hundreds of wallets in one message.
   */
  ofWallet(wallet: number, count: number): number[] | null {
    const found: number[] = []
    let number = this.#newest[wallet & MASK]
    for (; found.length < count && number > this.first; number = this.#olders[(number - 1) & MASK])
      if (this.#wallets[(number - 1) & MASK] === wallet) found.push(number)
    return found.length < count ? null : found.reverse()
  }

  /** Tape index of arrival `number`, from 1; good until the next event. -1 should it not be there. */
  indexOf(number: number): number {
    const place = (number - 1) & MASK
    const [index, ordinal, word] = [this.#indexes[place], this.#ordinals[place], this.#words[place]]
    return indexOfMark(this.#tape, { index, ordinal, word }, this.#tape.count)
  }
}
