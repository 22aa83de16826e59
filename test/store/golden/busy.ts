import type { FeedEvent } from '../../../src/events/event.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { swapLate } from '../../properties/late-trades.ts'

/** With these and a snapshot before this event `v14-busy` was written, by the sources of 0.9.35. */
export const BUSY_SIZES = { clock: 'event', identities: 64, tapeChunkRecords: 4_096 } as const
export const BUSY_SNAPSHOT = 2_260

/** Swaps of one mint, more than bars are stored from, over some hours; a few have a time of an hour before. */
export function busyHistory(seed = 5, count = 2_320): FeedEvent[] {
  const random = new Random(seed)
  const events: FeedEvent[] = [price(150), created({ slot: 1_000, signature: 'create' })]
  let slot = 1_001
  for (let i = 0; i < count; i += 1) {
    slot += random.integer(0, 3)
    const behind = random.chance(0.01) ? random.integer(1, 20_000) : 0
    events.push(
      swap({
        slot,
        txIndex: i,
        timestamp: START_SECOND + 150 * slot + (i % 150) - behind,
        signature: `swap-${i}`,
        signer: `wallet ${random.integer(1, 5)}`,
        quoteRaw: BigInt(random.integer(1, 9)) * 10n ** 8n,
        virtualQuoteRaw: BigInt(random.integer(30, 90)) * 10n ** 9n,
      }),
    )
  }
  return swapLate(events, random)
}
