import { barTime, nextBarTime } from '../../base/bar-time.ts'
import { Budget } from '../../base/budget.ts'
import { jsonNumber, jsonString } from '../../protocol/json-text.ts'
import { candlesWords, type FollowedWords } from '../../protocol/live-frames.ts'
import {
  CHART_COLUMNS,
  type ChartQuery,
  type Queries,
  type Resolution,
  widthOf,
} from '../../protocol/queries.ts'
import type { LiveStreams } from '../../protocol/streams.ts'

/** The columns of a chart. */
type Columns = readonly (readonly number[])[]

/** Trades may lie this far ahead of the clock (contract section 7, and more than that). */
const AHEAD_SECONDS = 120

/** The bars of one mint and width that somebody follows: what changed since the last frame. */
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
  /** Bars from here on are looked at. */
  #from: number
  #isTraded = false
  #now = -1

  constructor(mint: string, resolution: Resolution, answers: Queries, streams: LiveStreams) {
    this.mint = mint
    this.resolution = resolution
    this.#answers = answers
    this.#streams = streams
    this.#from = barTime(widthOf(resolution), streams.settledTime())
    this.#remember(this.#columns(this.#from))
  }

  get words(): FollowedWords {
    return candlesWords(this.mint, this.resolution)
  }

  /** Was there a trade since it was read, or does a bar wait to become final that is so by now? */
  get hasToBeRead(): boolean {
    if (this.#isTraded) return true
    for (const time of this.#open.keys()) if (this.#isFinal(time)) return true
    return false
  }

  /** A swap of the mint came with this time: its bar is to be looked at, however old. */
  traded(timestamp: number): void {
    this.#from = Math.min(this.#from, barTime(widthOf(this.resolution), timestamp))
    this.#isTraded = true
  }

  /** Reads the bars that may have changed; the delta frame, or null when none has. */
  advance(): string | null {
    this.#isTraded = false
    const columns = this.#columns(this.#from)
    const [times] = columns
    const changed = times.map(
      (time, i) => this.#isFinal(time) || this.#open.get(time) !== barText(columns, i),
    )
    this.#remember(columns)
    if (!changed.includes(true)) return null
    this.step += 1
    const data = CHART_COLUMNS.map((name, column) => {
      const numbers = columns[column].filter((_, i) => changed[i])
      return `"${name}":[${numbers.map(jsonNumber).join()}]`
    })
    const changedTimes = times.filter((_, i) => changed[i])
    return this.#frame('delta', `{${data.join()}}`, changedTimes)
  }

  /** The newest bars: the text of the chart of now, and the times in it. */
  snapshot(text: string, times: readonly number[]): string {
    this.#stand()
    return this.#frame('snapshot', text, times)
  }

  /** The columns of the bars from a time on. */
  #columns(from: number): Columns {
    const newest = newestBars(this.mint, this.resolution, 0, this.#streams)
    const chart = this.#answers.beginChart({ ...newest, from: Math.max(0, from) }, Budget.unlimited)
    this.#stand()
    return CHART_COLUMNS.map((name) => chart.column(name))
  }

  /** The next frame is of this position and time. */
  #stand(): void {
    this.position = this.#streams.position()
    this.#now = this.#streams.now()
  }

  /** Keeps the bars that may still change; older ones are not read again. */
  #remember(columns: Columns): void {
    const [times] = columns
    this.#open.clear()
    for (const [i, time] of times.entries())
      if (!this.#isFinal(time)) this.#open.set(time, barText(columns, i))
    const [firstOpen] = this.#open.keys()
    const last = times.at(-1)
    if (firstOpen !== undefined) this.#from = firstOpen
    else if (last !== undefined) this.#from = nextBarTime(widthOf(this.resolution), last)
  }

  #isFinal(time: number): boolean {
    return nextBarTime(widthOf(this.resolution), time) <= this.#streams.settledTime()
  }

  #frame(type: string, data: string, times: readonly number[]): string {
    const final = JSON.stringify(times.map((time) => this.#isFinal(time)))
    return (
      `{"channel":"candles","type":"${type}","mint":${jsonString(this.mint)}` +
      `,"resolution":"${this.resolution}","step":${this.step},"seq":${this.position}` +
      `,"epoch":${jsonString(this.#streams.epoch())},"time":${this.#now},"data":${data},"final":${final}}`
    )
  }
}

/** The chart that a snapshot of candles is. */
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

function barText(columns: Columns, i: number): string {
  return columns.map((numbers) => numbers[i]).join()
}
