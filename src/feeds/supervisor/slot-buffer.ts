import { LRUCache } from 'lru-cache'
import { type BufferedTransaction, inOrder, type PlacedTransaction } from './slot-order.ts'
import type { SlotTransaction } from './source.ts'

/** Slots held while an older one is missing, two minutes of the chain at 268 ms; past it the held ones are let go. */
const BUFFERED_SLOTS_MAX = 512
/** Transactions held; past it as above. */
const BUFFERED_TRANSACTIONS_MAX = 100_000
/** Slots let go that are remembered, more than sources keep open; past it the oldest are forgotten. */
const LET_GO_MAX = 4_096

/** The slot before one on the chain; a guess where nobody knew better. */
interface Parent {
  readonly slot: number
  readonly isKnown: boolean
}

/** Unix seconds of its earliest event. */
export function earliestSecondsOf({ events }: SlotTransaction): number {
  return events.reduce(
    (earliest, { timestamp }) => Math.min(earliest, timestamp),
    Number.POSITIVE_INFINITY,
  )
}

/** What came of one slot that is not handed over yet. */
class BufferedSlot {
  readonly #transactions = new Map<string, BufferedTransaction>()
  readonly #highest = { exact: -1, arrival: -1 }
  /** null: nobody said that the slot is whole. */
  parent: Parent | null = null
  /** Whether a back-fill has begun to deliver it, which delivers the rest and then that it is whole. */
  isBackfilled = false
  /** Unix seconds of its earliest event; infinite: it has none. */
  earliestSeconds = Number.POSITIVE_INFINITY

  get transactions(): number {
    return this.#transactions.size
  }

  /** How it came behind those that are held; reordered: one with a higher index of its kind was there. */
  take(transaction: SlotTransaction): { readonly isKnown: boolean; readonly isReordered: boolean } {
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

/** A slot that is whole, and the one before it. */
interface WholeSlot {
  readonly slot: number
  readonly parent: Parent
}

/** The slots that came and are not handed over yet. */
export class SlotBuffer {
  readonly #slots = new Map<number, BufferedSlot>()
  #transactions = 0
  /** Slots that were let go in part or whole: only a back-fill delivers them now. */
  readonly #letGo = new LRUCache<number, true>({ max: LET_GO_MAX })

  get count(): number {
    return this.#slots.size
  }

  get areTooMany(): boolean {
    return this.#slots.size > BUFFERED_SLOTS_MAX || this.#transactions > BUFFERED_TRANSACTIONS_MAX
  }

  /** Those that are whole. */
  get whole(): readonly number[] {
    return [...this.#slots].filter(([, { parent }]) => parent !== null).map(([slot]) => slot)
  }

  /** The oldest of those that are whole; null: none is. */
  get oldestWhole(): WholeSlot | null {
    let oldest: WholeSlot | null = null
    for (const [slot, { parent }] of this.#slots)
      if (parent !== null && (oldest === null || slot < oldest.slot)) oldest = { slot, parent }
    return oldest
  }

  /** Unix seconds of the earliest event; infinite: there is none. */
  get earliestSeconds(): number {
    return Math.min(...[...this.#slots.values()].map(({ earliestSeconds }) => earliestSeconds))
  }

  /** Whether what is delivered of the slot as it happens comes too late: a part of it is gone. */
  wasLetGo(slot: number): boolean {
    return this.#letGo.has(slot)
  }

  take(transaction: SlotTransaction): ReturnType<BufferedSlot['take']> {
    const arrival = this.#slotOf(transaction.slot).take(transaction)
    if (!arrival.isKnown) this.#transactions++
    return arrival
  }

  /** All of the slot was delivered. */
  complete(slot: number, parentSlot: number | null): void {
    const held = this.#slotOf(slot)
    if (parentSlot !== null) held.parent = { slot: Math.min(parentSlot, slot - 1), isKnown: true }
    held.parent ??= { slot: slot - 1, isKnown: false }
  }

  /** A back-fill delivers the slot: it is not let go before that is over. */
  backfilled(slot: number): void {
    const held = this.#slots.get(slot)
    if (held !== undefined) held.isBackfilled = true
  }

  /** Those up to one, in order. */
  upTo(last: number): readonly number[] {
    return [...this.#slots.keys()].filter((slot) => slot <= last).sort((a, b) => a - b)
  }

  /** The transactions of a slot, in order, which is held no more; null: it is not held. */
  remove(slot: number): readonly PlacedTransaction[] | null {
    const held = this.#slots.get(slot)
    if (held === undefined) return null
    this.#slots.delete(slot)
    this.#transactions -= held.transactions
    return held.inOrder()
  }

  /** The transactions of every slot. */
  all(): readonly SlotTransaction[] {
    const placed = [...this.#slots.values()].flatMap((held) => held.inOrder())
    return placed.map(({ transaction }) => transaction)
  }

  /** Lets go of the slots from `first` on; the answer is how many they were. */
  letGo(first: number): number {
    let count = 0
    for (const [slot, { transactions, isBackfilled }] of [...this.#slots]) {
      if (slot < first || isBackfilled) continue
      this.#slots.delete(slot)
      this.#transactions -= transactions
      // However late it is said to be whole: what was delivered of it is gone.
      this.#letGo.set(slot, true)
      count++
    }
    return count
  }

  #slotOf(slot: number): BufferedSlot {
    let held = this.#slots.get(slot)
    if (held === undefined) {
      held = new BufferedSlot()
      this.#slots.set(slot, held)
    }
    return held
  }
}
