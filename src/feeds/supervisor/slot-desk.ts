import { LRUCache } from 'lru-cache'
import type { FeedEvent } from '../../engine/event.ts'
import type { SlotReceiver, ToldTransaction } from './source.ts'
import type { DeskCounters } from './supervisor-counters.ts'

/** Slots held while an older one is missing, 200 s of the chain; past it the held ones are let go. */
const HELD_SLOTS_MAX = 512
/** Transactions held; past it as above. */
const HELD_TRANSACTIONS_MAX = 100_000
/** Slots let go that are remembered, more than sources keep open; past it the oldest are forgotten. */
const LET_GO_MAX = 4_096
/** Transactions of slots already handed over that wait for the next slot; past it the oldest go. */
const STRAYS_MAX = 10_000
/**
 * Signatures remembered, ten minutes of a busy chain; past it the oldest are forgotten, and the
 * engine, which remembers more, drops what is told once more.
 */
const REMEMBERED_MAX = 200_000

/** Slots `from` to `to` that nobody told. */
export interface Gap {
  readonly from: number
  readonly to: number
  /** Whether the chain has a block at `to`, by the word of the block behind it. */
  readonly hasBlock: boolean
}

/** A transaction as it was told with its index in the block, and with an index of arrival. */
interface HeldTransaction {
  readonly exact: ToldTransaction | null
  readonly guessed: ToldTransaction | null
}

interface HeldSlot {
  readonly transactions: Map<string, HeldTransaction>
  /** null: nobody said that the slot is whole. */
  parent: Parent | null
  highestIndex: number
  /** Whether a back-fill has begun to tell it, which tells the rest and then that it is whole. */
  isToldAgain: boolean
}

/** The slot before one on the chain; a guess where nobody knew better. */
interface Parent {
  readonly slot: number
  readonly isKnown: boolean
}

interface Stray {
  readonly transaction: ToldTransaction
  /** Whether a slot was handed over since it came. */
  readonly hasWaited: boolean
}

/**
 * Puts what the sources tell into the order of the chain: a slot is handed over when it is whole and
 * the slots before it were. Every transaction is handed over once.
 *
 * A transaction of a slot that is already gone waits for one more slot: a peer that names a wrong
 * slot tells the right one meanwhile. Then it is handed over late, and the engine finds its place.
 */
export class SlotDesk {
  /** For what the sources tell as it happens. */
  readonly live: SlotReceiver = {
    transaction: (transaction) => {
      if (!this.#letGo.has(transaction.slot)) this.#take(transaction)
    },
    slotComplete: (slot, parentSlot) => {
      if (!this.#letGo.has(slot)) this.#complete(slot, parentSlot)
    },
  }

  /** For what they tell again. */
  readonly backfill: SlotReceiver = {
    transaction: (transaction) => {
      this.#take(transaction)
      const held = this.#slots.get(transaction.slot)
      if (held !== undefined) held.isToldAgain = true
    },
    slotComplete: (slot, parentSlot) => this.#complete(slot, parentSlot),
  }

  readonly #handOver: (events: readonly FeedEvent[]) => void
  readonly #counters: DeskCounters
  readonly #slots = new Map<number, HeldSlot>()
  readonly #remembered = new LRUCache<string, number>({ max: REMEMBERED_MAX })
  readonly #strays = new Map<string, Stray>()
  #heldTransactions = 0
  /** Slots that were let go in part or whole: only a back-fill tells them now. */
  readonly #letGo = new LRUCache<number, true>({ max: LET_GO_MAX })
  #cursor: number | null

  constructor(
    handOver: (events: readonly FeedEvent[]) => void,
    counters: DeskCounters,
    cursor: number | null,
  ) {
    this.#handOver = handOver
    this.#counters = counters
    this.#cursor = cursor
  }

  /** The last slot that was handed over whole; null: none yet. */
  get cursor(): number | null {
    return this.#cursor
  }

  get heldSlots(): number {
    return this.#slots.size
  }

  /** What is missing before the oldest slot that is whole; null: nothing. */
  get gap(): Gap | null {
    const next = this.#oldestWhole()
    if (next === null || this.#cursor === null || next.parent.slot <= this.#cursor) return null
    return { from: this.#cursor + 1, to: next.parent.slot, hasBlock: next.parent.isKnown }
  }

  #take(transaction: ToldTransaction): void {
    const { slot, signature, isExact } = transaction
    if (this.#wasGiven(transaction)) return
    if (this.#cursor !== null && slot <= this.#cursor) {
      this.#keepStray(transaction)
      return
    }
    const held = this.#slotOf(slot)
    const index = transaction.txIndex ?? held.highestIndex
    if (index < held.highestIndex) this.#counters.reordered++
    held.highestIndex = Math.max(held.highestIndex, index)
    const known = held.transactions.get(signature)
    if (known === undefined) this.#heldTransactions++
    else this.#counters.duplicates++
    held.transactions.set(signature, {
      exact: known?.exact ?? (isExact ? transaction : null),
      guessed: known?.guessed ?? (isExact ? null : transaction),
    })
    this.#keepBounds()
  }

  #complete(slot: number, parentSlot: number | null): void {
    if (this.#cursor !== null && slot <= this.#cursor) return
    const held = this.#slotOf(slot)
    if (parentSlot !== null) held.parent = { slot: Math.min(parentSlot, slot - 1), isKnown: true }
    held.parent ??= { slot: slot - 1, isKnown: false }
    this.#advance()
    this.#keepBounds()
  }

  /** All slots to `slot` were told, or are given up: what is held of them is handed over. */
  passOver(slot: number): void {
    if (this.#cursor !== null && slot <= this.#cursor) return
    for (const older of this.#slotsTo(slot)) this.#give(older)
    this.#cursor = slot
    this.#advance()
  }

  /**
   * The end: what came after its slot is handed over. Slots that are not whole, or wait for an older
   * one, are not: a restart goes on at the newest slot that was, and would never ask for what lies
   * before them.
   */
  flush(): void {
    for (const { transactions } of this.#slots.values())
      for (const transaction of inOrder([...transactions.values()])) this.#wasGiven(transaction)
    for (const [signature, { transaction }] of [...this.#strays])
      this.#giveStray(signature, transaction)
  }

  #advance(): void {
    for (;;) {
      const next = this.#oldestWhole()
      if (next === null || (this.#cursor !== null && next.parent.slot > this.#cursor)) return
      for (const slot of this.#slotsTo(next.slot)) {
        if (slot !== next.slot) this.#counters.partialSlots++
        this.#give(slot)
      }
      this.#cursor = next.slot
    }
  }

  #give(slot: number): void {
    const held = this.#slots.get(slot)
    if (held === undefined) return
    this.#slots.delete(slot)
    this.#heldTransactions -= held.transactions.size
    this.#giveTransactions(inOrder([...held.transactions.values()]))
    this.#giveStrays()
  }

  #giveTransactions(transactions: readonly ToldTransaction[]): void {
    const events: FeedEvent[] = []
    for (const transaction of transactions) {
      if (this.#wasGiven(transaction)) continue
      this.#remembered.set(transaction.signature, transaction.slot)
      events.push(...transaction.events)
    }
    if (events.length > 0) this.#handOver(events)
  }

  /** Whether it was handed over before, which is counted. */
  #wasGiven({ signature, slot }: ToldTransaction): boolean {
    const knownSlot = this.#remembered.get(signature)
    if (knownSlot === undefined) return false
    this.#counters.duplicates++
    if (knownSlot !== slot) this.#counters.wrongSlots++
    return true
  }

  #giveStrays(): void {
    for (const [signature, { transaction, hasWaited }] of [...this.#strays]) {
      if (hasWaited) this.#giveStray(signature, transaction)
      else this.#strays.set(signature, { transaction, hasWaited: true })
    }
  }

  #giveStray(signature: string, transaction: ToldTransaction): void {
    this.#strays.delete(signature)
    if (!this.#remembered.has(signature)) this.#counters.late++
    this.#giveTransactions([transaction])
  }

  #keepStray(transaction: ToldTransaction): void {
    const { signature } = transaction
    if (this.#strays.has(signature)) {
      this.#counters.duplicates++
      return
    }
    this.#strays.set(signature, { transaction, hasWaited: false })
    if (this.#strays.size <= STRAYS_MAX) return
    for (const [oldest, stray] of this.#strays) {
      this.#giveStray(oldest, stray.transaction)
      return
    }
  }

  #slotOf(slot: number): HeldSlot {
    let held = this.#slots.get(slot)
    if (held === undefined) {
      held = { transactions: new Map(), parent: null, highestIndex: -1, isToldAgain: false }
      this.#slots.set(slot, held)
    }
    return held
  }

  #oldestWhole(): { slot: number; parent: Parent } | null {
    let oldest: { slot: number; parent: Parent } | null = null
    for (const [slot, { parent }] of this.#slots)
      if (parent !== null && (oldest === null || slot < oldest.slot)) oldest = { slot, parent }
    return oldest
  }

  /** The held slots up to one, in order. */
  #slotsTo(last: number): readonly number[] {
    return [...this.#slots.keys()].filter((slot) => slot <= last).sort((a, b) => a - b)
  }

  /**
   * Lets go of the slots behind the gap. The next one that is told whole has a parent among them, so
   * the gap grows by itself.
   */
  #keepBounds(): void {
    if (this.#slots.size <= HELD_SLOTS_MAX && this.#heldTransactions <= HELD_TRANSACTIONS_MAX)
      return
    const first = this.gap === null ? 0 : this.gap.to + 1
    for (const [slot, { transactions, isToldAgain }] of [...this.#slots]) {
      if (slot < first || isToldAgain) continue
      this.#slots.delete(slot)
      this.#heldTransactions -= transactions.size
      // However late it is said to be whole: what was told of it is gone.
      this.#letGo.set(slot, true)
      this.#counters.heldDropped++
    }
  }
}

/**
 * By index in the block, where all of them are known. An index of arrival does not compare with these:
 * a slot that was told whole by such ones goes by them alone, though some of the others came too.
 */
function inOrder(held: readonly HeldTransaction[]): readonly ToldTransaction[] {
  const isGuessed =
    held.some(({ exact }) => exact === null) && held.every(({ guessed }) => guessed !== null)
  const transactions = held
    .map(({ exact, guessed }) => (isGuessed ? guessed : (exact ?? guessed)))
    .filter((transaction) => transaction !== null)
  if (transactions.some(({ txIndex }) => txIndex === null)) return transactions
  return transactions.sort((a, b) => (a.txIndex ?? 0) - (b.txIndex ?? 0))
}
