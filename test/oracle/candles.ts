/** Bars of a token, folded anew from its trades for every answer (contract section 3.6). */
import type { ChartQuery, Resolution } from '../../src/protocol/queries.ts'
import { wire } from './exact.ts'
import type { FoldedSwap } from './world.ts'

interface Series {
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

interface Bar {
  /** Unix seconds, the open time. */
  readonly time: number
  readonly usd: Series
  readonly sol: Series
  readonly microUsd: number
  readonly lamports: number
}

const MOST_BARS = 5000
const WEEK_SECONDS = 604_800
/** The Monday before the epoch, which was a Thursday. */
const FIRST_MONDAY = -259_200

const WIDTHS: Record<Exclude<Resolution, '1W' | '1M'>, number> = {
  '1S': 1,
  '5S': 5,
  '15S': 15,
  '30S': 30,
  '1': 60,
  '5': 300,
  '15': 900,
  '30': 1800,
  '60': 3600,
  '240': 14_400,
  '1D': 86_400,
}

/** When the bar that holds `seconds` opens. */
export function barTime(seconds: number, resolution: Resolution): number {
  if (resolution === '1M') {
    const date = new Date(seconds * 1000)
    return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000
  }
  if (resolution === '1W') {
    return Math.floor((seconds - FIRST_MONDAY) / WEEK_SECONDS) * WEEK_SECONDS + FIRST_MONDAY
  }
  const width = WIDTHS[resolution]
  return Math.floor(seconds / width) * width
}

const flat = (price: number): Series => ({ open: price, high: price, low: price, close: price })

/** A price of 0 is none: it has no part in a series that has others. */
function trade(bar: Series, price: number): Series {
  if (price === 0) return bar
  if (bar.close === 0) return flat(price)
  return {
    open: bar.open,
    high: Math.max(bar.high, price),
    low: Math.min(bar.low, price),
    close: price,
  }
}

/** All bars with trades, ascending; inside a bar trades count by time, then in the total order. */
function barsOf(swaps: readonly FoldedSwap[], resolution: Resolution): Bar[] {
  const bars = new Map<number, Bar>()
  const byTime = [...swaps].sort((a, b) => a.swap.timestamp - b.swap.timestamp)
  for (const { swap, value, worth, lamports } of byTime) {
    const time = barTime(swap.timestamp, resolution)
    const bar = bars.get(time)
    bars.set(time, {
      time,
      usd: bar ? trade(bar.usd, value.priceUsd) : flat(value.priceUsd),
      sol: bar ? trade(bar.sol, value.priceSol) : flat(value.priceSol),
      microUsd: (bar?.microUsd ?? 0) + worth.microUsd,
      lamports: (bar?.lamports ?? 0) + lamports,
    })
  }
  return [...bars.values()].sort((a, b) => a.time - b.time)
}

/** Every bar opens at the close of the one before; the very first as it is. */
function continued(bars: readonly Bar[]): Bar[] {
  // A bar that has no price has none at its beginning either, and gives the next one none.
  const openAt = (bar: Series, open: number): Series =>
    bar.close === 0 || open === 0
      ? bar
      : {
          open,
          high: Math.max(bar.high, open),
          low: Math.min(bar.low, open),
          close: bar.close,
        }
  return bars.map((bar, index) => {
    const before = bars[index - 1]
    if (!before) return bar
    const usd = openAt(bar.usd, before.usd.close)
    return { ...bar, usd, sol: openAt(bar.sol, before.sol.close) }
  })
}

/** Flat bars wherever none is, from the first bar up to `end`; only as many as can be shown. */
function filled(bars: readonly Bar[], end: number, resolution: Resolution): Bar[] {
  const first = bars[0]
  if (!first) return []
  const newestFirst: Bar[] = []
  const left = [...bars]
  let time = Math.max(barTime(end, resolution), left.at(-1)?.time ?? first.time)
  while (newestFirst.length < MOST_BARS) {
    const before = left.at(-1)
    if (!before) break
    if (before.time === time) left.pop()
    newestFirst.push(before.time === time ? before : flatAfter(before, time))
    // Past `end` there are only bars with trades.
    time = barTime(time - 1, resolution)
    if (time > end) time = Math.max(barTime(end, resolution), left.at(-1)?.time ?? first.time)
  }
  return newestFirst.reverse()
}

/** Where no bar opens the range, the close of the last one before it does. */
function carriedInto(from: number, bars: readonly Bar[], end: number): Bar[] {
  const before = bars.findLast(({ time }) => time < from)
  if (!before || from > end || bars.some(({ time }) => time === from)) return []
  return [flatAfter(before, from)]
}

function flatAfter(before: Bar, time: number): Bar {
  const usd = flat(before.usd.close)
  return { time, usd, sol: flat(before.sol.close), microUsd: 0, lamports: 0 }
}

export function chartOf(swaps: readonly FoldedSwap[], query: ChartQuery, now: number): object {
  const { resolution, to, countback } = query
  const from = barTime(Math.max(query.from, 0), resolution)
  const traded = barsOf(swaps, resolution)
  const all = query.continuous ? continued(traded) : traded
  const upTo = all.filter(({ time }) => time <= to)
  const inRange = upTo.filter(({ time }) => time >= from)
  const chosen = countback > 0 ? upTo.slice(-countback) : inRange
  const end = Math.min(to, now)
  const carried = countback > 0 ? [] : carriedInto(from, all, end)
  const shown =
    query.fill === 'previous'
      ? filled([...carried, ...chosen], end, resolution).slice(-countback)
      : chosen
  const arrays = arraysOf(shown.slice(-MOST_BARS))
  if (!query.udf) return arrays
  if (shown.length > 0) return { s: 'ok', ...arrays }
  const next = all.filter(({ time }) => time < from).at(-1)
  return { s: 'no_data', ...arrays, ...(next && { nextTime: next.time }) }
}

function arraysOf(bars: readonly Bar[]): object {
  return {
    t: bars.map(({ time }) => time),
    o: bars.map(({ usd }) => wire(usd.open)),
    h: bars.map(({ usd }) => wire(usd.high)),
    l: bars.map(({ usd }) => wire(usd.low)),
    c: bars.map(({ usd }) => wire(usd.close)),
    v: bars.map(({ microUsd }) => microUsd / 1e6),
    o_sol: bars.map(({ sol }) => wire(sol.open)),
    h_sol: bars.map(({ sol }) => wire(sol.high)),
    l_sol: bars.map(({ sol }) => wire(sol.low)),
    c_sol: bars.map(({ sol }) => wire(sol.close)),
    v_sol: bars.map(({ lamports }) => lamports / 1e9),
  }
}
