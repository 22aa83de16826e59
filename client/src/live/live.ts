import type { Settings } from '../options.ts'
import type { Problem } from '../problem.ts'
import type { ExtraQuery, Resolution, TableFilter, TrendingQuery } from '../reads.ts'
import type { Move, Replicas } from '../replicas.ts'
import { isAlert } from '../resources/alert.ts'
import { isFigures } from '../resources/market-figures.ts'
import { isMigration } from '../resources/migration.ts'
import { pageOf } from '../resources/page.ts'
import { isSwap } from '../resources/swap.ts'
import { isTables, isTrending, type Tables, type Trending } from '../resources/tables.ts'
import { isDetailOrNull, isSearched } from '../resources/token.ts'
import { isTrader } from '../resources/trader.ts'
import { isObject, listOf, type Shape } from '../shape.ts'
import { barsOf, mergedBars } from './bars.ts'
import { EventFollow } from './event-follow.ts'
import { EventTeller, type ToldEvent } from './event-teller.ts'
import type { Follow } from './follow.ts'
import { type Channel, candlesKey, type TableChannel } from './frames.ts'
import { Lanes } from './lanes.ts'
import { Mailbox } from './mailbox.ts'
import { StateFollow, type StateMoment } from './state-follow.ts'
import type { LiveJournal, LiveStatus } from './status.ts'
import { Subscription } from './subscription.ts'
import { appliedDelta, appliedTrendingDelta } from './table-delta.ts'
import { TableTrades } from './table-trades.ts'
import type {
  AlertUpdate,
  AllTradesUpdate,
  BarsUpdate,
  Cursor,
  LaunchUpdate,
  MigrationUpdate,
  RefusedUpdate,
  TablesUpdate,
  TableTradeUpdate,
  TradeUpdate,
  TrendingUpdate,
  Update,
  WalletUpdate,
} from './updates.ts'

/** How a stream of one key begins. */
export interface StreamOptions {
  /** The state first; true by default. */
  readonly snapshot?: boolean
  /** Goes on behind this place, where an earlier reader stopped. */
  readonly from?: Cursor
}

/** How streams of trades of several keys begin. */
export interface KeyedOptions extends ExtraQuery {
  readonly snapshot?: boolean
  /** By mint or wallet. */
  readonly from?: ReadonlyMap<string, Cursor>
}

/** Bars that wait for a reader at most; then the candles are left, and read anew when it comes. */
const BARS_MAX = 10_000
const isTraders = pageOf(isTrader)
const isAlerts = listOf(isAlert)
const isMigrations = listOf(isMigration)
const isLaunches = listOf(isSearched)

/** A table of the service: what is asked for, how its frames are read, and who is told of it. */
interface TableParts<State> {
  readonly channel: TableChannel
  readonly words: Readonly<Record<string, unknown>>
  readonly isWhole: Shape<State>
  readonly applied: (state: State, delta: unknown) => State | null
  /** False when the reader has no room. */
  readonly changed: (state: State, moment: StateMoment) => boolean
  readonly refused: (problem: Problem) => void
}

/** How tables of tokens are read. */
const TABLES = { channel: 'meme_tables', isWhole: isTables, applied: appliedDelta } as const
const TRENDING = {
  channel: 'trending',
  isWhole: isTrending,
  applied: appliedTrendingDelta,
} as const

interface Keys<S, E> {
  readonly channel: Channel
  readonly name: 'mint' | 'wallet' | null
  readonly keys: readonly string[]
  readonly isSnapshot: Shape<S>
  readonly isEvent: Shape<E>
  readonly wantsSnapshot: boolean
  readonly from: ReadonlyMap<string, Cursor>
  readonly extra?: boolean
}

/**
 * The live channels. Connections open with the first subscription and close with the last; they are
 * opened again when they break, and every stream goes on where it stopped. No method throws.
 */
export class Live {
  readonly #settings: Settings
  readonly #journal: LiveJournal
  readonly #lanes: Lanes
  readonly #open = new Set<{ close(): void }>()

  constructor(settings: Settings, replicas: Replicas, journal: LiveJournal) {
    this.#settings = settings
    this.#journal = journal
    this.#lanes = new Lanes(settings, replicas, journal)
  }

  get status(): LiveStatus {
    const { roundTripMs: answeredMs, lagMs, counts } = this.#journal
    const { count: connections, openCount: open, pingWaitMs } = this.#lanes
    const roundTripMs = answeredMs === null ? null : Math.max(answeredMs, Math.round(pingWaitMs))
    return { connections, open, roundTripMs, lagMs, ...counts }
  }

  /** Told of everything that went wrong and was mended or is tried again. The answer takes the listener out again. */
  onProblem(listener: (problem: Problem) => void): () => void {
    return this.#journal.onProblem(listener)
  }

  /** Told when a connection opened or was lost. The answer takes the listener out again. */
  onChange(listener: (status: LiveStatus) => void): () => void {
    return this.#journal.onChange(() => listener(this.status))
  }

  /** With several urls: told when another one is read than before. The answer takes the listener out again. */
  onMove(listener: (move: Move) => void): () => void {
    return this.#journal.onMove(listener)
  }

  /** Trades of mints (`update_mint_info`). */
  trades(mints: string | readonly string[], options: KeyedOptions = {}): Subscription<TradeUpdate> {
    return this.#follow({
      channel: 'update_mint_info',
      name: 'mint',
      ...keyed(mints, options),
      isSnapshot: isDetailOrNull,
      isEvent: isSwap,
    })
  }

  /** Trades of wallets over all mints (`wallet_trades`). */
  walletTrades(
    wallets: string | readonly string[],
    options: KeyedOptions = {},
  ): Subscription<WalletUpdate> {
    return this.#follow({
      channel: 'wallet_trades',
      name: 'wallet',
      ...keyed(wallets, options),
      isSnapshot: isTraders,
      isEvent: isSwap,
    })
  }

  /** Trades of all mints, for programs on the service's own machine. */
  allTrades(options: StreamOptions & ExtraQuery = {}): Subscription<AllTradesUpdate> {
    const shapes = { isSnapshot: isFigures, isEvent: isSwap }
    return this.#follow({
      channel: 'all_trades',
      name: null,
      ...single(options),
      ...shapes,
      extra: options.extra ?? false,
    })
  }

  /** Tokens that migrate to the AMM pool. */
  migrations(options: StreamOptions = {}): Subscription<MigrationUpdate> {
    const shapes = { isSnapshot: isMigrations, isEvent: isMigration }
    return this.#follow({ channel: 'mint_migration', name: null, ...single(options), ...shapes })
  }

  /** New tokens. */
  launches(options: StreamOptions = {}): Subscription<LaunchUpdate> {
    const shapes = { isSnapshot: isLaunches, isEvent: isSearched }
    return this.#follow({ channel: 'new_launched_pool', name: null, ...single(options), ...shapes })
  }

  /** What the alert rules of the service found that are told live; `snapshot` is the newest 50. */
  alerts(options: StreamOptions = {}): Subscription<AlertUpdate> {
    const shapes = { isSnapshot: isAlerts, isEvent: isAlert }
    return this.#follow({ channel: 'alerts', name: null, ...single(options), ...shapes })
  }

  /**
   * Trades of the tokens of a table, as it changes: those that enter it are followed from then on, those
   * that left it no longer. `tokens` tells who they are, first at the beginning.
   */
  tableTrades(filter: TableFilter = {}): Subscription<TableTradeUpdate> {
    const mailbox = new Mailbox<TableTradeUpdate>(this.#settings.bufferMax)
    const trades = new TableTrades({
      mailbox,
      journal: this.#journal,
      add: (follow) => this.#lanes.add(follow),
      remove: (follow) => this.#lanes.remove(follow),
    })
    const table = this.#table({
      ...TABLES,
      words: { filter },
      changed: (tables, moment) => trades.changed(tables, moment),
      refused: refusedIn(mailbox),
    })
    return this.#subscription(mailbox, [table], trades)
  }

  /** A table as it changes; a slow reader gets the newest state only. */
  tables(filter: TableFilter = {}): Subscription<TablesUpdate> {
    const mailbox = new Mailbox<TablesUpdate>(1)
    const changed = (tables: Tables, moment: StateMoment) =>
      newest(mailbox, { kind: 'tables', tables, ...moment })
    const refused = refusedIn(mailbox)
    return this.#subscription(mailbox, [
      this.#table({ ...TABLES, words: { filter }, changed, refused }),
    ])
  }

  /** Tokens that trade most in a window, as they change; a slow reader gets the newest state only. */
  trending(query: TrendingQuery = {}): Subscription<TrendingUpdate> {
    const mailbox = new Mailbox<TrendingUpdate>(1)
    const changed = (trending: Trending, moment: StateMoment) =>
      newest(mailbox, { kind: 'trending', trending, ...moment })
    const refused = refusedIn(mailbox)
    return this.#subscription(mailbox, [
      this.#table({ ...TRENDING, words: { ...query }, changed, refused }),
    ])
  }

  /** Bars of a mint; `countback` (1 to 5,000) at the beginning, then those that change. */
  candles(
    mint: string,
    resolution: Resolution,
    options: { readonly countback?: number } = {},
  ): Subscription<BarsUpdate> {
    const mailbox = new Mailbox<BarsUpdate>(1)
    const follow = new StateFollow({
      channel: 'candles',
      key: candlesKey(mint, resolution),
      subscribeWords: { mint, resolution, ...options },
      leaveWords: { mint, resolution },
      journal: this.#journal,
      apply: ({ kind, fields }, moment) => {
        const bars = barsOf(fields.data, fields.final)
        if (bars === null) return 'unfit'
        const waiting = mailbox.takeBackLast()
        const before = kind === 'delta' && waiting?.kind === 'bars' ? waiting : null
        const merged = before === null ? bars : mergedBars(before.bars, bars)
        if (before !== null && merged.length > BARS_MAX && !mailbox.hasRoom(2)) {
          mailbox.put(before)
          return 'full'
        }
        const isWhole = kind === 'snapshot' || before?.isWhole === true
        mailbox.put({ kind: 'bars', isWhole, bars: merged, ...moment })
        return 'applied'
      },
      refused: (problem) => mailbox.putLast({ kind: 'refused', key: mint, problem }),
    })
    return this.#subscription(mailbox, [follow])
  }

  /** Ends every subscription and connection; connections first, so that a listener who follows more is refused. */
  close(): void {
    this.#lanes.close()
    for (const subscription of this.#open) subscription.close()
  }

  #follow<S, E extends ToldEvent>(asked: Keys<S, E>): Subscription<Update<S, E>> {
    const keys = [...new Set(asked.keys)]
    const mailbox = new Mailbox<Update<S, E>>(this.#settings.bufferMax, keys.length)
    const teller = new EventTeller<E>(mailbox, this.#journal)
    const parts = { ...asked, mailbox, teller, journal: this.#journal }
    const follows = keys.map(
      (key) => new EventFollow({ ...parts, key, from: asked.from.get(key) ?? null }),
    )
    return this.#subscription(mailbox, follows)
  }

  /** Follows a table of the service. */
  #table<State>(parts: TableParts<State>): Follow {
    const { channel, words, isWhole, applied, changed, refused } = parts
    let state: State | null = null
    return new StateFollow({
      channel,
      key: canonical(words),
      subscribeWords: words,
      leaveWords: {},
      journal: this.#journal,
      apply: ({ kind, fields: { data } }, moment) => {
        if (kind === 'delta') state = state === null ? null : applied(state, data)
        else state = isWhole(data) ? data : null
        if (state === null) return 'unfit'
        return changed(state, moment) ? 'applied' : 'full'
      },
      refused,
    })
  }

  /** @param more follows that come and go while the subscription lasts */
  #subscription<T>(
    mailbox: Mailbox<T>,
    follows: readonly Follow[],
    more: { resume(): void; leave(): void } | null = null,
  ): Subscription<T> {
    mailbox.onRoom = () => {
      for (const follow of follows) follow.resume()
      more?.resume()
    }
    const subscription = new Subscription(mailbox)
    mailbox.onClosed = () => {
      this.#open.delete(subscription)
      for (const follow of follows) this.#lanes.remove(follow)
      more?.leave()
    }
    if (!mailbox.isClosed) this.#open.add(subscription)
    // One that is refused at once closes the mailbox already here.
    for (const follow of follows) this.#lanes.add(follow)
    return subscription
  }
}

function keyed(keys: string | readonly string[], options: KeyedOptions) {
  return {
    keys: typeof keys === 'string' ? [keys] : keys,
    wantsSnapshot: options.snapshot ?? true,
    from: options.from ?? new Map<string, Cursor>(),
    extra: options.extra ?? false,
  }
}

function single(options: StreamOptions) {
  const from = new Map<string, Cursor>()
  if (options.from !== undefined) from.set('', options.from)
  return { keys: [''], wantsSnapshot: options.snapshot ?? true, from }
}

/** What waits goes out for a newer state: there is always room for that. */
function newest<T>(mailbox: Mailbox<T>, update: T): boolean {
  mailbox.takeBackLast()
  mailbox.put(update)
  return true
}

/** Tells the reader of a table that it is refused. */
function refusedIn(mailbox: Pick<Mailbox<RefusedUpdate>, 'putLast'>): (problem: Problem) => void {
  return (problem) => mailbox.putLast({ kind: 'refused', key: '', problem })
}

/** The same text for filters that differ in the order of their keys only. */
function canonical(value: unknown): string {
  return JSON.stringify(value, (_, inner: unknown) =>
    isObject(inner)
      ? Object.fromEntries(Object.entries(inner).sort(([a], [b]) => (a < b ? -1 : 1)))
      : inner,
  )
}
