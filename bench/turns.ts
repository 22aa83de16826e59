import { setImmediate } from 'node:timers/promises'
import type { RecordSink } from '../src/events/event-sink.ts'
import { RecordBatch } from '../src/events/swap-record.ts'
import { copyInto, type RecordedMarket } from './recorded-market.ts'
import { SmallBatches } from './small-batches.ts'

/**
 * Plays the live part of a market in batches of so many swaps, a turn of the loop after each: what goes on in
 * the background comes to its end meanwhile, as it does in the program.
 */
export async function playInTurns(
  market: RecordedMarket,
  sink: RecordSink,
  swaps: number,
): Promise<void> {
  // Used again, so that the bytes are in the caches of the core as those of a feed are.
  const turns: RecordBatch[] = []
  let count = 0
  const cut = new SmallBatches(
    {
      records: (batch) => {
        if (count === turns.length) turns.push(new RecordBatch(swaps))
        copyInto(turns[count++], batch)
      },
    },
    swaps,
  )
  for (const part of market.liveParts) {
    count = 0
    cut.records(part)
    for (let i = 0; i < count; i++) {
      sink.records(turns[i])
      await setImmediate()
    }
  }
}
