import { type HeldTransaction, inOrder, type PlacedTransaction } from './slot-order.ts'
import type { ToldTransaction } from './source.ts'

/** The slot before one on the chain; a guess where nobody knew better. */
export interface Parent {
  readonly slot: number
  readonly isKnown: boolean
}

/** How a transaction came behind those of its slot that are held. */
export interface Arrival {
  readonly isKnown: boolean
  /** Whether one with a higher index of its kind was there. */
  readonly isReordered: boolean
}

/** Unix seconds of its earliest event. */
export function earliestSecondsOf({ events }: ToldTransaction): number {
  return events.reduce(
    (earliest, { timestamp }) => Math.min(earliest, timestamp),
    Number.POSITIVE_INFINITY,
  )
}

/** What was told of one slot that is not handed over yet. */
export class HeldSlot {
  readonly #transactions = new Map<string, HeldTransaction>()
  readonly #highest = { exact: -1, arrival: -1 }
  /** null: nobody said that the slot is whole. */
  parent: Parent | null = null
  /** Whether a back-fill has begun to tell it, which tells the rest and then that it is whole. */
  isToldAgain = false
  /** Unix seconds of its earliest event; infinite: it has none. */
  earliestSeconds = Number.POSITIVE_INFINITY

  get transactions(): number {
    return this.#transactions.size
  }

  take(transaction: ToldTransaction): Arrival {
    const { signature, isExact } = transaction
    const kind = isExact ? 'exact' : 'arrival'
    const index = transaction.txIndex ?? this.#highest[kind]
    const isReordered = index < this.#highest[kind]
    this.#highest[kind] = Math.max(this.#highest[kind], index)
    this.earliestSeconds = Math.min(this.earliestSeconds, earliestSecondsOf(transaction))
    const known = this.#transactions.get(signature)
    const isBetter = known === undefined || (isExact && !known.transaction.isExact)
    this.#transactions.set(signature, {
      transaction: isBetter ? transaction : known.transaction,
      arrivalIndex: known?.arrivalIndex ?? (isExact ? null : transaction.txIndex),
    })
    return { isKnown: known !== undefined, isReordered }
  }

  /** As far as their order is known. */
  inOrder(): readonly PlacedTransaction[] {
    return inOrder([...this.#transactions.values()])
  }
}
