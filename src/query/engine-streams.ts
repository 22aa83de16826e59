import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import { indexOfMark, markOf } from '../engine/history/swap-chains.ts'
import { boundedPart, type MemoryPart } from '../engine/memory/state-part.ts'
import type { U32List } from '../engine/memory/u32-list.ts'
import { untouchedByScattered } from '../engine/memory/views.ts'
import { swapsArrivedAfter } from '../engine/order/arrival-order.ts'
import { tokenLane, walletLane } from '../engine/state/lanes.ts'
import { TokenLane, WalletLane } from '../engine/state/layout.ts'
import type { Tape } from '../engine/state/tape.ts'
import { SwapLane, walletOf } from '../events/swap-record.ts'
import { jsonNumber, jsonString } from '../protocol/json-text.ts'
import {
  type AnnouncedChannel,
  numbered,
  type ResyncReason,
  renamed,
  type StreamChannel,
  snapshotFrame,
  walletKey,
} from '../protocol/live-frames.ts'
import type { Queries, TokenReads } from '../protocol/queries.ts'
import { type LiveStreams, RECENT_ARRIVALS_MAX, type StreamSource } from '../protocol/streams.ts'
import type { EngineLive } from './engine-live.ts'
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
  readonly live: EngineLive
  readonly answers: Queries
  readonly reads: TokenReads
  readonly epoch: () => string
}

/** The numbered streams, out of the engine's state (docs/decisions/0008). */
export class EngineStreams implements LiveStreams {
  readonly sources: { readonly [C in StreamChannel]: StreamSource }
  readonly #parts: StreamParts
  /** Null until the recovery is done. */
  #recent: RecentArrivals | null = null

  constructor(parts: StreamParts) {
    this.#parts = parts
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
      return token < 0 ? 0 : tokenLane(state, token, TokenLane.swaps)
    }
    return {
      head,
      since: (mint, after, max, extra) => {
        const token = knownToken(state, mint)
        if (token < 0) return []
        const found = swapsArrivedAfter(state, token, after)
        if (typeof found === 'string') return found
        return found.slice(0, max).map((index, i) => this.#trade(index, after + 1 + i, extra))
      },
      snapshot: (mint, _extra, budget) => {
        const data = reads.detail(mint, budget) ?? 'null'
        return this.#snapshot('update_mint_info', mint, head(mint), data)
      },
    }
  }

  #announced(channel: AnnouncedChannel): StreamSource {
    const { engine, live } = this.#parts
    const list = (): U32List =>
      channel === 'mint_migration' ? engine.announcements.migrations : engine.announcements.launches
    const message = (place: number) =>
      channel === 'mint_migration'
        ? live.migrationMessage(list().get(place))
        : live.launchMessage(list().get(place))
    const since = (_key: string, after: number, max: number) => {
      const end = Math.min(list().length, after + max)
      const frames: string[] = []
      for (let place = after; place < end; place++)
        frames.push(numbered(message(place), this.#number(place + 1, null)))
      return frames
    }
    return {
      head: () => list().length,
      since,
      snapshot: (key) => {
        const from = Math.max(0, list().length - SNAPSHOT_MESSAGES)
        const data: string[] = []
        for (let place = from; place < list().length; place++) data.push(dataOf(message(place)))
        return this.#snapshot(channel, key, list().length, `[${data.join(',')}]`)
      },
    }
  }

  #tradesOfWallets(): StreamSource {
    const { engine, answers } = this.#parts
    const { state } = engine
    const head = (wallet: string) => {
      const row = knownWallet(state, wallet)
      return row < 0 ? 0 : walletLane(state, row, WalletLane.trades)
    }
    return {
      head,
      since: (wallet, after, max, extra) => {
        const numbers = this.#arrivalsOf(knownWallet(state, wallet), head(wallet) - after)
        if (typeof numbers === 'string') return numbers
        return this.#frames(numbers.slice(0, max), extra, (message, i, ordinal) =>
          numbered(
            renamed(message, 'wallet_trades', walletKey(wallet)),
            this.#number(after + 1 + i, ordinal),
          ),
        )
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
        const numbers = Array.from({ length: count }, (_, i) => after + 1 + i)
        return this.#frames(numbers, extra, (message, i, ordinal) =>
          numbered(renamed(message, 'all_trades'), this.#number(numbers[i], ordinal)),
        )
      },
      snapshot: (key) =>
        this.#snapshot('all_trades', key, engine.counts.swaps, this.#marketFigures()),
    }
  }

  /** Arrival numbers of a wallet's newest `count` trades, oldest first. */
  #arrivalsOf(row: number, count: number): number[] | ResyncReason {
    return this.#recent?.ofWallet(row, count) ?? 'too_old'
  }

  #frames(
    numbers: readonly number[],
    extra: boolean | undefined,
    frame: (message: string, i: number, ordinal: number) => string,
  ): string[] | ResyncReason {
    const frames: string[] = []
    for (const [i, number] of numbers.entries()) {
      const index = this.#recent?.indexOf(number) ?? -1
      if (index < 0) return 'too_old'
      frames.push(frame(this.#parts.live.tradeMessage(index, extra), i, this.#ordinal(index)))
    }
    return frames
  }

  #trade(index: number, seq: number, extra: boolean | undefined): string {
    const { live } = this.#parts
    return numbered(live.tradeMessage(index, extra), this.#number(seq, this.#ordinal(index)))
  }

  #ordinal(index: number): number {
    const { tape } = this.#parts.engine.state
    return tape.u32Of(index)[tape.at(index) + SwapLane.ordinal]
  }

  #number(seq: number, ordinal: number | null) {
    return { seq, epoch: this.epoch(), ordinal }
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

/** The data of a message whose last key it is. */
function dataOf(message: string): string {
  const key = ',"data":'
  return message.slice(message.indexOf(key) + key.length, -1)
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

  /** Places are written one behind the other; those by wallet, all over. */
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
