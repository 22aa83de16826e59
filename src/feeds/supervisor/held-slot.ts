import type { ToldTransaction } from './source.ts'

/** The slot before one on the chain; a guess where nobody knew better. */
export interface Parent {
  readonly slot: number
  readonly isKnown: boolean
}

/** A transaction as it was told with its index in the block, and with an index of arrival. */
interface HeldTransaction {
  readonly exact: ToldTransaction | null
  readonly guessed: ToldTransaction | null
}

/** How a transaction came behind those of its slot that are held. */
export interface Arrival {
  readonly isKnown: boolean
  /** Whether one with a higher index was there. */
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
  #highestIndex = -1
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
    const index = transaction.txIndex ?? this.#highestIndex
    const isReordered = index < this.#highestIndex
    this.#highestIndex = Math.max(this.#highestIndex, index)
    this.earliestSeconds = Math.min(this.earliestSeconds, earliestSecondsOf(transaction))
    const known = this.#transactions.get(signature)
    this.#transactions.set(signature, {
      exact: known?.exact ?? (isExact ? transaction : null),
      guessed: known?.guessed ?? (isExact ? null : transaction),
    })
    return { isKnown: known !== undefined, isReordered }
  }

  /**
   * By index in the block, where all of them are known. An index of arrival does not compare with these:
   * a slot that was told whole by such ones goes by them alone, though some of the others came too.
   */
  inOrder(): readonly ToldTransaction[] {
    const held = [...this.#transactions.values()]
    const isGuessed =
      held.some(({ exact }) => exact === null) && held.every(({ guessed }) => guessed !== null)
    const transactions = held
      .map(({ exact, guessed }) => (isGuessed ? guessed : (exact ?? guessed)))
      .filter((transaction) => transaction !== null)
    if (transactions.some(({ txIndex }) => txIndex === null)) return transactions
    return transactions.sort((a, b) => (a.txIndex ?? 0) - (b.txIndex ?? 0))
  }
}
