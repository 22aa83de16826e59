import type { FeedEvent } from '../../src/events/event.ts'
import { USDC_MINT } from '../../src/events/platform.ts'
import type { Random } from '../oracle/random.ts'
import type { LiveMarket } from './live-market.ts'

/** A market whose creations are told after trades, with what makes the prices of those other ones. */
export class LateBirths {
  readonly #random: Random
  readonly #market: LiveMarket
  readonly #untold: FeedEvent[] = []

  constructor(random: Random, market: LiveMarket) {
    this.#random = random
    this.#market = market
  }

  /** The next event as it arrives. */
  next(): FeedEvent {
    const random = this.#random
    const told = random.chance(0.02) ? this.#untold.shift() : undefined
    if (told !== undefined) return told
    const event = this.#market.next()
    if (event.type !== 'token_created') return event
    const decimals = random.pick([6, 6, 9])
    const quoteMint = random.pick(['', USDC_MINT, 'another quote'])
    this.#untold.push({ ...event, decimals, quoteMint })
    return this.next()
  }
}
