import { INCOMPLETE_SLOTS_MAX } from '../supervisor/incomplete-slots.ts'
import { SILENCE_MS } from '../supervisor/source-run.ts'

/** A chain on which nobody trades is asked again that rarely. */
const PATIENCE_MS_MAX = 60_000

/**
 * Notices that slots go on while the transactions behind them have stopped: the two programs have a
 * hundred a second. Slots delivered whole meanwhile lack them, and are to be delivered again.
 */
export class EmptySlots {
  /** Doubled with each stream that ends for it, until a transaction comes. */
  #patienceMs = SILENCE_MS
  /** Since when whole slots have come without a transaction, and the first of them; null: they have some. */
  #since: { readonly ms: number; readonly slot: number } | null = null
  /** Slot of the newest transaction. */
  #newest: number | null = null
  /** First slot that may lack transactions; null: none. */
  #suspectFrom: number | null = null
  /** The last slot that was handed over when this stream began. */
  #cursor: number | null = null
  #hasEnded = false

  /** Whether the stream before this one ended for it, and no transaction has come since. */
  get isDoubtful(): boolean {
    return this.#hasEnded
  }

  /** A stream begins; the answer is the slot that it should begin at. */
  begin(cursor: number | null): number | null {
    // The stream before this one was lost sooner than it could be given up.
    if (this.#since !== null) this.#markIncomplete(this.#since.slot)
    this.#since = null
    this.#cursor = cursor
    if (cursor === null || this.#suspectFrom === null) return cursor
    return Math.max(cursor - INCOMPLETE_SLOTS_MAX + 1, Math.min(cursor, this.#suspectFrom))
  }

  /** Another source delivers what the stream that begins cannot deliver again. */
  forget(): void {
    this.#suspectFrom = null
  }

  /** A transaction came. */
  transaction(slot: number): void {
    this.#since = null
    this.#newest = slot
    this.#hasEnded = false
    this.#patienceMs = SILENCE_MS
  }

  /** A slot is whole; the answer is why the stream is to be given up, in one sentence; null: it is not. */
  whole(slot: number, nowMs: number): string | null {
    if (this.#since === null) {
      this.#since = { ms: nowMs, slot }
      // Whatever was incomplete has been delivered again by a stream that has transactions.
      if (!this.#hasEnded && slot > (this.#cursor ?? -1)) this.#suspectFrom = null
      return null
    }
    if (nowMs - this.#since.ms <= this.#patienceMs) return null
    this.#markIncomplete(this.#since.slot)
    this.#hasEnded = true
    const reason = `slots came without a transaction for ${this.#patienceMs / 1000} s`
    this.#patienceMs = Math.min(this.#patienceMs * 2, PATIENCE_MS_MAX)
    return reason
  }

  /** From the slot of the newest transaction on, of which more may have come, or the first without any. */
  #markIncomplete(firstEmpty: number): void {
    const from = Math.min(this.#newest ?? firstEmpty, firstEmpty)
    this.#suspectFrom = Math.min(from, this.#suspectFrom ?? from)
  }
}
