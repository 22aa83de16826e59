import { swapOfRecord } from '../src/engine/read/swap-outtake.ts'
import { AddressBook } from '../src/engine/state/address-book.ts'
import { eventLineText } from '../src/events/event.ts'
import type { RecordSink } from '../src/events/event-sink.ts'
import { RecordBatch } from '../src/events/swap-record.ts'
import { Market } from '../src/feeds/simulator/market.ts'
import { History } from '../src/feeds/simulator/simulator.ts'

/** The recording that the package brings, of the project's root. */
export const RECORDING = 'packaging/simulated-market.ndjson.gz'

const SEED = 6
const TOKENS = 40
/** 2026-11-20 12:00:00 UTC: the simulated day lies before it, the lively part behind. */
const START_SECONDS = 1_795_176_000
const LIVE_SECONDS = 6_000
/** A swap in so many seconds. */
const SECONDS_A_SWAP = 6
/** The price of SOL is told so often; candles between two prices are in the older one. */
const PRICE_SECONDS = 60

/**
 * The lines of the recording: a small simulated market as event lines, with the price of SOL. The same
 * source makes the same lines.
 */
export function recordedLines(): string[] {
  const lines: string[] = []
  const book = new AddressBook()
  let pricedAt = 0
  const sink: RecordSink = {
    records: (batch) =>
      batch.walk(
        (from, to) => {
          for (let index = from; index < to; index++) {
            const record = { u32: batch.u32, f64: batch.f64, at: RecordBatch.u32At(index) }
            lines.push(eventLineText(swapOfRecord(record, book)))
          }
        },
        (event) => {
          if (event.type === 'sol_price') {
            if (event.timestamp < pricedAt + PRICE_SECONDS) return
            pricedAt = event.timestamp
          }
          lines.push(eventLineText(event))
        },
      ),
  }
  const market = new Market(
    { seed: SEED, tokens: TOKENS, startSeconds: START_SECONDS, addressBook: book },
    sink,
  )
  const rate = 1 / SECONDS_A_SWAP
  const history = new History(market, { tokens: TOKENS, rate, endSeconds: START_SECONDS })
  while (!history.step());
  for (let second = SECONDS_A_SWAP; second <= LIVE_SECONDS; second += SECONDS_A_SWAP)
    market.run(1, START_SECONDS + second)
  market.flush()
  return lines
}
