import type { Chart } from './chart.ts'

const HOUR = 3_600
const MINUTE = 60
/** Behind the time of every swap, which is 32 bits: some lie ahead of the clock. */
const EVER = 2 ** 32 - 1

/** The highest prices a token had; 0 and null without swaps. */
export interface AllTimeHigh {
  readonly usd: number
  readonly sol: number
  /** Unix seconds: the minute in which the price in USD was highest first. */
  readonly time: number | null
}

/** Goes towards what `allTimeHigh` reads, as `Chart.isNear` does. */
export function isHighNear(chart: Chart, token: number, mayGoOn: () => boolean): boolean {
  return chart.isNear(token, HOUR, EVER, mayGoOn)
}

/** Reads the bars of a token's hours, and the minutes of the best one. */
export function allTimeHigh(chart: Chart, token: number): AllTimeHigh {
  let usd = 0
  let sol = 0
  let hour: number | null = null
  chart.visit(token, HOUR, EVER, (bar) => {
    if (hour === null || bar.usd.high >= usd) {
      usd = bar.usd.high
      hour = bar.time
    }
    if (bar.sol.high > sol) sol = bar.sol.high
    return true
  })
  if (hour === null) return { usd, sol, time: null }
  const start: number = hour
  let time = start
  chart.visit(token, MINUTE, start + HOUR - 1, (bar) => {
    if (bar.time >= start && bar.usd.high === usd) time = bar.time
    return bar.time >= start
  })
  return { usd, sol, time }
}
