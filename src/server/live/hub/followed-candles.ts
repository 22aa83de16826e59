import { barTime, nextBarTime } from '../../../base/bar-time.ts'
import { Budget, UNFINISHED, within } from '../../../base/budget.ts'
import type { CandlesRequest } from '../../../protocol/live/live-messages.ts'
import {
  type BegunChart,
  CHART_COLUMNS,
  type ChartQuery,
  type LiveStreams,
  type Queries,
  type Resolution,
  WIDTHS,
} from '../../../protocol/queries.ts'
import { type FollowedWords, jsonNumber, jsonString } from '../../../protocol/wire.ts'
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
/** A chart that changes in every turn is begun this often, then written in one go. */
const BEGUN_MAX = 3

/** The channel `candles`. */
export class FollowedCandles {
  readonly channel: StateChannel<LiveCandles>
  readonly #parts: StateParts
  readonly #charts: ChartWritings
  /** By mint: those that its swaps are told to. */
  readonly ofMint = new Map<string, Set<LiveCandles>>()
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

  /** The prices of all trades of the mint changed: so did its bars, from the first on. */
  readonly repriced = (mint: string): void => {
    for (const candles of this.ofMint.get(mint) ?? []) candles.traded(0)
  }

  /**
   * False: the request has to be served again in a later turn, because the client has much unread, or trades of the
   * mint are being read from the disk, or its chart is being written.
   */
  serve(connection: LiveConnection, request: CandlesRequest): boolean {
    const { mint, resolution, countback } = request
    const topic = `${NAME}/${resolution}/${mint}`
    if (request.action === 'unsubscribe') {
      this.channel.leave(connection, topic, { event: NAME, mint, resolution })
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
    const ofMint = this.ofMint.get(mint) ?? new Set()
    this.ofMint.set(mint, ofMint.add(candles))
    return candles
  }

  #dropped(candles: LiveCandles): void {
    const ofMint = this.ofMint.get(candles.mint)
    ofMint?.delete(candles)
    if (ofMint?.size === 0) this.ofMint.delete(candles.mint)
  }

  /** After a late swap all of them are due: it may have changed prices of other mints. */
  #due(all: ReadonlyMap<string, LiveCandles>): Iterable<string> {
    const lateFolded = this.#parts.streams.lateFolded()
    const isAll = lateFolded !== this.#lateFolded
    this.#lateFolded = lateFolded
    if (isAll) return all.keys()
    return [...all].flatMap(([topic, candles]) => (candles.hasToBeRead ? topic : []))
  }
}

/**
 * Writes the charts of snapshots over several turns, one chart of a connection at a time. A chart shows the turn in
 * which it is finished: if its mint changed before, it is begun anew.
 */
export class ChartWritings {
  readonly #answers: Pick<Queries, 'beginChart'>
  readonly #begun = new WeakMap<
    object,
    {
      readonly topic: string
      readonly query: ChartQuery
      readonly chart: BegunChart
      /** How often it was begun. */
      readonly times: number
    }
  >()

  constructor(answers: Pick<Queries, 'beginChart'>) {
    this.#answers = answers
  }

  /**
   * The text of the chart as of now, and the times of its bars.
   * @throws OutOfTime: the next call continues there
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

/** Trades may be this far ahead of the clock (contract section 7, and more than that). */
const AHEAD_SECONDS = 120

/** A bar as it is sent. */
interface Bar {
  readonly time: number
  /** JSON text, in the order of the columns. */
  readonly numbers: readonly (string | undefined)[]
  /** All of them. */
  readonly text: string
}

/** The bars of one mint and width with followers: the changes since the last frame. */
export class LiveCandles {
  readonly mint: string
  readonly resolution: Resolution
  step = 0
  /** Of the last frame; -1 before. */
  position = -1
  readonly #answers: Queries
  readonly #streams: LiveStreams
  /** Bars that may still change, as they were sent, by their time. */
  readonly #open = new Map<number, string>()
  /** Bars from this time on are read in the next round. */
  #from: number
  #isTraded = false
  #now = -1

  constructor(mint: string, resolution: Resolution, answers: Queries, streams: LiveStreams) {
    this.mint = mint
    this.resolution = resolution
    this.#answers = answers
    this.#streams = streams
    this.#from = barTime(WIDTHS[resolution], streams.settledTime())
    this.#remember(this.#read(this.#from))
  }

  get words(): FollowedWords {
    return { event: NAME, mint: this.mint, resolution: this.resolution }
  }

  /** Was there a trade since the last read, or has an open bar become final? */
  get hasToBeRead(): boolean {
    if (this.#isTraded) return true
    for (const time of this.#open.keys()) if (this.#isFinal(time)) return true
    return false
  }

  /** A swap of the mint came with this time (unix seconds): its bar is read in the next round, however old it is. */
  traded(timestamp: number): void {
    this.#from = Math.min(this.#from, barTime(WIDTHS[this.resolution], timestamp))
    this.#isTraded = true
  }

  /** Reads the bars that may have changed; the delta frame, or null when none has. */
  advance(): string | null {
    this.#isTraded = false
    const bars = this.#read(this.#from)
    const changed = bars.filter(
      ({ time, text }) => this.#isFinal(time) || this.#open.get(time) !== text,
    )
    this.#remember(bars)
    if (changed.length === 0) return null
    this.step += 1
    const data = CHART_COLUMNS.map(
      (name, column) => `"${name}":[${changed.map(({ numbers }) => numbers[column]).join()}]`,
    )
    const changedTimes = changed.map(({ time }) => time)
    return this.#frame('delta', `{${data.join()}}`, changedTimes)
  }

  /** The newest bars: the text of the chart of now, and the times in it. */
  snapshot(text: string, times: readonly number[]): string {
    this.#stand()
    return this.#frame('snapshot', text, times)
  }

  /** The bars from a time on. */
  #read(from: number): readonly Bar[] {
    const newest = newestBars(this.mint, this.resolution, 0, this.#streams)
    const chart = this.#answers.beginChart({ ...newest, from: Math.max(0, from) }, Budget.unlimited)
    this.#stand()
    const columns = CHART_COLUMNS.map((name) => chart.column(name).map(jsonNumber))
    return chart.column('t').map((time, i) => {
      const numbers = columns.map((column) => column[i])
      return { time, numbers, text: numbers.join() }
    })
  }

  /** The next frame is of this position and time. */
  #stand(): void {
    this.position = this.#streams.position()
    this.#now = this.#streams.now()
  }

  /** Remembers the bars that may still change; older ones are not read again. */
  #remember(bars: readonly Bar[]): void {
    this.#open.clear()
    for (const { time, text } of bars) if (!this.#isFinal(time)) this.#open.set(time, text)
    const [firstOpen] = this.#open.keys()
    const last = bars.at(-1)
    if (firstOpen !== undefined) this.#from = firstOpen
    else if (last !== undefined) this.#from = nextBarTime(WIDTHS[this.resolution], last.time)
  }

  #isFinal(time: number): boolean {
    return nextBarTime(WIDTHS[this.resolution], time) <= this.#streams.settledTime()
  }

  #frame(type: string, data: string, times: readonly number[]): string {
    const final = JSON.stringify(times.map((time) => this.#isFinal(time)))
    return (
      `{"channel":"${NAME}","type":"${type}","mint":${jsonString(this.mint)}` +
      `,"resolution":"${this.resolution}","step":${this.step},"seq":${this.position}` +
      `,"epoch":${jsonString(this.#streams.epoch())},"time":${this.#now},"data":${data},"final":${final}}`
    )
  }
}

/** The query of a snapshot: the newest bars. */
export function newestBars(
  mint: string,
  resolution: Resolution,
  countback: number,
  streams: LiveStreams,
): ChartQuery {
  const to = streams.now() + AHEAD_SECONDS
  const plain = { continuous: false, fill: 'none', udf: false } as const
  return { mint, resolution, from: 0, to, countback, ...plain }
}
