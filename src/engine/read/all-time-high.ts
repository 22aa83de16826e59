import type { Budget } from '../../base/budget.ts'
import type { State } from '../state/state.ts'
import type { Chart, ChartBar } from './chart.ts'

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

/** Finds them in the bars of a token's hours, and the minute in those of the best one. */
export class AllTimeHighs {
  readonly #state: State
  readonly #chart: Chart
  /** Of the token asked for last, after so many changes of it: it is asked for again, turn by turn. */
  #token = -1
  #changes = -1
  #hourly: HourlyHigh = { usd: 0, sol: 0, hour: null }

  constructor(state: State, chart: Chart) {
    this.#state = state
    this.#chart = chart
  }

  /** @throws OutOfTime as `Chart.visit` does */
  of(token: number, budget: Budget): AllTimeHigh {
    const { usd, sol, hour } = this.#hourlyOf(token, budget)
    if (hour === null) return { usd, sol, time: null }
    let time = hour
    const take = (bar: ChartBar) => {
      if (bar.time >= hour && bar.usd.high === usd) time = bar.time
      return bar.time >= hour
    }
    // Its hours are few, but their minutes may be hundreds of thousands of bars back.
    this.#chart.visit(token, MINUTE, endOf(hour), take, budget)
    return { usd, sol, time }
  }

  #hourlyOf(token: number, budget: Budget): HourlyHigh {
    const changes = this.#state.changes.of(token)
    if (token === this.#token && changes === this.#changes) return this.#hourly
    let usd = 0
    let sol = 0
    let hour: number | null = null
    const take = (bar: ChartBar) => {
      if (hour === null || bar.usd.high >= usd) {
        usd = bar.usd.high
        hour = bar.time
      }
      if (bar.sol.high > sol) sol = bar.sol.high
      return true
    }
    this.#chart.visit(token, HOUR, EVER, take, budget)
    this.#token = token
    this.#changes = changes
    this.#hourly = { usd, sol, hour }
    return this.#hourly
  }
}

/** The last second of an hour. */
function endOf(hour: number): number {
  return hour + HOUR - 1
}
