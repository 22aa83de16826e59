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

/** The highest prices, and when the hour began in which that in USD was highest first. */
interface HourlyHigh {
  readonly usd: number
  readonly sol: number
  readonly hour: number | null
}

/** Goes towards what `allTimeHigh` reads, as `Chart.isNear` does. */
export function isHighNear(chart: Chart, token: number, mayGoOn: () => boolean): boolean {
  if (!chart.isStored(token)) return chart.isNear(token, HOUR, EVER, mayGoOn)
  // Its hours are few, but their minutes may be hundreds of thousands of bars back.
  const { hour } = hourlyHigh(chart, token)
  return hour === null || chart.isNear(token, MINUTE, endOf(hour), mayGoOn)
}

/** Reads the bars of a token's hours, and the minutes of the best one. */
export function allTimeHigh(chart: Chart, token: number): AllTimeHigh {
  const { usd, sol, hour } = hourlyHigh(chart, token)
  if (hour === null) return { usd, sol, time: null }
  let time = hour
  chart.visit(token, MINUTE, endOf(hour), (bar) => {
    if (bar.time >= hour && bar.usd.high === usd) time = bar.time
    return bar.time >= hour
  })
  return { usd, sol, time }
}

function hourlyHigh(chart: Chart, token: number): HourlyHigh {
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
  return { usd, sol, hour }
}

/** The last second of an hour. */
function endOf(hour: number): number {
  return hour + HOUR - 1
}
