import { LRUCache } from 'lru-cache'
import { ARRIVAL_STEP } from '../chain/arrival-index.ts'
import { INCOMPLETE_SLOTS_MAX } from './incomplete-slots.ts'
import { blockIndexOf, mintsOf, movedTo, type PlacedTransaction } from './slot-order.ts'
import type { SlotTransaction } from './source.ts'

/** Transactions of a slot that are remembered, more than a block holds; past it all that is late shares a place. */
const TRANSACTIONS_MAX = 20_000

/** By slot the highest index under which runs before wrote something of it. */
export type WrittenIndexes = ReadonlyMap<number, number>

interface NumberedSlot {
  readonly bySignature: Map<
    string,
    {
      /** Under which it was handed over. */
      readonly txIndex: number
      readonly mints: readonly string[]
      /** null: not known. */
      blockIndex: number | null
    }
  >
  /** What the runs before wrote of it ends here; 0: it is of this one. */
  readonly writtenTo: number
  lastIndex: number
}

/**
 * Where the transactions of slots stand that were handed over by indexes of arrival. What comes late of such a
 * slot by its index in the block, which does not compare with these, goes behind those that are before it there.
 */
export class ArrivalPlaces {
  readonly #slots = new LRUCache<number, NumberedSlot>({ max: INCOMPLETE_SLOTS_MAX })

  /** @param written of slots that may be delivered again: a killed process may have written a part of them only */
  constructor(written: WrittenIndexes) {
    const oldestFirst = [...written].sort(([one], [other]) => one - other)
    for (const [slot, txIndex] of oldestFirst)
      if (txIndex >= ARRIVAL_STEP) this.#begin(slot, txIndex)
  }

  /** All that is held of a slot, as it is to be handed over. */
  ofSlot(slot: number, transactions: readonly PlacedTransaction[]): readonly SlotTransaction[] {
    // The rest of what was written before.
    if (this.#slots.has(slot))
      return transactions.map(({ transaction }) => this.ofLate(transaction))
    if (transactions.some(({ transaction }) => !transaction.isExact)) {
      const given = this.#begin(slot, 0)
      for (const { transaction, blockIndex } of transactions)
        remember(given, transaction, blockIndex)
    }
    return transactions.map(({ transaction }) => transaction)
  }

  /** One that comes behind its slot, as it is to be handed over. */
  ofLate(transaction: SlotTransaction): SlotTransaction {
    const given = this.#slots.get(transaction.slot)
    if (given === undefined) return transaction
    const blockIndex = blockIndexOf(transaction)
    const place = blockIndex === null ? nextStep(given) : placeOf(blockIndex, transaction, given)
    const moved = movedTo(place, transaction)
    remember(given, moved, blockIndex)
    return moved
  }

  /** One that was handed over is delivered once more, and it may be known now where in the block it is. */
  repeated(transaction: SlotTransaction): void {
    const { slot, signature } = transaction
    const known = this.#slots.get(slot)?.bySignature.get(signature)
    if (known !== undefined) known.blockIndex ??= blockIndexOf(transaction)
  }

  #begin(slot: number, writtenTo: number): NumberedSlot {
    const given: NumberedSlot = { bySignature: new Map(), writtenTo, lastIndex: writtenTo }
    this.#slots.set(slot, given)
    return given
  }
}

function remember(
  given: NumberedSlot,
  transaction: SlotTransaction,
  blockIndex: number | null,
): void {
  if (given.bySignature.size >= TRANSACTIONS_MAX) return
  const { signature, txIndex } = transaction
  given.lastIndex = Math.max(given.lastIndex, txIndex ?? 0)
  const one = { txIndex: txIndex ?? 0, mints: mintsOf(transaction), blockIndex }
  given.bySignature.set(signature, one)
}

/** Behind the last one of its mint that the block has before it; before all others where there is none. */
function placeOf(blockIndex: number, transaction: SlotTransaction, given: NumberedSlot): number {
  const mints = mintsOf(transaction)
  let before = { txIndex: given.writtenTo, blockIndex: -1 }
  for (const { txIndex, mints: others, blockIndex: other } of given.bySignature.values())
    if (other !== null && other < blockIndex && other > before.blockIndex)
      if (others.some((mint) => mints.includes(mint))) before = { txIndex, blockIndex: other }
  // All that are behind the same one are in the order of the block.
  return stepOf(before.txIndex) + 1 + Math.min(blockIndex, ARRIVAL_STEP - 2)
}

/** Behind all of the slot. */
function nextStep({ lastIndex }: NumberedSlot): number {
  return stepOf(lastIndex) + ARRIVAL_STEP
}

function stepOf(txIndex: number): number {
  return txIndex - (txIndex % ARRIVAL_STEP)
}
