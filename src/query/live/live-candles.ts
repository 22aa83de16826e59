import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { barTime, nextBarTime } from '../../base/bar-time.ts'
import { jsonString } from '../../protocol/json-text.ts'
import { candlesWords, type FollowedWords } from '../../protocol/live-frames.ts'
import { type ChartQuery, type Queries, type Resolution, widthOf } from '../../protocol/queries.ts'
import type { LiveStreams } from '../../protocol/streams.ts'
import { CHART_COLUMNS, type ChartColumn } from '../json/chart-json.ts'

const numbers = Type.Array(Type.Number())
const SERIES = {
  t: numbers,
  o: numbers,
  h: numbers,
  l: numbers,
  c: numbers,
  v: numbers,
  o_sol: numbers,
  h_sol: numbers,
  l_sol: numbers,
  c_sol: numbers,
  v_sol: numbers,
} satisfies { readonly [Name in ChartColumn]: typeof numbers }
const SeriesSchema = Type.Object(SERIES)
type Series = Type.Static<typeof SeriesSchema>
const seriesChecker = Compile(SeriesSchema)
const timesChecker = Compile(numbers)

/** Trades may lie this far ahead of the clock (contract section 7, and more than that). */
const AHEAD_SECONDS = 120

/** The bars of one mint and width that somebody follows: what changed since the last frame. */
export class LiveCandles {
  readonly mint: string
  readonly resolution: Resolution
  step = 0
  /** Of what was told last; -1 before. */
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
    this.#remember(this.#bars(this.#from))
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
    const bars = this.#bars(this.#from)
    const changed = bars.t.map(
      (time, i) => this.#isFinal(time) || this.#open.get(time) !== barText(bars, i),
    )
    this.#remember(bars)
    if (!changed.includes(true)) return null
    this.step += 1
    const told = (name: keyof Series) => bars[name].filter((_, i) => changed[i])
    const columns = CHART_COLUMNS.map((name) => `"${name}":${JSON.stringify(told(name))}`)
    return this.#frame('delta', `{${columns.join()}}`, told('t'))
  }

  /**
   * The newest bars: the very text of the chart, since to read and write 5,000 takes longer than to make
   * them; `chart` is that of now, of who has written it already.
   */
  snapshot(countback: number, chart = this.#chart(countback, 0)): string {
    this.#stand()
    return this.#frame('snapshot', chart, timesOf(chart))
  }

  /** The bars from a time on. */
  #bars(from: number): Series {
    const json: unknown = JSON.parse(this.#chart(0, from))
    if (!seriesChecker.Check(json)) throw new Error('a chart answer is no series of bars')
    return json
  }

  /** From the newest on `countback` bars, or (0) those from a time on. */
  #chart(countback: number, from: number): string {
    const newest = newestBars(this.mint, this.resolution, countback, this.#streams)
    const json = this.#answers.chart({ ...newest, from: Math.max(0, from) })
    this.#stand()
    return json
  }

  /** What is told now is of this position and time. */
  #stand(): void {
    this.position = this.#streams.position()
    this.#now = this.#streams.now()
  }

  /** Keeps the bars that may still change; older ones are not read again. */
  #remember(bars: Series): void {
    this.#open.clear()
    for (const [i, time] of bars.t.entries())
      if (!this.#isFinal(time)) this.#open.set(time, barText(bars, i))
    const [firstOpen] = this.#open.keys()
    const last = bars.t.at(-1)
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

/** The times of a chart's bars: its first column. */
function timesOf(chart: string): readonly number[] {
  const times: unknown = JSON.parse(chart.slice(chart.indexOf('['), chart.indexOf(']') + 1))
  if (!timesChecker.Check(times)) throw new Error('a chart answer does not begin with its times')
  return times
}

function barText(bars: Series, i: number): string {
  return CHART_COLUMNS.map((name) => bars[name][i]).join()
}
