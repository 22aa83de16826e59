/**
 * feeds/simulator: FEED=sim. In: a seed, the number of tokens, a rate, and the market an earlier run left. Out: swap records and
 * events of a made-up market. `Market` ties the actors together: `Launcher`, `Crowd`, `Trader`, `CoinTrades`, `Graduation`,
 * `ReserveMoves`; `world` has the tables they share. Invariants: a pure function of options and calls; fixed memory; reserves,
 * balances and fees follow the platform's rules, which test/simulator audits.
 */

import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Feed, RecordSink } from '../../events/event-sink.ts'
import { Market, type MarketOptions } from './market.ts'
import type { HeldMarket } from './take-up.ts'
import { SLOT_SECONDS } from './world/chain-clock.ts'

/** Time between two looks at the clock; the swaps that are due by then are made at once. */
const TICK_MS = 16
/** Work is done in slices of about this length; the event loop runs in between. */
const SLICE_MS = 5
/** History steps, and live swaps, between two looks at the clock. */
const STEPS_PER_LOOK = 256
/** After a pause at most this much is caught up. */
const MAX_CATCH_UP_SECONDS = 2
const DAY_SECONDS = 86_400
/** Swaps of the history for each token, unless the rate gives fewer in a day. */
export const HISTORY_SWAPS_PER_TOKEN = 12
/** Tokens older than the day that the history's swaps cover, and their greatest age. */
const OLD_TOKEN_SHARE = 0.15
const OLDEST_DAYS = 3
/** Of a market that goes on with more tokens than it has: a tenfold of what the chain sees at its busiest. */
const LAUNCHES_PER_SECOND_MAX = 10
/** Chance of a launch that is due, at each step. */
const DUE_LAUNCH_CHANCE = 0.5

/** The history ends, and the live market begins, at `startSeconds`; `tokens` are there by then. */
interface SimulatorOptions
  extends Pick<MarketOptions, 'seed' | 'tokens' | 'startSeconds' | 'addressBook'> {
  /** The market that an earlier run has left is taken up; null: there is none. */
  readonly held: HeldMarket | null
  /** Swaps per second. */
  readonly rate: number
  /** Now, unix seconds; fractions make the pace even but are not needed. */
  readonly clock: () => number
}

/**
 * A market of its own: a day of history at once, then live trading at a steady rate. Where an earlier run
 * left one it goes on with that, and what is missing since it stopped is the history.
 */
export class SimulatorFeed implements Feed {
  readonly name = 'sim'
  readonly #options: SimulatorOptions
  readonly #stopping = new AbortController()

  constructor(options: SimulatorOptions) {
    this.#options = options
  }

  async start(sink: RecordSink): Promise<void> {
    const { tokens, rate, startSeconds: endSeconds, held } = this.#options
    const resumed = held === null ? null : await this.#takeUp(held, sink)
    if (this.#isStopped) return
    const market = resumed?.market ?? new Market(this.#firstOptions(held), sink)
    const goesOn = resumed === null ? {} : { goesOn: resumed.goesOn }
    const history = new History(market, { tokens, rate, endSeconds, ...goesOn })
    await this.#inSlices(market, () => history.step())
    market.flush()
    await this.#goLive(market)
  }

  stop(): void {
    this.#stopping.abort()
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  /** Options of a market that begins anew, behind what the folder holds. */
  #firstOptions(held: HeldMarket | null): MarketOptions {
    const { seed, tokens, startSeconds, addressBook } = this.#options
    const options = { seed, tokens, startSeconds, addressBook }
    if (held === null) return options
    return { ...options, firstSlot: held.newestSlot + 1, earlierEvents: held.seq }
  }

  /** null: the folder holds no token of the simulator. */
  async #takeUp(held: HeldMarket, sink: RecordSink) {
    const { startSeconds } = this.#options
    const stoppedSeconds = Math.min(held.newestEventSeconds || startSeconds, startSeconds)
    // A slot begins before its second ends, and time must not go back.
    const fromSeconds = Math.max(stoppedSeconds + SLOT_SECONDS, startSeconds - DAY_SECONDS)
    const { solPriceUsd } = held
    const market = new Market({ ...this.#firstOptions(held), fromSeconds, solPriceUsd }, sink)
    market.advance(fromSeconds)
    const steps = market.takeUp(held)
    let tokens = 0
    await this.#inSlices(market, () => {
      const { done, value } = steps.next()
      if (done === true) tokens = value
      return done === true
    })
    if (tokens === 0) return null
    const spanSeconds = Math.max(0, startSeconds - fromSeconds)
    return { market, goesOn: { tokens: held.tokenCount, spanSeconds } }
  }

  /** Takes steps until one returns that it was the last; the event loop runs in between. */
  async #inSlices(market: Market, step: () => boolean): Promise<void> {
    let sliceEndMs = performance.now() + SLICE_MS
    for (let steps = 0; !step(); steps++) {
      if (steps % STEPS_PER_LOOK !== 0 || performance.now() < sliceEndMs) continue
      market.flushSwaps()
      await setImmediate()
      if (this.#isStopped) break
      sliceEndMs = performance.now() + SLICE_MS
    }
  }

  async #goLive(market: Market): Promise<void> {
    let lastMs = performance.now()
    let dueSwaps = 0
    while (!this.#isStopped) {
      const nowMs = performance.now()
      const elapsedSeconds = Math.min((nowMs - lastMs) / 1000, MAX_CATCH_UP_SECONDS)
      lastMs = nowMs
      const nowSeconds = this.#options.clock()
      // A wall clock that was set back: wait for it, an event must not lie in the future.
      if (nowSeconds >= market.seconds) {
        dueSwaps += elapsedSeconds * this.#options.rate
        const first = market.swaps
        await this.#runTo(market, Math.floor(dueSwaps), nowSeconds)
        dueSwaps -= market.swaps - first
      }
      await this.#pause()
    }
  }

  /** `count` swaps between the market's time and now, in slices. */
  async #runTo(market: Market, count: number, nowSeconds: number): Promise<void> {
    // What lies before the catch-up window stays empty.
    market.advance(nowSeconds - MAX_CATCH_UP_SECONDS)
    const from = market.seconds
    const first = market.swaps
    let sliceEndMs = performance.now() + SLICE_MS
    for (let made = 0; made < count && !this.#isStopped; made = market.swaps - first) {
      const part = Math.min(STEPS_PER_LOOK, count - made)
      market.run(part, from + ((nowSeconds - from) * (made + part)) / count)
      if (performance.now() < sliceEndMs) continue
      market.flushSwaps()
      await setImmediate()
      sliceEndMs = performance.now() + SLICE_MS
    }
    market.advance(nowSeconds)
    market.flush()
  }

  async #pause(): Promise<void> {
    try {
      await setTimeout(TICK_MS, undefined, { signal: this.#stopping.signal })
    } catch (error) {
      if (!this.#isStopped) throw error
    }
  }
}

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

interface HistoryOptions {
  /** Tokens of the market. */
  readonly tokens: number
  /** Swaps per second. */
  readonly rate: number
  /** Unix seconds at which it ends and the live market begins. */
  readonly endSeconds: number
  /** Of a market that goes on: tokens that it has, and the seconds since it stopped, a day at most. */
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

  /** Launches, which bring swaps, go at the pace of swaps: so both are spread over the day. */
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
