import type { FeedEvent } from '../../src/events/event.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'

/** Creation, then buys and sells of few wallets; every third slot holds several. */
export function trades(seed: number, count: number): FeedEvent[] {
  const random = new Random(seed)
  const events: FeedEvent[] = [price(150), created({ slot: 1_000, signature: 'create' })]
  let slot = 1_001
  for (let i = 0; i < count; i += 1) {
    slot += random.chance(0.4) ? 0 : random.integer(1, 3)
    events.push(
      swap({
        slot,
        txIndex: i,
        timestamp: START_SECOND + Math.floor(slot / 2.5),
        signature: `swap-${i}`,
        signer: `wallet ${random.integer(1, 12)}`,
        direction: random.chance(0.6) ? 'buy' : 'sell',
        baseRaw: BigInt(random.integer(1, 10 ** 12)),
        quoteRaw: BigInt(random.integer(1, 10 ** 10)),
        virtualQuoteRaw: BigInt(random.integer(10 ** 9, 10 ** 11)),
        solPriceUsd: random.integer(10_000, 30_000) / 97,
      }),
    )
  }
  return events
}

/** Every fifth trade comes up to eight places later; never more than 32 slots. */
export function swapLate(events: readonly FeedEvent[], random: Random): FeedEvent[] {
  const arriving = events.map((event, index) => {
    const isLate = index > 1 && random.chance(0.2)
    return { event, at: isLate ? index + random.integer(1, 8) + 0.5 : index }
  })
  return arriving.sort((a, b) => a.at - b.at).map(({ event }) => event)
}
