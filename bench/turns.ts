import { setImmediate } from 'node:timers/promises'
import type { RecordSink } from '../src/engine/event-sink.ts'
import { RecordBatch } from '../src/engine/record-batch.ts'
import type { RecordedMarket } from './recorded-market.ts'
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
  const turns: RecordBatch[] = []
  let count = 0
  const cut = new SmallBatches(
    {
      records: (batch) => {
        if (count === turns.length) turns.push(new RecordBatch(swaps))
        fill(turns[count++], batch)
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

/** Used again, so that the bytes are in the caches of the core as those of a feed are. */
function fill(batch: RecordBatch, from: RecordBatch): void {
  batch.clear()
  batch.bytes.set(from.bytes.subarray(0, batch.bytes.length))
  batch.count = from.count
  batch.others.push(...from.others)
}
