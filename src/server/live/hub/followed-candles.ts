import { Budget, UNFINISHED, within } from '../../../base/budget.ts'
import type { CandlesRequest } from '../../../protocol/live/live-messages.ts'
import { candlesWords } from '../../../protocol/live-frames.ts'
import type { BegunChart, ChartQuery, Queries } from '../../../protocol/queries.ts'
import { LiveCandles, newestBars } from '../../../query/live/live-candles.ts'
import { ROUTE_SLICE_MS } from '../../load/loop-scheduler.ts'
import { hasMuchUnread, type LiveConnection } from '../connection/connection.ts'
import { StateChannel, type StateParts } from './state-channel.ts'

/** Live candles of one connection at most. */
const MAX_CONNECTION_CANDLES = 100

/** Distinct (mint, resolution) followed at most. */
const MAX_CANDLES = 5_000

/** Of one client address, loopback not counted: those that it is the first to follow. */
const MAX_CANDLES_PER_ADDRESS = 1_000

/** Changes of candles are gathered for this long. */
const CANDLES_EVERY_MS = 100

const NAME = 'candles'
/** The chart of a mint that trades all the time is begun so often, then written in one go. */
const BEGUN_MAX = 3

/** The channel `candles`. */
export class FollowedCandles {
  readonly channel: StateChannel<LiveCandles>
  readonly #parts: StateParts
  readonly #charts: ChartWritings
  readonly #ofMint = new Map<string, Set<LiveCandles>>()
  #lateFolded = 0

  constructor(parts: StateParts) {
    this.#parts = parts
    this.#charts = new ChartWritings(parts.answers)
    this.channel = new StateChannel(parts, {
      name: NAME,
      refusal: { code: 'too_many_candles', what: 'candles' },
      maxOfConnection: MAX_CONNECTION_CANDLES,
      maxOfAddress: MAX_CANDLES_PER_ADDRESS,
      max: MAX_CANDLES,
      everyMs: CANDLES_EVERY_MS,
      due: (all) => this.#due(all),
      advance: (candles) => candles.advance(),
      dropped: (candles) => this.#dropped(candles),
    })
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { live_candles: this.channel.size }
  }

  /** A swap of the mint came, with this time (unix seconds). */
  traded(mint: string, timestamp: number): void {
    const ofMint = this.#ofMint.get(mint)
    if (ofMint !== undefined) for (const candles of ofMint) candles.traded(timestamp)
  }

  /** The prices of all trades of the mint changed: so did its bars, from the first on. */
  repriced(mint: string): void {
    this.traded(mint, 0)
  }

  /**
   * False: the request is to be served again in a later turn, because much lies unread, or trades of the mint are
   * being read from the disk, or its chart is being written.
   */
  serve(connection: LiveConnection, request: CandlesRequest): boolean {
    const { mint, resolution, countback } = request
    const topic = `${NAME}/${resolution}/${mint}`
    if (request.action === 'unsubscribe') {
      this.channel.leave(connection, topic, candlesWords(mint, resolution))
      return true
    }
    if (hasMuchUnread(connection)) return false
    const query = newestBars(mint, resolution, countback, this.#parts.streams)
    const chart = within(Budget.ofMs(ROUTE_SLICE_MS), (budget) =>
      this.#charts.write(connection, topic, query, budget),
    )
    if (chart === UNFINISHED) return false
    this.channel.follow(
      connection,
      topic,
      () => this.#newCandles(request),
      (candles) => candles.snapshot(chart.text, chart.times),
    )
    return true
  }

  #newCandles({ mint, resolution }: CandlesRequest): LiveCandles {
    const { answers, streams } = this.#parts
    const candles = new LiveCandles(mint, resolution, answers, streams)
    const ofMint = this.#ofMint.get(mint) ?? new Set()
    this.#ofMint.set(mint, ofMint.add(candles))
    return candles
  }

  #dropped(candles: LiveCandles): void {
    const ofMint = this.#ofMint.get(candles.mint)
    ofMint?.delete(candles)
    if (ofMint?.size === 0) this.#ofMint.delete(candles.mint)
  }

  /** After a late swap all of them: it may have changed prices of other mints. */
  #due(all: ReadonlyMap<string, LiveCandles>): Iterable<string> {
    const lateFolded = this.#parts.streams.lateFolded()
    const isAll = lateFolded !== this.#lateFolded
    this.#lateFolded = lateFolded
    if (isAll) return all.keys()
    return [...all].flatMap(([topic, candles]) => (candles.hasToBeRead ? topic : []))
  }
}

interface Begun {
  readonly topic: string
  readonly query: ChartQuery
  readonly chart: BegunChart
  /** How often it was begun. */
  readonly times: number
}

/**
 * Writes the charts in snapshots turn by turn, one of a connection at a time. A chart is as of the turn
 * in which it is finished: if its mint changed meanwhile, it is begun anew.
 */
export class ChartWritings {
  readonly #answers: Pick<Queries, 'beginChart'>
  readonly #begun = new WeakMap<object, Begun>()

  constructor(answers: Pick<Queries, 'beginChart'>) {
    this.#answers = answers
  }

  /**
   * The text of the chart as of now, and the times of its bars.
   * @throws OutOfTime: the next call goes on from there
   */
  write(
    connection: object,
    topic: string,
    query: ChartQuery,
    budget: Budget,
  ): { readonly text: string; readonly times: readonly number[] } {
    const known = this.#begun.get(connection)
    const before = known?.topic === topic ? known : null
    const isCurrent =
      before?.query.to === query.to &&
      before.query.countback === query.countback &&
      before.chart.isCurrent()
    const begun =
      before !== null && isCurrent
        ? before
        : {
            topic,
            query,
            chart: this.#answers.beginChart(query, budget),
            times: (before?.times ?? 0) + 1,
          }
    this.#begun.set(connection, begun)
    const text = begun.chart.write(begun.times < BEGUN_MAX ? budget : Budget.unlimited)
    this.#begun.delete(connection)
    return { text, times: begun.chart.column('t') }
  }
}
