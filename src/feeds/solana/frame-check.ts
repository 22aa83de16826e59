import { LRUCache } from 'lru-cache'

/** Slots whose frames are remembered until their block is there; past it the oldest are forgotten. */
const SLOTS_MAX = 128
/** Frames remembered of a slot, more than a block makes; those past it are not checked. */
const FRAMES_MAX = 20_000

/** Holds the frames of a slot against its block: how good the node's subscription is. */
export class FrameCheck {
  readonly counters = {
    /** Frames of a transaction that had come before, over the same subscription. */
    repeated: 0,
    /** Transactions of a block of which no frame came, though others of their slot did. */
    missed: 0,
    /** Frames of transactions that the block of their slot does not have, or that came behind it. */
    misplaced: 0,
    /** Slots whose frames came in another order than that of the block. */
    disordered: 0,
  }
  readonly #slots = new LRUCache<number, Set<string>>({ max: SLOTS_MAX })

  /** The highest slot whose block was seen. */
  #checkedTo = -1

  /** A frame of a transaction came; `subscription` because one that is of both programs comes twice. */
  came(slot: number, signature: string, subscription: string | null): void {
    const ahead = slot - this.#checkedTo
    if (this.#checkedTo >= 0 && (ahead <= 0 || ahead > SLOTS_MAX)) {
      this.counters.misplaced++
      return
    }
    let frames = this.#slots.get(slot)
    if (frames === undefined) {
      frames = new Set()
      this.#slots.set(slot, frames)
    }
    const key = `${signature} ${subscription}`
    if (frames.has(key)) this.counters.repeated++
    else if (frames.size < FRAMES_MAX) frames.add(key)
  }

  /** The signatures of the slot's block that have events, in order. */
  check(slot: number, signatures: readonly string[]): void {
    const frames = this.#slots.get(slot)
    this.#slots.delete(slot)
    this.#checkedTo = Math.max(this.#checkedTo, slot)
    for (const [other, { size }] of [...this.#slots.entries()])
      if (other - this.#checkedTo > SLOTS_MAX) {
        this.counters.misplaced += size
        this.#slots.delete(other)
      }
    if (frames === undefined) return
    const came = [...new Set([...frames].map((key) => key.replace(/ .*/s, '')))]
    const inBlock = new Set(signatures)
    const known = came.filter((signature) => inBlock.has(signature))
    this.counters.misplaced += came.length - known.length
    this.counters.missed += signatures.length - known.length
    const isKnown = new Set(known)
    const ordered = signatures.filter((signature) => isKnown.has(signature))
    if (ordered.some((signature, index) => signature !== known[index])) this.counters.disordered++
  }
}
