/** Reads chart answers into bars, and folds narrow bars into wide ones. */
import { ensure, type Json, near, numbers, record, same } from './expect.ts'
import type { Http } from './http.ts'
import { chartPath } from './paths.ts'
import { checkShape } from './shape.ts'
import { ohlcv, resolutions } from './spec-tables.ts'

export interface Bar {
  t: number
  o: number
  h: number
  l: number
  c: number
  v: number
  o_sol: number
  h_sol: number
  l_sol: number
  c_sol: number
  v_sol: number
}

export function barsOf(answer: Json): Bar[] {
  const series = Object.fromEntries(ohlcv.map(({ name }) => [name, numbers(answer, name)]))
  for (const { name } of ohlcv) {
    same(series[name].length, series.t.length, `the length of ${name} against t`)
  }
  return series.t.map((t, i) => ({
    t,
    ...{ o: series.o[i], h: series.h[i], l: series.l[i], c: series.c[i], v: series.v[i] },
    ...{ o_sol: series.o_sol[i], h_sol: series.h_sol[i], l_sol: series.l_sol[i] },
    ...{ c_sol: series.c_sol[i], v_sol: series.v_sol[i] },
  }))
}

export async function chart(
  http: Http,
  mint: string,
  from: number,
  to: number,
  resolution: string,
): Promise<Bar[]> {
  const path = chartPath(mint, from, to, resolution)
  const answer = record(await http.get(path), 'the chart')
  checkShape(answer, ohlcv, 'the chart')
  return barsOf(answer)
}

const week = 604_800
const monday = 345_600

/** The open time of the bar that holds a second. */
export function floorTo(time: number, resolution: string): number {
  const date = new Date(time * 1000)
  if (resolution === '1M') return Date.UTC(date.getUTCFullYear(), date.getUTCMonth(), 1) / 1000
  if (resolution === '1W') return Math.floor((time - monday) / week) * week + monday
  const width = resolutions[resolution]
  return Math.floor(time / width) * width
}

function fold(bars: Bar[], t: number): Bar {
  const [first, last] = [bars[0], bars[bars.length - 1]]
  const sum = (pick: (bar: Bar) => number): number => bars.reduce((all, bar) => all + pick(bar), 0)
  return {
    t,
    o: first.o,
    h: Math.max(...bars.map((bar) => bar.h)),
    l: Math.min(...bars.map((bar) => bar.l)),
    c: last.c,
    v: sum((bar) => bar.v),
    o_sol: first.o_sol,
    h_sol: Math.max(...bars.map((bar) => bar.h_sol)),
    l_sol: Math.min(...bars.map((bar) => bar.l_sol)),
    c_sol: last.c_sol,
    v_sol: sum((bar) => bar.v_sol),
  }
}

/** Wide bars out of narrow ones. */
export function foldTo(narrow: Bar[], resolution: string): Bar[] {
  const buckets = new Map<number, Bar[]>()
  for (const bar of narrow) {
    const open = floorTo(bar.t, resolution)
    const bucket = buckets.get(open) ?? []
    bucket.push(bar)
    buckets.set(open, bucket)
  }
  return [...buckets].map(([open, bars]) => fold(bars, open))
}

const prices = ['o', 'h', 'l', 'c', 'o_sol', 'h_sol', 'l_sol', 'c_sol'] as const

export function sameBars(actual: Bar[], expected: Bar[], what: string): void {
  const opens = (bars: Bar[]): number[] => bars.map((bar) => bar.t)
  same(opens(actual), opens(expected), `${what}: open times`)
  actual.forEach((bar, i) => {
    for (const name of prices)
      same(bar[name], expected[i][name], `${what}: ${name} of bar ${bar.t}`)
    near(bar.v, expected[i].v, `${what}: v of bar ${bar.t}`, 1e-5)
    near(bar.v_sol, expected[i].v_sol, `${what}: v_sol of bar ${bar.t}`)
  })
}

export function checkBars(bars: Bar[], resolution: string): void {
  bars.forEach((bar, i) => {
    const what = `${resolution} bar ${bar.t}`
    same(bar.t, floorTo(bar.t, resolution), `${what}: alignment`)
    ensure(i === 0 || bar.t > bars[i - 1].t, `${what} does not come after the bar before it`)
    const { o, h, l, c, o_sol, h_sol, l_sol, c_sol } = bar
    ensure(l <= Math.min(o, c) && h >= Math.max(o, c), `${what}: low ${l}, high ${h}`)
    const fits = l_sol <= Math.min(o_sol, c_sol) && h_sol >= Math.max(o_sol, c_sol)
    ensure(fits, `${what}: low ${l_sol}, high ${h_sol} in SOL`)
    ensure(bar.v >= 0 && bar.v_sol >= 0 && l >= 0 && l_sol >= 0, `${what} has a negative value`)
  })
}
