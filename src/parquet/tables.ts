import { barTime, nextBarTime, type Width } from '../base/bar-time.ts'
import { Budget } from '../base/budget.ts'
import type { Engine } from '../engine/engine.ts'
import { Chart, type ChartBar } from '../engine/read/chart.ts'
import { PositionReader } from '../engine/read/position-reader.ts'
import { TokenReader } from '../engine/read/token-reader.ts'
import { TokenFlag, TokenLane } from '../engine/state/layout.ts'
import { SwapReader } from '../query/json/swap-reader.ts'
import type { Column } from './columns.ts'
import {
  BAR_COLUMNS,
  type MintBar,
  POSITION_COLUMNS,
  SWAP_COLUMNS,
  TOKEN_COLUMNS,
} from './exported-columns.ts'
import { DAY_SECONDS, dayOf, type TapeDays } from './tape-days.ts'

/** Days from the first to before the last, numbered as `dayOf` does. */
export interface DayRange {
  readonly from: number
  readonly to: number
}

/** The file of a day. */
export interface DayPlan {
  readonly day: number
  /** What it is made of: a day that is there and made of the same is not written again. */
  readonly of: string
  /** How much is read for it, in the units of the progress. */
  readonly size: number
}

/** What is exported: days, and the rows of each. A row is good until the next one. */
export interface Table<Row> {
  readonly columns: readonly Column<Row>[]
  readonly days: readonly DayPlan[]
  /** Can a day be one of this market, whether it is asked for or not? */
  isKnown(day: number): boolean
  rows(day: number): Iterable<Row>
}

/** The swaps by their own day. */
export function swapTable(engine: Engine, tape: TapeDays, range: DayRange): Table<SwapReader> {
  const swap = new SwapReader(engine.state)
  return {
    columns: SWAP_COLUMNS,
    days: daysIn(tape.swaps.keys(), range).map((day) => plan(engine, tape, day, day + 1)),
    isKnown: (day) => tape.swaps.has(day),
    *rows(day) {
      for (const index of tape.swapsOf(day)) yield swap.at(index)
    },
  }
}

/** The bars of one width, by the day in which they open; a week and a month are there when their first day is. */
export function barTable(
  engine: Engine,
  tape: TapeDays,
  range: DayRange,
  width: Width,
): Table<MintBar> {
  const { state } = engine
  const chart = new Chart(state, engine.chartTrades, engine.bars)
  const opens = (seconds: number) => dayOf(barTime(width, seconds))
  const days = new Set([...tape.swaps.keys()].map((day) => opens(day * DAY_SECONDS)))
  const endOf = (day: number) =>
    Math.max(day + 1, dayOf(nextBarTime(width, barTime(width, day * DAY_SECONDS))))
  return {
    columns: BAR_COLUMNS,
    days: daysIn(days, range).map((day) => plan(engine, tape, day, endOf(day))),
    isKnown: (day) => days.has(day),
    *rows(day) {
      for (let token = 0; token < state.tokens.count; token++) {
        const { first, last } = tape.spanOf(token)
        if (last === 0 || opens(first) > day || opens(last) < day) continue
        const mint = state.book.mintOf(token)
        for (const bar of barsOf(chart, token, width, day)) yield { mint, bar }
      }
    },
  }
}

/** The tokens that were created in the range, all in the day of the end. */
export function tokenTable(engine: Engine, range: DayRange | null): Table<TokenReader> {
  const { state, top, links } = engine
  const token = new TokenReader(state, top, links)
  return {
    columns: TOKEN_COLUMNS,
    days: planOfEnd(engine, range),
    isKnown: () => true,
    *rows() {
      for (const row of tokensOf(engine))
        if (range === null || isIn(range, dayOf(token.at(row).createdAt))) yield token.at(row)
    },
  }
}

/** The positions that were last active in the range, all in the day of the end. */
export function positionTable(engine: Engine, range: DayRange | null): Table<PositionReader> {
  const { state, top, links, positions } = engine
  const position = new PositionReader(state, new TokenReader(state, top, links))
  return {
    columns: POSITION_COLUMNS,
    days: planOfEnd(engine, range),
    isKnown: () => true,
    *rows() {
      for (const token of tokensOf(engine))
        for (const row of positions.ofToken(token))
          if (range === null || isIn(range, dayOf(position.at(row).lastActiveAt)))
            yield position.at(row)
    },
  }
}

function* tokensOf({ state: { tokens } }: Engine): Generator<number> {
  for (let token = 0; token < tokens.count; token++)
    if ((tokens.get(token, TokenLane.flags) & TokenFlag.exists) !== 0) yield token
}

/** Bars that open in a day, ascending. */
function barsOf(chart: Chart, token: number, width: Width, day: number): ChartBar[] {
  const bars: ChartBar[] = []
  const take = (bar: ChartBar) => {
    const isOfDay = bar.time >= day * DAY_SECONDS
    if (isOfDay) bars.push(bar)
    return isOfDay
  }
  chart.visit(token, width, (day + 1) * DAY_SECONDS - 1, take, Budget.unlimited)
  return bars.reverse()
}

function isIn({ from, to }: DayRange, day: number): boolean {
  return day >= from && day < to
}

function daysIn(days: Iterable<number>, range: DayRange): number[] {
  return [...days].filter((day) => isIn(range, day)).sort((a, b) => a - b)
}

/**
 * A day of the tape: made of its swaps, and while more may come, of all that has come. Of two markets, or of two pasts of
 * one, a day has other numbers of swaps, or another first one.
 */
function plan(engine: Engine, tape: TapeDays, day: number, endDay: number): DayPlan {
  let size = 0
  let first = Number.POSITIVE_INFINITY
  for (let each = day; each < endDay; each++) {
    const swaps = tape.swaps.get(each)
    size += swaps?.count ?? 0
    first = Math.min(first, swaps?.first ?? first)
  }
  const { signature } = new SwapReader(engine.state).at(first)
  const isOver = endDay * DAY_SECONDS <= tape.settledSeconds
  return {
    day,
    of: `${size} swaps from ${signature}${isOver ? '' : ` at seq ${engine.seq}`}`,
    size,
  }
}

/** What is as of the end has one day, and is made of all that has come. */
function planOfEnd(engine: Engine, range: DayRange | null): readonly DayPlan[] {
  const { state, seq } = engine
  if (state.tokens.count === 0) return []
  const end = `seq ${seq} at ${state.now}`
  const of = range === null ? end : `${end}, days ${range.from} to ${range.to}`
  return [{ day: dayOf(state.now), of, size: state.tokens.count }]
}
