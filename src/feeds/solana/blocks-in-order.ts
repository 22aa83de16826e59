import { LRUCache } from 'lru-cache'
import type { SlotReceiver } from '../supervisor/source.ts'
import type { BlockTeller } from './block-teller.ts'

/** Slots remembered that were asked for, more than are open at once; past it the oldest are forgotten. */
const ASKED_MAX = 2_048

/** Reads slots from their blocks as they become whole, each once, and tells them in that order. */
export class BlocksInOrder {
  readonly #blocks: BlockTeller
  readonly #receiver: SlotReceiver
  readonly #signal: AbortSignal
  /** Each late frame of a slot makes it whole once more, and a question costs. */
  readonly #asked = new LRUCache<number, true>({ max: ASKED_MAX })
  #before: Promise<void> = Promise.resolve()

  constructor(blocks: BlockTeller, receiver: SlotReceiver, signal: AbortSignal) {
    this.#blocks = blocks
    this.#receiver = receiver
    this.#signal = signal
  }

  /** @param parentSlot the slot before it on the chain; null: not known */
  whole(slot: number, parentSlot: number | null): void {
    if (this.#asked.has(slot)) return
    this.#asked.set(slot, true)
    const told: (() => void)[] = []
    const later: SlotReceiver = {
      transaction: (transaction) => told.push(() => this.#receiver.transaction(transaction)),
      slotComplete: (...place) => told.push(() => this.#receiver.slotComplete(...place)),
    }
    // A block that cannot be had leaves a gap, which is filled as all others are.
    const read = this.#blocks.tell(slot, parentSlot, later, this.#signal).catch(() => {})
    this.#before = Promise.all([this.#before, read]).then(() => {
      for (const tell of told) tell()
    })
  }
}
