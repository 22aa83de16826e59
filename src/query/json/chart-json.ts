import { barTime, nextBarTime, type Width } from '../../base/bar-time.ts'
import type { Budget } from '../../base/budget.ts'
import type { Chart, ChartBar } from '../../engine/read/chart.ts'
import { BARS_MAX, CHART_COLUMNS, type ChartQuery, WIDTHS } from '../../protocol/queries.ts'
import { finiteNumber, jsonNumber } from '../../protocol/wire.ts'

const MICRO = 1e6
const LAMPORTS = 1e9
/** Numbers written between two checks of the budget: some 50 µs. */
const NUMBERS_A_LOOK = 256

/**
 * The OHLCV series of a token, or of nothing (-1), as of `now` (contract section 3.6): read, to be written.
 * @throws OutOfTime on the way to its newest bar
 */
export function chartText(
  chart: Chart,
  token: number,
  query: ChartQuery,
  now: number,
  budget: Budget,
): ChartText {
  const width = WIDTHS[query.resolution]
  const from = barTime(width, query.from)
  const bars: ChartBar[] = []
  let before: ChartBar | null = null
  const take = (bar: ChartBar) => {
    const isWanted = query.countback > 0 ? bars.length < query.countback : bar.time >= from
    if (isWanted && bars.length < BARS_MAX) {
      bars.push(bar)
      return true
    }
    before = bar
    return false
  }
  if (token >= 0) chart.visit(token, width, query.to, take, budget)
  bars.reverse()
  if (query.continuous) openAtClose(bars, before)
  const nextTime = timeOf(before)
  if (query.fill === 'none') return new ChartText(bars, query.udf, nextTime)
  const end = Math.min(query.to, now)
  if (query.countback === 0) beginAt(from, bars, before, end)
  const filled = fillPrevious(bars, width, end, query.countback || BARS_MAX)
  return new ChartText(filled, query.udf, nextTime)
}

function timeOf(bar: ChartBar | null): number | null {
  return bar?.time ?? null
}

/** A range in which nothing traded at first begins at the close of the bar before it. */
function beginAt(from: number, bars: ChartBar[], before: ChartBar | null, end: number): void {
  if (before === null || before.time >= from || from > end || bars[0]?.time === from) return
  bars.unshift(flatBar(before, from))
}

/** Each bar opens at the close before it; high and low take the new open in. */
function openAtClose(bars: readonly ChartBar[], before: ChartBar | null): void {
  const closes = bars.map((bar) => ({ usd: bar.usd.close, sol: bar.sol.close }))
  for (let i = 0; i < bars.length; i++) {
    const usd = i > 0 ? closes[i - 1].usd : (before?.usd.close ?? bars[i].usd.open)
    const sol = i > 0 ? closes[i - 1].sol : (before?.sol.close ?? bars[i].sol.open)
    reopen(bars[i].usd, usd)
    reopen(bars[i].sol, sol)
  }
}

/** A bar without a price (0) has no close to open at. */
function reopen(series: ChartBar['usd'], open: number): void {
  if (open === 0 || series.close === 0) return
  series.open = open
  series.high = Math.max(series.high, open)
  series.low = Math.min(series.low, open)
}

/**
 * Flat bars at the close before wherever nothing traded, up to `end`, past which are only bars with
 * trades; the newest `count` of them. From the newest gap on: the gaps of a month hold millions.
 */
function fillPrevious(
  bars: readonly ChartBar[],
  width: Width,
  end: number,
  count: number,
): ChartBar[] {
  const newestFirst: ChartBar[] = []
  for (let i = bars.length - 1; i >= 0 && newestFirst.length < count; i--) {
    const last = i + 1 < bars.length ? Math.min(bars[i + 1].time - 1, end) : end
    newestFirst.push(...flatBars(bars[i], width, last).reverse(), bars[i])
  }
  return newestFirst.slice(0, count).reverse()
}

/** The flat bars behind a bar up to a time, the newest ones of a long gap. */
function flatBars(before: ChartBar, width: Width, last: number): ChartBar[] {
  const flat: ChartBar[] = []
  let time = nextBarTime(width, before.time)
  const first = firstKept(width, time, last)
  if (first > time) time = first
  for (; time <= last; time = nextBarTime(width, time)) flat.push(flatBar(before, time))
  return flat
}

/** The first bar of a gap that an answer can hold: a gap of years in seconds is not walked through. */
function firstKept(width: Width, time: number, last: number): number {
  if (typeof width !== 'number') return time
  return barTime(width, Math.max(time, last - width * BARS_MAX))
}

function flatBar(before: ChartBar, time: number): ChartBar {
  const usd = before.usd.close
  const sol = before.sol.close
  return {
    time,
    usd: { open: usd, high: usd, low: usd, close: usd },
    sol: { open: sol, high: sol, low: sol, close: sol },
    microUsd: 0,
    lamports: 0,
  }
}

const READS: { readonly [Name in (typeof CHART_COLUMNS)[number]]: (bar: ChartBar) => number } = {
  t: (bar) => bar.time,
  o: (bar) => bar.usd.open,
  h: (bar) => bar.usd.high,
  l: (bar) => bar.usd.low,
  c: (bar) => bar.usd.close,
  v: (bar) => bar.microUsd / MICRO,
  o_sol: (bar) => bar.sol.open,
  h_sol: (bar) => bar.sol.high,
  l_sol: (bar) => bar.sol.low,
  c_sol: (bar) => bar.sol.close,
  v_sol: (bar) => bar.lamports / LAMPORTS,
}

/**
 * The text of a chart, of bars as they were when it was begun: 5,000 have 55,000 numbers, and their
 * digits take most of the time of an answer. It can be written in pieces over several turns.
 */
class ChartText {
  readonly #count: number
  /** Column behind column. */
  readonly #numbers: Float64Array
  readonly #pieces: string[] = []
  readonly #end: string
  #at = 0

  /** `isUdf`: with a status, and without bars with `nextTime`, the time of the bar before (null: none). */
  constructor(bars: readonly ChartBar[], isUdf: boolean, nextTime: number | null) {
    const count = bars.length
    this.#count = count
    this.#numbers = new Float64Array(CHART_COLUMNS.length * count)
    let at = 0
    for (const name of CHART_COLUMNS) {
      const read = READS[name]
      for (let i = 0; i < count; i++) this.#numbers[at++] = read(bars[i])
    }
    if (isUdf) this.#pieces.push(count > 0 ? '{"s":"ok",' : '{"s":"no_data",')
    else this.#pieces.push('{')
    this.#end = isUdf && count === 0 && nextTime !== null ? `,"nextTime":${nextTime}}` : '}'
    if (count === 0) this.#pieces.push(CHART_COLUMNS.map((name) => `"${name}":[]`).join(','))
  }

  column(name: keyof typeof READS): readonly number[] {
    const from = CHART_COLUMNS.indexOf(name) * this.#count
    return Array.from(this.#numbers.subarray(from, from + this.#count), finiteNumber)
  }

  write(budget: Budget): string {
    while (this.#at < this.#numbers.length) {
      this.#writePiece()
      if (this.#at < this.#numbers.length) budget.throwIfSpent()
    }
    return this.#pieces.join('') + this.#end
  }

  /** Some of a column, with what stands before and behind it. */
  #writePiece(): void {
    const column = Math.floor(this.#at / this.#count)
    const columnEnd = (column + 1) * this.#count
    const end = Math.min(columnEnd, this.#at + NUMBERS_A_LOOK)
    const isFirst = this.#at === columnEnd - this.#count
    const texts: string[] = []
    for (let at = this.#at; at < end; at++) texts.push(jsonNumber(this.#numbers[at]))
    const opening = isFirst ? `${column > 0 ? ',' : ''}"${CHART_COLUMNS[column]}":[` : ','
    this.#pieces.push(opening, texts.join(','), end === columnEnd ? ']' : '')
    this.#at = end
  }
}
