import { LRUCache } from 'lru-cache'
import type { FeedEvent } from '../../events/event.ts'
import { ARRIVAL_STEP } from '../chain/arrival-index.ts'
import { INCOMPLETE_SLOTS_MAX } from './incomplete-slots.ts'
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

export interface BufferedTransaction {
  /** As it was delivered with its index in the block, else with that of its arrival. */
  readonly transaction: SlotTransaction
  /** null: it was delivered with its index in the block only. */
  readonly arrivalIndex: number | null
}

/** A transaction with the index under which it is handed over. */
export interface PlacedTransaction {
  readonly transaction: SlotTransaction
  /** null: not known yet. */
  readonly blockIndex: number | null
}

/**
 * The transactions of a slot by their index in the block, where all have one; by that of arrival, where none
 * has. Else by both: these do not compare, so all are numbered anew, as if they had arrived in this order.
 */
export function inOrder(held: readonly BufferedTransaction[]): readonly PlacedTransaction[] {
  const exact = held.filter(isExact)
  if (exact.length === 0 || exact.length === held.length)
    return sorted(held).map(({ transaction }) => {
      return { transaction, blockIndex: blockIndexOf(transaction) }
    })
  return merged(sorted(exact), held).map(({ transaction }, place) => ({
    transaction: movedTo((place + 1) * ARRIVAL_STEP, transaction),
    blockIndex: blockIndexOf(transaction),
  }))
}

/** Null: not known. */
function blockIndexOf({ isExact, txIndex }: SlotTransaction): number | null {
  return isExact ? txIndex : null
}

/** The mints that a transaction is about: where it stands among others of these is what counts. */
function mintsOf({ events }: SlotTransaction): readonly string[] {
  return events.flatMap((event) => ('mint' in event ? event.mint : []))
}

/** The transaction under another index, which is none of the block. */
function movedTo(txIndex: number, transaction: SlotTransaction): SlotTransaction {
  const events = transaction.events.map(
    (event): FeedEvent => ('txIndex' in event ? { ...event, txIndex } : event),
  )
  return { ...transaction, txIndex, isExact: false, events }
}

/**
 * Those of the block in its order, and what has only arrived before the next one of its mint that is among them,
 * else behind all: a feed that delivers the block in order, and has not delivered this one of it, comes there later.
 */
function merged(
  ofBlock: readonly BufferedTransaction[],
  held: readonly BufferedTransaction[],
): readonly BufferedTransaction[] {
  const arrived = held.filter(({ arrivalIndex }) => arrivalIndex !== null)
  const nextOfMint = new Map<string, BufferedTransaction>()
  const before = new Map<BufferedTransaction | null, BufferedTransaction[]>()
  for (const one of arrived.sort(byArrival).reverse()) {
    const mints = mintsOf(one.transaction)
    if (isExact(one)) {
      for (const mint of mints) nextOfMint.set(mint, one)
      continue
    }
    const [next = null] = mints.flatMap((mint) => nextOfMint.get(mint) ?? []).sort(byArrival)
    // What came before this one, of any of its mints, stays before it.
    if (next !== null) for (const mint of mints) nextOfMint.set(mint, next)
    const others = before.get(next) ?? []
    others.push(one)
    before.set(next, others)
  }
  const led = (one: BufferedTransaction | null) => before.get(one)?.toReversed() ?? []
  return [...ofBlock.flatMap((one) => [...led(one), one]), ...led(null)]
}

/** In the order in which they came, where one has no index. */
function sorted(held: readonly BufferedTransaction[]): readonly BufferedTransaction[] {
  if (held.some(({ transaction }) => transaction.txIndex === null)) return held
  return held.toSorted((a, b) => (a.transaction.txIndex ?? 0) - (b.transaction.txIndex ?? 0))
}

function isExact({ transaction }: BufferedTransaction): boolean {
  return transaction.isExact
}

function byArrival(a: BufferedTransaction, b: BufferedTransaction): number {
  return (a.arrivalIndex ?? 0) - (b.arrivalIndex ?? 0)
}
