import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import { RecentArrivals } from '../engine/history/recent-swaps.ts'
import { boundedPart, type MemoryPart } from '../engine/memory/state-part.ts'
import { swapsArrivedAfter } from '../engine/order/arrival-order.ts'
import { TokenLane, WalletLane } from '../engine/state/layout.ts'
import { SwapLane } from '../events/swap-record.ts'
import type { StoredAlerts } from '../protocol/alerts.ts'
import {
  type AlertsQuery,
  type LiveStreams,
  type Queries,
  RECENT_ARRIVALS_MAX,
  type StreamSource,
  type TokenReads,
} from '../protocol/queries.ts'
import { WalletLabels } from '../protocol/wallet-labels.ts'
import {
  type AnnouncedChannel,
  type EventMessage,
  eventFrame,
  jsonNumber,
  jsonString,
  KEY_NAMES,
  type StreamChannel,
} from '../protocol/wire.ts'
import { knownToken, knownWallet } from './engine-queries.ts'
import { Announcement } from './json/engine-live.ts'
import { TapeTrade } from './json/swap-reader.ts'

/** Messages in a snapshot of launches or migrations. */
export const SNAPSHOT_MESSAGES = 50
const WALLET_PAGE = { page: 1, limit: 50, orderBy: 'last_active_ts', direction: 'desc' } as const

/** Alerts of the live channel, which are stored beside the engine. */
export interface AlertHistory {
  /** Number of the newest; 0 before the first. */
  liveHead(): number
  /** Their bodies behind a number, oldest first; null: some are not stored any more. */
  liveSince(after: number, most: number): readonly string[] | null
  livePage(query: AlertsQuery): StoredAlerts
}

const NO_ALERTS: AlertHistory = {
  liveHead: () => 0,
  liveSince: () => [],
  livePage: () => ({ first: 0, alerts: [] }),
}

function messageOf(body: string): EventMessage {
  return { pool: null, ordinal: null, data: () => body }
}

/** The numbered streams, out of the engine's state (docs/decisions/0008). */
export class EngineStreams implements LiveStreams {
  sources: { readonly [C in StreamChannel]: StreamSource }
  #engine: Engine
  readonly #answers: Queries & TokenReads
  /** With another epoch nothing can be resumed. */
  readonly epoch: () => string
  readonly #labels: WalletLabels
  #trade: TapeTrade
  #announcement: Announcement
  readonly #alerts: AlertHistory
  /** Null until the recovery is done. */
  #recent: RecentArrivals | null = null

  constructor(
    engine: Engine,
    answers: Queries & TokenReads,
    epoch: () => string,
    labels = new WalletLabels(),
    alerts: AlertHistory = NO_ALERTS,
  ) {
    this.#engine = engine
    this.#labels = labels
    this.#alerts = alerts
    this.#answers = answers
    this.epoch = epoch
    this.#trade = new TapeTrade(engine, this.#labels)
    this.#announcement = new Announcement(engine)
    this.sources = this.#allSources()
  }

  /** Tells the streams of another engine from now on, of another epoch, once `attach` was called. */
  use(engine: Engine): void {
    this.#engine = engine
    this.#trade = new TapeTrade(engine, this.#labels)
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
      alerts: this.#ofAlerts(),
    }
  }

  /** Begins to note arrivals: after the recovery, before the first live event. */
  attach(): void {
    const engine = this.#engine
    const recent = new RecentArrivals(engine.state.tape, engine.counts.swaps, RECENT_ARRIVALS_MAX)
    this.#recent = recent
    engine.facts.on('trade', recent.note)
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

  alerts(query: AlertsQuery): string {
    const head = this.#alerts.liveHead()
    const { after, limit } = query
    // A number that was never given is of another folder: its owner has none of these.
    const isKnown = after === null || after <= head
    const { first, alerts } = this.#alerts.livePage(isKnown ? query : { ...query, after: 0 })
    const isMissed = after !== null && (!isKnown || after < first - 1)
    const hasMore = after !== null && alerts.length === limit
    const next = hasMore ? (alerts.at(-1)?.n ?? head) : head
    const items = alerts.map(({ n, body }) => `{"n":${n},${body.slice(1)}`)
    return `{"head":${head},"next_after":${next},"missed":${isMissed},"items":[${items.join(',')}]}`
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

  #ofAlerts(): StreamSource {
    const alerts = this.#alerts
    return {
      head: () => alerts.liveHead(),
      since: (_key, after, max) => {
        const bodies = alerts.liveSince(after, max)
        if (bodies === null) return 'too_old'
        const number = { epoch: this.epoch(), extra: false }
        return bodies.map((body, i) =>
          eventFrame('alerts', messageOf(body), { ...number, seq: after + i + 1 }),
        )
      },
      snapshot: (key) => {
        const from = Math.max(0, alerts.liveHead() - SNAPSHOT_MESSAGES)
        const bodies = alerts.liveSince(from, SNAPSHOT_MESSAGES) ?? []
        return this.#snapshot('alerts', key, alerts.liveHead(), `[${bodies.join(',')}]`)
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
