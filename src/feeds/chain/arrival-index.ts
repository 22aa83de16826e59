import { LRUCache } from 'lru-cache'

/** Slots that are remembered: twice the 32 slots the engine lets an event be late. */
const SLOTS_MAX = 64
/** Signatures numbered in a slot, more than a block holds; past it all have the last number. */
const SIGNATURES_MAX = 20_000

/**
 * From one index of arrival to the next: more than a block has transactions, so that what comes late, by its
 * index in the block, finds room between two of them, and before the first. 100,000 of them fit into a u32.
 */
export const ARRIVAL_STEP = 2 ** 15

/**
 * Stands in for the index in the block where a feed does not have it (log frames): the order in
 * which the signatures of a slot arrived. Approximate: the order is the node's, mostly that of
 * execution, and the numbers count only what arrived. A signature keeps its number.
 */
export class ArrivalIndexes {
  readonly #slots = new LRUCache<number, Map<string, number>>({ max: SLOTS_MAX })

  of(slot: number, signature: string): number {
    let signatures = this.#slots.get(slot)
    if (signatures === undefined) {
      signatures = new Map()
      this.#slots.set(slot, signatures)
    }
    const known = signatures.get(signature)
    if (known !== undefined) return known
    const index = (signatures.size + 1) * ARRIVAL_STEP
    if (signatures.size < SIGNATURES_MAX) signatures.set(signature, index)
    return index
  }
}
