import type { Market } from './market.ts'

export const DAY_SECONDS = 86_400
/** Swaps of the history for each token, unless the rate gives fewer in a day. */
export const HISTORY_SWAPS_PER_TOKEN = 12
/** Tokens older than the day that the history's swaps cover, and their greatest age. */
const OLD_TOKEN_SHARE = 0.15
const OLDEST_DAYS = 3
/** Of a market that goes on with more tokens than it has: a tenfold of what the chain sees at its busiest. */
const LAUNCHES_PER_SECOND_MAX = 10
/** Chance of a launch that is due, at each step. */
const DUE_LAUNCH_CHANCE = 0.5

/** How many swaps the history of a market has. */
export function historySwaps(tokens: number, rate: number): number {
  return Math.floor(Math.min(rate * DAY_SECONDS, tokens * HISTORY_SWAPS_PER_TOKEN))
}

/** Launches of a history: all tokens, or those that are missing or that a part of a day brings. */
function historyLaunches({ tokens, goesOn }: HistoryOptions): number {
  if (goesOn === undefined) return tokens
  const ofSpan = Math.floor((tokens * goesOn.spanSeconds) / DAY_SECONDS)
  // In seconds no market launches tens of thousands: the rest of them come while it lives.
  const possible = Math.floor(goesOn.spanSeconds * LAUNCHES_PER_SECOND_MAX)
  return Math.max(Math.min(tokens - goesOn.tokens, possible), ofSpan)
}

export interface HistoryOptions {
  /** Tokens of the market. */
  readonly tokens: number
  /** Swaps per second. */
  readonly rate: number
  /** Unix seconds at which it ends and the live market begins. */
  readonly endSeconds: number
  /** Of a market that goes on: tokens that it has, and the seconds that nobody has told of, a day at most. */
  readonly goesOn?: { readonly tokens: number; readonly spanSeconds: number }
}

/**
 * The day before the start, or the time since a market stopped, made step by step so that its owner can
 * pause in between.
 */
export class History {
  readonly #market: Market
  readonly #endSeconds: number
  readonly #spanSeconds: number
  readonly #swaps: number
  readonly #tokens: number
  readonly #oldTokens: number
  #launched = 0

  constructor(market: Market, options: HistoryOptions) {
    const { tokens, rate, endSeconds, goesOn } = options
    this.#market = market
    this.#spanSeconds = goesOn?.spanSeconds ?? DAY_SECONDS
    this.#tokens = historyLaunches(options)
    const share = tokens === 0 ? 0 : this.#tokens / tokens
    this.#swaps = Math.floor(historySwaps(tokens, rate) * share)
    this.#oldTokens = goesOn === undefined ? Math.floor(tokens * OLD_TOKEN_SHARE) : 0
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
    this.#market.advanceHistory(this.#endSeconds - this.#spanSeconds * (1 - this.#progress()))
    if (this.#swaps === 0) {
      this.#market.launchQuietly()
      this.#launched++
    } else if (this.#market.step(this.#isLaunchDue() ? DUE_LAUNCH_CHANCE : 0)) this.#launched++
    return false
  }

  /** Launches keep step with swaps, of which they bring some: so both are spread over the day. */
  #isLaunchDue(): boolean {
    return this.#launched < this.#tokens && this.#launchedShare() <= this.#swapsShare()
  }

  #launchOld(): void {
    const days = 1 + (OLDEST_DAYS - 1) * (1 - this.#launched / this.#oldTokens)
    this.#market.advanceHistory(this.#endSeconds - days * DAY_SECONDS)
    this.#market.launchOld()
    this.#launched++
  }

  /** Share of it that is made: of the swaps or of the launches, whichever is behind. */
  #progress(): number {
    if (this.#swaps === 0) return this.#launchedShare()
    return Math.min(this.#launchedShare(), this.#swapsShare())
  }

  #launchedShare(): number {
    if (this.#tokens === this.#oldTokens) return 1
    return (this.#launched - this.#oldTokens) / (this.#tokens - this.#oldTokens)
  }

  #swapsShare(): number {
    return this.#market.swaps / this.#swaps
  }
}
