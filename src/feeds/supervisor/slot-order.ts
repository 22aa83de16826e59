import type { FeedEvent } from '../../events/event.ts'
import { ARRIVAL_STEP } from '../chain/arrival-index.ts'
import type { SlotTransaction } from './source.ts'

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
export function blockIndexOf({ isExact, txIndex }: SlotTransaction): number | null {
  return isExact ? txIndex : null
}

/** The mints that a transaction is about: where it stands among others of these is what counts. */
export function mintsOf({ events }: SlotTransaction): readonly string[] {
  return events.flatMap((event) => ('mint' in event ? event.mint : []))
}

/** The transaction under another index, which is none of the block. */
export function movedTo(txIndex: number, transaction: SlotTransaction): SlotTransaction {
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
