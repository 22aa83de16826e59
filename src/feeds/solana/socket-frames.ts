import type { RawFrames } from '../raw-frames.ts'
import type { Receiver } from '../supervisor/source.ts'
import { readLogFrame } from './log-frames.ts'
import type { LogReader, LogReading } from './log-reader.ts'

/** Name of the source, in FEED and in recordings. */
export const SOLANA = 'solana'
/** Ids of the subscriptions; the last is of help and may be refused. */
export const [PUMP_ID, AMM_ID, SLOTS_ID] = [1, 2, 3]

/** The frames of one connection, to what they mean. */
export class SocketFrames {
  readonly #reading: LogReading
  readonly #rawFrames: RawFrames | null
  readonly #acknowledged = new Set<number>()
  /** Without slot notifications the frames themselves say how far the chain is. */
  #hasSlots = true

  constructor(reading: LogReading, rawFrames: RawFrames | null) {
    this.#reading = reading
    this.#rawFrames = rawFrames
  }

  /** Why the connection is of no use, in one sentence; null: it is. */
  read(bytes: Buffer, reader: LogReader, receiver: Receiver): string | null {
    const { counters, own } = this.#reading
    counters.lines++
    this.#rawFrames?.frame(SOLANA, bytes.toString('utf8'))
    const frame = readLogFrame(bytes)
    // Slots alone are no life: the subscriptions of logs may be dead behind them.
    if (frame.kind !== 'slot') receiver.alive()
    if (frame.kind === 'failed') {
      own.failedFrames++
      counters.failedTransactions++
      if (frame.slot !== null) this.#reach(frame.slot, reader)
      if (frame.slot !== null) reader.touch(frame.slot)
    } else if (frame.kind === 'logs' && frame.transaction.slot !== null) {
      this.#reach(frame.transaction.slot, reader)
      reader.read(frame.transaction.slot, frame.transaction, frame.subscription)
    } else if (frame.kind === 'slot') reader.reached(frame.slot, frame.parentSlot)
    else if (frame.kind === 'acknowledged') this.#acknowledge(frame.id, reader, receiver)
    else if (frame.kind === 'bad') {
      own.badFrames++
      counters.badLines++
    } else if (frame.kind === 'refused') return this.#refuse(frame.id, frame.reason)
    return null
  }

  #reach(slot: number, reader: LogReader): void {
    if (!this.#hasSlots) reader.reached(slot, null)
  }

  #acknowledge(id: number, reader: LogReader, receiver: Receiver): void {
    this.#acknowledged.add(id)
    if (!this.#acknowledged.has(PUMP_ID) || !this.#acknowledged.has(AMM_ID)) return
    if (id === SLOTS_ID) return
    reader.subscribed()
    receiver.connected()
  }

  #refuse(id: number, reason: string): string | null {
    if (id !== SLOTS_ID) return `the server refuses logsSubscribe: ${reason}`
    this.#hasSlots = false
    return null
  }
}
