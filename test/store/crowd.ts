import type { FeedEvent } from '../../src/events/event.ts'
import { created, price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'

const WALLETS = 30

/** Trades of more wallets in one mint than the top ten has places, some of them late. */
export function crowd(seed: number, count: number): FeedEvent[] {
  const random = new Random(seed)
  const events: FeedEvent[] = [price(150), created({ slot: 100, signature: 'create' })]
  for (let i = 0; i < WALLETS + count; i += 1) {
    const isFirst = i < WALLETS
    const slot = 200 + i - (random.chance(0.15) ? random.integer(1, 20) : 0)
    events.push(
      swap({
        slot,
        txIndex: i,
        timestamp: START_SECOND + Math.floor(slot / 2.5),
        signature: `crowd-${i}`,
        signer: `wallet ${isFirst ? i : random.integer(0, WALLETS - 1)}`,
        direction: isFirst || random.chance(0.6) ? 'buy' : 'sell',
        baseRaw: BigInt(random.integer(1, 10 ** 12)),
      }),
    )
  }
  return events
}
