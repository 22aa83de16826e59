import type { FeedEvent } from '../../../src/events/event.ts'
import type {
  Receiver,
  SlotReceiver,
  SlotTransaction,
  Source,
} from '../../../src/feeds/supervisor/source.ts'

/** A source that tells what the test says, connection by connection. */
export class ScriptedSource implements Source {
  readonly name: string
  readonly isDegraded: boolean
  readonly cursors: (number | null)[] = []
  readonly askedSlots: [number, number][] = []
  /** What a back-fill does; null: tells every slot with one transaction. */
  onBackfill:
    | ((from: number, to: number, receiver: SlotReceiver, signal: AbortSignal) => Promise<void>)
    | null = null
  #receiver: Receiver | null = null
  #end: ((error: Error | null) => void) | null = null

  constructor(name = 'scripted', isDegraded = false) {
    this.name = name
    this.isDegraded = isDegraded
  }

  get receiver(): Receiver {
    if (this.#receiver === null) throw new Error(`${this.name} is not connected`)
    return this.#receiver
  }

  connect(receiver: Receiver, cursor: number | null, signal: AbortSignal): Promise<void> {
    this.cursors.push(cursor)
    this.#receiver = receiver
    return new Promise((resolve, reject) => {
      this.#end = (error) => (error === null ? resolve() : reject(error))
      signal.addEventListener('abort', () => resolve())
    })
  }

  async backfill(
    from: number,
    to: number,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    this.askedSlots.push([from, to])
    if (this.onBackfill !== null) return this.onBackfill(from, to, receiver, signal)
    for (let slot = from; slot <= to; slot++) {
      receiver.transaction(told(slot))
      receiver.slotComplete(slot, slot - 1)
    }
  }

  /** Ends the connection. */
  lose(error: Error | null = null): void {
    this.#end?.(error)
  }

  /** Tells whole slots with one transaction each. */
  tell(...slots: readonly number[]): void {
    for (const slot of slots) {
      this.receiver.transaction(told(slot))
      this.receiver.slotComplete(slot, slot - 1)
    }
  }
}

/** A transaction with one event, told by the signature. */
export function told(slot: number, txIndex = 0, given: Partial<SlotTransaction> = {}) {
  const signature = given.signature ?? `${slot}/${txIndex}`
  const events: FeedEvent[] = [
    {
      type: 'completed',
      slot,
      txIndex,
      ordinal: 0,
      signature,
      timestamp: 1_790_000_000,
      mint: 'mint',
      bondingCurve: 'curve',
    },
  ]
  return { slot, txIndex, isExact: true, signature, events, ...given }
}
