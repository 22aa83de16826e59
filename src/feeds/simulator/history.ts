import type { Market } from './market.ts'

const DAY_SECONDS = 86_400
/** Swaps of the history for each token, unless the rate gives fewer in a day. */
export const HISTORY_SWAPS_PER_TOKEN = 12
/** Tokens older than the day that the history's swaps cover, and their greatest age. */
const OLD_TOKEN_SHARE = 0.15
const OLDEST_DAYS = 3
/** Chance of a launch that is due, at each step. */
const DUE_LAUNCH_CHANCE = 0.5

/** How many swaps the history of a market has. */
export function historySwaps(tokens: number, rate: number): number {
  return Math.floor(Math.min(rate * DAY_SECONDS, tokens * HISTORY_SWAPS_PER_TOKEN))
}

export interface HistoryOptions {
  /** Tokens of the market. */
  readonly tokens: number
  /** Swaps per second. */
  readonly rate: number
  /** Unix seconds at which it ends and the live market begins. */
  readonly endSeconds: number
}

/** The day before the start, made step by step so that its owner can pause in between. */
export class History {
  readonly #market: Market
  readonly #endSeconds: number
  readonly #swaps: number
  readonly #tokens: number
  readonly #oldTokens: number
  #launched = 0

  constructor(market: Market, { tokens, rate, endSeconds }: HistoryOptions) {
    this.#market = market
    this.#tokens = tokens
    this.#swaps = historySwaps(tokens, rate)
    this.#oldTokens = Math.floor(tokens * OLD_TOKEN_SHARE)
    this.#endSeconds = endSeconds
  }

  /** True when it is complete. */
  step(): boolean {
    if (this.#launched < this.#oldTokens) {
      this.#launchOld()
      return false
    }
    if (this.#launched >= this.#tokens && this.#market.swaps >= this.#swaps) {
      this.#market.advanceHistory(this.#endSeconds)
      return true
    }
    this.#market.advanceHistory(this.#endSeconds - DAY_SECONDS * (1 - this.#progress()))
    if (this.#swaps === 0) {
      this.#market.launchQuietly()
      this.#launched++
    } else if (this.#market.step(this.#isLaunchDue() ? DUE_LAUNCH_CHANCE : 0)) this.#launched++
    return false
  }

  /** Launches keep step with swaps, of which they bring some: so both are spread over the day. */
  #isLaunchDue(): boolean {
    return this.#launchedShare() <= this.#swapsShare()
  }

  #launchOld(): void {
    const days = 1 + (OLDEST_DAYS - 1) * (1 - this.#launched / this.#oldTokens)
    this.#market.advanceHistory(this.#endSeconds - days * DAY_SECONDS)
    this.#market.launchOld()
    this.#launched++
  }

  /** Share of the day that is made: of the swaps or of the launches, whichever is behind. */
  #progress(): number {
    if (this.#swaps === 0) return this.#launchedShare()
    return Math.min(this.#launchedShare(), this.#swapsShare())
  }

  #launchedShare(): number {
    return (this.#launched - this.#oldTokens) / (this.#tokens - this.#oldTokens)
  }

  #swapsShare(): number {
    return this.#market.swaps / this.#swaps
  }
}
