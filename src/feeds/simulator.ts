import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Feed, RecordSink } from '../engine/event-sink.ts'
import { History } from './simulator/history.ts'
import { Market, type MarketOptions } from './simulator/market.ts'

/** Between two looks at the clock: what is owed by then is folded in one turn of the loop. */
const TICK_MS = 16
/** Work is done in slices of about this length; the event loop runs in between. */
const SLICE_MS = 5
/** History steps, and live swaps, between two looks at the clock. */
const STEPS_PER_LOOK = 256
/** After a pause at most this much is caught up. */
const MAX_CATCH_UP_SECONDS = 2

/** The history ends, and the live market begins, at `startSeconds`; `tokens` are there by then. */
export interface SimulatorOptions extends MarketOptions {
  /** Swaps per second. */
  readonly rate: number
  /** Now, unix seconds; fractions make the pace even but are not needed. */
  readonly clock: () => number
}

/** A market of its own: a day of history at once, then live trading at a steady rate. */
export class SimulatorFeed implements Feed {
  readonly name = 'sim'
  readonly #options: SimulatorOptions
  readonly #stopping = new AbortController()

  constructor(options: SimulatorOptions) {
    this.#options = options
  }

  async start(sink: RecordSink): Promise<void> {
    const { tokens, rate, startSeconds } = this.#options
    const market = new Market(this.#options, sink)
    await this.#makeHistory(market, new History(market, { tokens, rate, endSeconds: startSeconds }))
    await this.#goLive(market)
  }

  stop(): void {
    this.#stopping.abort()
  }

  get #isStopped(): boolean {
    return this.#stopping.signal.aborted
  }

  async #makeHistory(market: Market, history: History): Promise<void> {
    let sliceEndMs = performance.now() + SLICE_MS
    for (let steps = 0; !history.step(); steps++) {
      if (steps % STEPS_PER_LOOK !== 0 || performance.now() < sliceEndMs) continue
      market.flushSwaps()
      await setImmediate()
      if (this.#isStopped) break
      sliceEndMs = performance.now() + SLICE_MS
    }
    market.flush()
  }

  async #goLive(market: Market): Promise<void> {
    let lastMs = performance.now()
    let owedSwaps = 0
    while (!this.#isStopped) {
      const nowMs = performance.now()
      const elapsedSeconds = Math.min((nowMs - lastMs) / 1000, MAX_CATCH_UP_SECONDS)
      lastMs = nowMs
      const nowSeconds = this.#options.clock()
      // A wall clock that was set back: wait for it, an event must not lie in the future.
      if (nowSeconds >= market.seconds) {
        owedSwaps += elapsedSeconds * this.#options.rate
        const first = market.swaps
        await this.#runTo(market, Math.floor(owedSwaps), nowSeconds)
        owedSwaps -= market.swaps - first
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
