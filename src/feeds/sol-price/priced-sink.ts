import { readFileSync } from 'node:fs'
import { messageOf } from '../../base/errors.ts'
import { isSolPrice, SOL_PRICE_USD } from '../../base/thresholds.ts'
import type { FeedEvent, SolPrice } from '../../events/event.ts'
import type { EventSink } from '../../events/event-sink.ts'
import type { RecordBatch } from '../../events/swap-record.ts'
import { RECORDING_GAP_SECONDS } from '../timers.ts'

/**
 * Puts the prices of a series between the events of a feed, by the events' own times: before the
 * first event, and before the first one at or after each change. Prices that the feed brings itself
 * are left out: the user named the ones to use.
 */
export class PricedSink implements EventSink {
  readonly #sink: EventSink
  readonly #series: PriceSeries
  readonly #isAhead: (timestamp: number) => boolean
  /** The point of the series that was emitted last. */
  #sent: PriceSeries[number] | null = null
  #newestSeconds = 0
  /** While a gap is filled unix seconds of what goes on behind it; 0: none is. */
  #behindFill = 0

  /** @param isAhead whether events of a time are refused now: a price that is emitted with one would never come */
  constructor(
    sink: EventSink,
    series: PriceSeries,
    isAhead: (timestamp: number) => boolean = () => false,
  ) {
    this.#sink = sink
    this.#series = series
    this.#isAhead = isAhead
  }

  events(batch: readonly FeedEvent[]): void {
    const priced: FeedEvent[] = []
    for (const event of batch) {
      if (event.type === 'sol_price') continue
      const price = this.#changeBefore(event)
      if (price !== null) priced.push(price)
      priced.push(event)
    }
    if (priced.length > 0) this.#sink.events(priced)
  }

  /** Prices are emitted with the events between the records. */
  records(batch: RecordBatch): void {
    const priced: RecordBatch['others'] = []
    for (const other of batch.others) {
      if (other.event.type === 'sol_price') continue
      const price = this.#changeBefore(other.event)
      if (price !== null) priced.push({ before: other.before, event: price })
      priced.push(other)
    }
    batch.others = priced
    this.#sink.records(batch)
  }

  /** What fills a gap has the prices of its own time, and the present one comes back before anybody looks. */
  #changeBefore(event: FeedEvent): SolPrice | null {
    if (event.type !== 'gap') return this.#changeAt(event.timestamp)
    const behind = Math.max(this.#behindFill, this.#newestSeconds)
    const isEnd = this.#behindFill > 0 && event.state !== 'filling'
    this.#behindFill = event.state === 'filling' ? Math.max(behind, event.timestamp) : 0
    return isEnd ? this.#changeAt(behind) : null
  }

  /** The price from now on, when it is another one than was emitted last. */
  #changeAt(timestamp: number): SolPrice | null {
    if (this.#isAhead(timestamp)) return null
    const point = this.#pointAt(timestamp)
    if (point === undefined || point === this.#sent) return null
    this.#sent = point
    return { type: 'sol_price', timestamp, usd: point.usd }
  }

  /** A late event does not bring an old price back. */
  #pointAt(timestamp: number): PriceSeries[number] | undefined {
    const isOther = timestamp < this.#newestSeconds - RECORDING_GAP_SECONDS
    if (isOther || timestamp > this.#newestSeconds) this.#newestSeconds = timestamp
    return pointAt(this.#series, this.#newestSeconds)
  }
}

/** Most rows of a price file: a price a minute for two years. */
const ROWS_MAX = 1_100_000

/** Prices in order of time, at least one; each with the unix seconds from which it holds. */
export type PriceSeries = readonly { readonly timestamp: number; readonly usd: number }[]

/** One price for all times. */
export function fixedPrice(usd: number): PriceSeries {
  return [{ timestamp: 0, usd }]
}

/**
 * Reads lines of `unix-seconds price`, split by blanks or a comma; lines that are empty or begin
 * with # are left out.
 * @throws Error with one sentence when the file cannot be read or a line is something else
 */
export function readPriceFile(path: string): PriceSeries {
  const points: PriceSeries[number][] = []
  for (const [index, line] of textOf(path).split('\n').entries()) {
    const text = line.trim()
    if (text === '' || text.startsWith('#')) continue
    const match = /^(\d{1,10})(?:\s*,\s*|\s+)(\d+(?:\.\d+)?)$/.exec(text)
    const usd = Number(match?.[2])
    if (match === null || !isSolPrice(usd))
      throw new Error(
        `line ${index + 1} of "${path}" must be unix seconds and a price from ${SOL_PRICE_USD.range}, like "1733011200 238.71"`,
      )
    points.push({ timestamp: Number(match[1]), usd })
  }
  if (points.length === 0 || points.length > ROWS_MAX)
    throw new Error(`"${path}" has ${points.length} prices but must have 1 to ${ROWS_MAX}`)
  return points.sort((a, b) => a.timestamp - b.timestamp)
}

/** The price that holds at a time; before the first one, the first. Searched by halves: a file may have a million. */
function pointAt(series: PriceSeries, timestamp: number): PriceSeries[number] | undefined {
  let low = 0
  let high = series.length - 1
  while (low < high) {
    const middle = (low + high + 1) >> 1
    if ((series[middle]?.timestamp ?? 0) <= timestamp) low = middle
    else high = middle - 1
  }
  return series[low]
}

function textOf(path: string): string {
  try {
    return readFileSync(path, 'utf8')
  } catch (error) {
    throw new Error(`"${path}" cannot be read (${messageOf(error)})`)
  }
}
