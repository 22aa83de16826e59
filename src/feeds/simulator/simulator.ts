import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Feed, RecordSink } from '../../events/event-sink.ts'
import type { HeldMarket } from './held-market.ts'
import { DAY_SECONDS, History, type HistoryOptions } from './history.ts'
import { Market, type MarketOptions } from './market.ts'
import { SLOT_SECONDS } from './world/chain-clock.ts'

/** Between two looks at the clock: what is owed by then is folded in one turn of the loop. */
const TICK_MS = 16
/** Work is done in slices of about this length; the event loop runs in between. */
const SLICE_MS = 5
/** History steps, and live swaps, between two looks at the clock. */
const STEPS_PER_LOOK = 256
/** After a pause at most this much is caught up. */
const MAX_CATCH_UP_SECONDS = 2

/** The history ends, and the live market begins, at `startSeconds`; `tokens` are there by then. */
export interface SimulatorOptions
  extends Pick<MarketOptions, 'seed' | 'tokens' | 'startSeconds' | 'addressBook'> {
  /** The market that an earlier run has left is taken up; null: there is none. */
  readonly held: HeldMarket | null
  /** Swaps per second. */
  readonly rate: number
  /** Now, unix seconds; fractions make the pace even but are not needed. */
  readonly clock: () => number
}

/** A market that was taken up, and what its history has to know of that. */
interface GoneOn {
  readonly market: Market
  readonly goesOn: NonNullable<HistoryOptions['goesOn']>
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
    const goneOn = held === null ? null : await this.#takeUp(held, sink)
    if (this.#isStopped) return
    const market = goneOn?.market ?? new Market(this.#firstOptions(held), sink)
    const goesOn = goneOn === null ? {} : { goesOn: goneOn.goesOn }
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

  /** A market that knows nothing of what the folder holds, but comes behind it. */
  #firstOptions(held: HeldMarket | null): MarketOptions {
    const { seed, tokens, startSeconds, addressBook } = this.#options
    const options = { seed, tokens, startSeconds, addressBook }
    if (held === null) return options
    return { ...options, firstSlot: held.newestSlot + 1, toldEvents: held.seq }
  }

  /** null: the folder holds no token of the simulator. */
  async #takeUp(held: HeldMarket, sink: RecordSink): Promise<GoneOn | null> {
    const { startSeconds } = this.#options
    const stoppedSeconds = Math.min(held.newestEventSeconds || startSeconds, startSeconds)
    // A slot begins before the second in it, and time shall not go back.
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

  /** Takes steps until one says that it was the last, and lets others have their turn in between. */
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
