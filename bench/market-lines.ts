import { Readable } from 'node:stream'
import { setImmediate } from 'node:timers/promises'
import { Engine } from '../src/engine/engine.ts'
import { swapOfRecord } from '../src/engine/read/swap-outtake.ts'
import { eventLineText, type FeedEvent } from '../src/events/event.ts'
import type { EventSink } from '../src/events/event-sink.ts'
import { SWAP_U32_LANES } from '../src/events/swap-record.ts'
import { newFeedCounters } from '../src/feeds/feed-counters.ts'
import { StdinFeed } from '../src/feeds/replay/replay.ts'
import { newMarket, playHistory } from './recorded-market.ts'

/** What a pipe hands over at once. */
const CHUNK_BYTES = 1 << 16

/** A market's history as event lines. */
export function marketLines(tokens: number): Buffer {
  const { book } = new Engine({ clock: 'event' }).state
  const lines: string[] = []
  const size = { tokens, historyRate: 50, liveSwaps: 0, liveRate: 1 }
  const market = newMarket(size, book, {
    records: (batch) => {
      const { u32, f64 } = batch
      const add = (event: FeedEvent) => void lines.push(`${eventLineText(event)}\n`)
      batch.walk((from, to) => {
        for (let i = from; i < to; i++)
          add(swapOfRecord({ u32, f64, at: i * SWAP_U32_LANES }, book))
      }, add)
    },
  })
  playHistory(market, size)
  return Buffer.from(lines.join(''))
}

/** Hands lines to a sink as the program's standard input does. */
export async function feedLines(text: Buffer, sink: EventSink): Promise<void> {
  const report = (line: number, reason: string) => {
    throw new Error(`line ${line}: ${reason}`)
  }
  const input = Readable.from(chunksOf(text))
  await new StdinFeed({ report, counters: newFeedCounters(), input }).start(sink)
}

/** A turn of the loop for each, as reads of a pipe have it. */
async function* chunksOf(text: Buffer): AsyncGenerator<Buffer> {
  for (let at = 0; at < text.length; at += CHUNK_BYTES) {
    yield text.subarray(at, at + CHUNK_BYTES)
    await setImmediate()
  }
}
