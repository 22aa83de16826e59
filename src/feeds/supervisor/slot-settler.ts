import type { Timers } from '../timers.ts'

/**
 * Slots that are open at once, some four minutes of the chain. Past it the one that lies farthest ahead of
 * the chain goes, which was a peer's mistake; where none does, the oldest, left to a back-fill.
 */
const OPEN_SLOTS_MAX = 1_024

interface OpenSlot {
  /** Whether all of it has come. */
  isClosed: boolean
  /** null: not known. */
  parentSlot: number | null
  lastTouchMs: number
  /** Look-ups that have to end first. */
  pending: number
  /** Whether something of it could not be had. */
  isIncomplete: boolean
}

/**
 * Says when all of a slot has come over one connection: the peer said so, what had to be looked up
 * is there, and either a later slot has begun or nothing came for a while. A slot that the chain has
 * not reached yet is never whole, whatever a frame says.
 */
export class SlotSettler {
  readonly #timers: Timers
  readonly #settleMs: number
  readonly #complete: (slot: number, parentSlot: number | null) => void
  readonly #open = new Map<number, OpenSlot>()
  #tip = -1
  #newest = -1
  /** Takes back the next look; null: none is to come. */
  #cancel: (() => void) | null = null

  constructor(
    timers: Timers,
    settleMs: number,
    complete: (slot: number, parentSlot: number | null) => void,
  ) {
    this.#timers = timers
    this.#settleMs = settleMs
    this.#complete = complete
  }

  /** The chain has reached this slot. */
  reached(slot: number): void {
    if (slot <= this.#tip) return
    this.#tip = slot
    this.#settle()
  }

  /** Something of this slot came. */
  touch(slot: number): void {
    this.#slotOf(slot).lastTouchMs = this.#timers.nowMs()
    if (slot > this.#newest && slot <= this.#tip) {
      this.#newest = slot
      this.#settle()
    }
  }

  /** The peer has delivered all of it; `parentSlot` is null where it did not name the slot before. */
  close(slot: number, parentSlot: number | null): void {
    const open = this.#slotOf(slot)
    open.isClosed = true
    open.parentSlot = parentSlot ?? open.parentSlot
    this.touch(slot)
    this.#settle()
  }

  /** Something of the slot cannot be had: it is never said to be whole, and so back-filled. */
  leave(slot: number): void {
    this.#slotOf(slot).isIncomplete = true
  }

  /** The slot waits until the answer is called. */
  hold(slot: number): () => void {
    const open = this.#slotOf(slot)
    open.pending++
    let isHeld = true
    return () => {
      if (!isHeld) return
      isHeld = false
      open.pending--
      this.#settle()
    }
  }

  /** The connection has ended: nothing is said any more. */
  stop(): void {
    this.#cancel?.()
    this.#open.clear()
  }

  #slotOf(slot: number): OpenSlot {
    let open = this.#open.get(slot)
    if (open !== undefined) return open
    open = {
      isClosed: false,
      parentSlot: null,
      lastTouchMs: this.#timers.nowMs(),
      pending: 0,
      isIncomplete: false,
    }
    this.#open.set(slot, open)
    if (this.#open.size > OPEN_SLOTS_MAX) this.#makeRoom()
    return open
  }

  #makeRoom(): void {
    const farthest = Math.max(...this.#open.keys())
    this.#open.delete(farthest > this.#tip ? farthest : Math.min(...this.#open.keys()))
  }

  /** In the order of slots, up to one that waits for a look-up. */
  #settle(): void {
    const nowMs = this.#timers.nowMs()
    let nextMs = Number.POSITIVE_INFINITY
    for (const slot of [...this.#open.keys()].sort((a, b) => a - b)) {
      const open = this.#open.get(slot)
      if (open === undefined || slot > this.#tip) continue
      if (open.pending > 0) break
      // One that is incomplete stays: what comes of it yet would begin it anew.
      if (!open.isClosed || open.isIncomplete) continue
      const restMs = open.lastTouchMs + this.#settleMs - nowMs
      if (slot >= this.#newest && restMs > 0) {
        nextMs = Math.min(nextMs, restMs)
        continue
      }
      this.#open.delete(slot)
      this.#complete(slot, open.parentSlot)
    }
    if (nextMs < Number.POSITIVE_INFINITY) this.#lookAgain(nextMs)
  }

  #lookAgain(delayMs: number): void {
    this.#cancel ??= this.#timers.after(delayMs, () => {
      this.#cancel = null
      this.#settle()
    })
  }
}
