import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import { NOTHING_LATER } from '../engine/event-acceptor.ts'
import { boundedPart, type MemoryPart } from '../engine/memory/state-part.ts'
import { swapsArrivedAfter } from '../engine/order/arrival-order.ts'
import { TokenReader } from '../engine/read/token-reader.ts'
import { TokenLane, WalletLane } from '../engine/state/layout.ts'
import { poolOf, SwapLane, walletOf } from '../events/swap-record.ts'
import type {
  LiveSource,
  LiveStreams,
  Queries,
  StreamSource,
  TokenReads,
  Trade,
} from '../protocol/queries.ts'
import {
  type AnnouncedChannel,
  type EventMessage,
  eventFrame,
  jsonNumber,
  jsonString,
  KEY_NAMES,
  type StreamChannel,
  timeText,
} from '../protocol/wire.ts'
import { knownToken, knownWallet } from './engine-queries.ts'
import { swapExtras, swapFields } from './json/swap-json.ts'
import { tokenJson } from './json/token-json.ts'
import { RecentArrivals } from './recent-arrivals.ts'

/** Messages in a snapshot of launches or migrations. */
export const SNAPSHOT_MESSAGES = 50
const WALLET_PAGE = { page: 1, limit: 50, orderBy: 'last_active_ts', direction: 'desc' } as const

/** The numbered streams, out of the engine's state (docs/decisions/0008). */
export class EngineStreams implements LiveStreams {
  sources: { readonly [C in StreamChannel]: StreamSource }
  #engine: Engine
  readonly #answers: Queries & TokenReads
  /** With another epoch nothing can be resumed. */
  readonly epoch: () => string
  #trade: TapeTrade
  #announcement: Announcement
  /** Null until the recovery is done. */
  #recent: RecentArrivals | null = null

  constructor(engine: Engine, answers: Queries & TokenReads, epoch: () => string) {
    this.#engine = engine
    this.#answers = answers
    this.epoch = epoch
    this.#trade = new TapeTrade(engine)
    this.#announcement = new Announcement(engine)
    this.sources = this.#allSources()
  }

  /** Tells the streams of another engine from now on, of another epoch, once `attach` was called. */
  use(engine: Engine): void {
    this.#engine = engine
    this.#trade = new TapeTrade(engine)
    this.#announcement = new Announcement(engine)
    this.sources = this.#allSources()
  }

  #allSources(): EngineStreams['sources'] {
    return {
      update_mint_info: this.#tradesOfMints(),
      mint_migration: this.#announced('mint_migration'),
      new_launched_pool: this.#announced('new_launched_pool'),
      wallet_trades: this.#tradesOfWallets(),
      all_trades: this.#allTrades(),
    }
  }

  /** Begins to note arrivals: after the recovery, before the first live event. */
  attach(): void {
    const engine = this.#engine
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

  position(): number {
    return this.#engine.seq
  }

  now(): number {
    return this.#answers.now()
  }

  settledTime(): number {
    const engine = this.#engine
    const { tape } = engine.state
    const last = engine.settledSwaps - 1
    return last < 0 ? 0 : (tape.u32Of(last)[tape.at(last) + SwapLane.timestamp] ?? 0)
  }

  lateFolded(): number {
    return this.#engine.counts.lateFolded
  }

  poolsSnapshot(mints: readonly string[], extra = false): string {
    const heads = mints.map(
      (mint) => `${jsonString(mint)}:${this.sources.update_mint_info.head(mint)}`,
    )
    const data = this.#answers.marketData(mints, extra, Budget.unlimited)
    return (
      `{"channel":"update_pools_info","type":"snapshot","seqs":{${heads.join(',')}}` +
      `,"epoch":${jsonString(this.epoch())},"position":${this.position()},"data":${data}}`
    )
  }

  #tradesOfMints(): StreamSource {
    const { state } = this.#engine
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
        const data = this.#answers.detail(mint, budget) ?? 'null'
        return this.#snapshot('update_mint_info', mint, head(mint), data)
      },
    }
  }

  #announced(channel: AnnouncedChannel): StreamSource {
    const engine = this.#engine
    const list = () =>
      channel === 'mint_migration' ? engine.announcements.migrations : engine.announcements.launches
    const message = (place: number) => this.#announcement.at(channel, list().get(place))
    return {
      head: () => list().length,
      since: (_key, after, max) => {
        const count = Math.max(0, Math.min(list().length - after, max))
        const number = { epoch: this.epoch(), extra: false }
        return Array.from({ length: count }, (_, i) =>
          eventFrame(channel, message(after + i), { ...number, seq: after + i + 1 }),
        )
      },
      snapshot: (key) => {
        const from = Math.max(0, list().length - SNAPSHOT_MESSAGES)
        const data: string[] = []
        for (let place = from; place < list().length; place++) data.push(message(place).data())
        return this.#snapshot(channel, key, list().length, `[${data.join(',')}]`)
      },
    }
  }

  #tradesOfWallets(): StreamSource {
    const { state } = this.#engine
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
        return this.#arrived('wallet_trades', wallet, numbers.slice(0, max), after, extra)
      },
      snapshot: (wallet, extra, budget) => {
        const data = this.#answers.walletTokens(wallet, { ...WALLET_PAGE, extra }, budget)
        return this.#snapshot('wallet_trades', wallet, head(wallet), data)
      },
    }
  }

  #allTrades(): StreamSource {
    const engine = this.#engine
    return {
      head: () => engine.counts.swaps,
      since: (_key, after, max, extra) => {
        if (after < (this.#recent?.first ?? engine.counts.swaps)) return 'too_old'
        const count = Math.min(max, engine.counts.swaps - after)
        const numbers = Array.from({ length: count }, (_, i) => after + 1 + i)
        return this.#arrived('all_trades', '', numbers, after, extra)
      },
      snapshot: (key) => {
        const { state, counts } = engine
        const data =
          `{"tokens":${state.tokens.count},"wallets":${state.wallets.count},"swaps":${counts.swaps}` +
          `,"sol_price_usd":${jsonNumber(state.solPriceUsd)},"time":${state.now}}`
        return this.#snapshot('all_trades', key, counts.swaps, data)
      },
    }
  }

  /** Frames of the trades that arrived with these numbers. */
  #arrived(
    channel: StreamChannel,
    key: string,
    numbers: readonly number[],
    after: number,
    extra?: boolean,
  ): string[] | 'too_old' {
    const indexes = numbers.map((number) => this.#recent?.indexOf(number) ?? -1)
    return indexes.includes(-1) ? 'too_old' : this.#frames(channel, key, indexes, after, extra)
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

  /** The frame that shows a state; `data` is JSON text. */
  #snapshot(channel: StreamChannel, key: string, seq: number, data: string): string {
    const name = KEY_NAMES[channel]
    const named = name === null ? '' : `,"${name}":${jsonString(key)}`
    return (
      `{"channel":"${channel}","type":"snapshot"${named},"seq":${seq}` +
      `,"epoch":${jsonString(this.epoch())},"position":${this.position()},"data":${data}}`
    )
  }
}

/** The engine's facts as messages of the live feed. */
export class EngineLive implements LiveSource {
  #engine: Engine
  /** Each begins to hear an engine; the answer ends that. */
  readonly #listeners: ((engine: Engine) => () => void)[] = []
  /** Ends of those that hear the engine. */
  #ends: (() => void)[] = []

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

  onRepriced(listener: (mint: string) => void): void {
    this.#listeners.push(({ facts, state }) =>
      facts.on('repriced', (token) => listener(state.book.mintOf(token))),
    )
  }
}

/** A trade of the tape; its numbers are counts of the state, which contains it already. */
class TapeTrade implements Trade {
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
class Announcement implements EventMessage {
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
