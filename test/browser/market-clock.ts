import { setTimeout as pause } from 'node:timers/promises'
import { Market } from '../../src/feeds/simulator/market.ts'
import { History } from '../../src/feeds/simulator/simulator.ts'
import { swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import type { EngineServer } from '../server/engine-server.ts'

const TOKENS = 200
/** Swaps of a second of the market. */
const RATE = 50
const SLOT_SECONDS = 0.4
/** How late a swap may come (contract section 7). */
const LATE_SLOTS_MAX = 31
/** Real time between two pieces of the market. */
const TICK_MS = 50

export const WATCHED = 'WatchedMintpump'

/**
 * A simulated market whose time runs faster than the clock's, with one token more that is traded all
 * the time, now and then late.
 */
export class HurriedMarket {
  readonly #service: EngineServer
  readonly #market: Market
  readonly #random: Random
  #trades = 0
  late = 0

  constructor(service: EngineServer, seed: number, startSeconds: number) {
    const { engine } = service
    this.#service = service
    this.#random = new Random(seed)
    const options = { seed, tokens: TOKENS, startSeconds, addressBook: engine.state.book }
    this.#market = new Market(options, engine)
    const history = new History(this.#market, {
      tokens: TOKENS,
      rate: RATE,
      endSeconds: startSeconds,
    })
    while (!history.step());
    this.#market.flush()
    this.#trade(0)
    engine.order.keepUp()
  }

  /** Event time, unix seconds. */
  get seconds(): number {
    return this.#market.seconds
  }

  /** Lets so many seconds of the market pass, `speed` of them in each second. */
  async run(marketSeconds: number, speed: number): Promise<void> {
    const fromSeconds = this.seconds
    const startedMs = performance.now()
    const endSeconds = fromSeconds + marketSeconds
    while (this.seconds < endSeconds) {
      await pause(TICK_MS)
      const ranSeconds = ((performance.now() - startedMs) / 1000) * speed
      this.#runTo(Math.min(endSeconds, fromSeconds + ranSeconds))
    }
  }

  /** In pieces of at most a second, so that no bar of a second is left out. */
  #runTo(seconds: number): void {
    while (this.seconds < seconds) {
      const next = Math.min(seconds, this.seconds + 1)
      this.#market.run(Math.ceil((next - this.seconds) * RATE), next)
      this.#market.advance(next)
      this.#market.flush()
      if (this.#random.chance(0.6)) this.#trade(0)
      if (this.#random.chance(0.05)) this.#trade(this.#random.integer(1, LATE_SLOTS_MAX))
    }
    this.#service.engine.order.keepUp()
  }

  #trade(lateSlots: number): void {
    const { engine } = this.#service
    const random = this.#random
    this.#trades += 1
    if (lateSlots > 0) this.late += 1
    engine.accept(
      swap({
        mint: WATCHED,
        slot: engine.newestSlot - lateSlots,
        txIndex: null,
        signature: `watched ${this.#trades}`,
        timestamp: Math.floor(this.seconds - lateSlots * SLOT_SECONDS),
        virtualQuoteRaw: BigInt(random.integer(20_000_000_000, 60_000_000_000)),
        quoteRaw: BigInt(random.integer(1, 2_000_000_000)),
      }),
    )
  }
}
