import { LRUCache } from 'lru-cache'
import type { GeyserTransaction } from './geyser-update.ts'

/** Slots whose banks are remembered, more than are open at once; past it the oldest is forgotten. */
const SLOTS_MAX = 1_024
/** Transactions held in all; past it those of the oldest slot are let go, and the slot is back-filled. */
const HELD_MAX = 100_000
/** Slots let go that are remembered; past it the oldest are forgotten. */
const LOST_MAX = 4_096

/** Servers that are older than Agave 4.3 name no bank. */
const NO_BANK = 0

interface Banks {
  /** By bank, in order of arrival. */
  readonly held: Map<number, GeyserTransaction[]>
  readonly dead: Set<number>
  /** The one that is the slot's; null: not known yet. */
  chosen: number | null
}

/**
 * A node may execute several versions of one slot, each in a bank of its own, and delivers the transactions of all of them.
 * They wait here until the block meta says which bank is the slot's block; those of the others are dropped. Ids of banks
 * mean something within one node only, so each stream has its own.
 */
export class SlotBanks {
  readonly #slots = new Map<number, Banks>()
  readonly #lost = new LRUCache<number, true>({ max: LOST_MAX })
  readonly #onDropped: (count: number) => void
  #held = 0

  /** @param onDropped called with how many transactions were of a bank that is not the slot's, or were let go */
  constructor(onDropped: (count: number) => void) {
    this.#onDropped = onDropped
  }

  /** Whether it is to be delivered now; else it is held, or dropped. */
  transaction(slot: number, bankId: number, transaction: GeyserTransaction): boolean {
    if (bankId === NO_BANK) return true
    const banks = this.#banksOf(slot)
    if (banks.chosen === bankId) return true
    if (banks.chosen !== null || banks.dead.has(bankId)) {
      this.#onDropped(1)
      return false
    }
    const held = banks.held.get(bankId)
    if (held === undefined) banks.held.set(bankId, [transaction])
    else held.push(transaction)
    this.#held++
    if (this.#held > HELD_MAX) this.#letGoOldest()
    return false
  }

  /** The slot's block is that of this bank; the answer is what was held of it. null: it is not the slot's block, or not all of it is here. */
  block(slot: number, bankId: number): readonly GeyserTransaction[] | null {
    if (this.#lost.has(slot)) return null
    const banks = this.#slots.get(slot)
    if (banks === undefined && bankId === NO_BANK) return []
    const { held, dead, chosen } = banks ?? this.#banksOf(slot)
    if (bankId === NO_BANK) return this.#takeAll(slot)
    if (dead.has(bankId) || (chosen !== null && chosen !== bankId)) return null
    this.#banksOf(slot).chosen = bankId
    const own = held.get(bankId) ?? []
    held.delete(bankId)
    this.#held -= own.length
    this.#drop(held)
    return own
  }

  /** The chain has confirmed this bank of a slot: no other one is its block. */
  confirmed(slot: number, bankId: number): void {
    if (bankId === NO_BANK) return
    const banks = this.#banksOf(slot)
    banks.chosen ??= bankId
  }

  /** This bank will not be the slot's block; without an id none of those delivered so far will. */
  dead(slot: number, bankId: number): void {
    const banks = this.#slots.get(slot)
    if (bankId === NO_BANK) {
      if (banks !== undefined && banks.chosen === null) this.#drop(banks.held)
      return
    }
    const { held, dead } = banks ?? this.#banksOf(slot)
    dead.add(bankId)
    const count = held.get(bankId)?.length ?? 0
    held.delete(bankId)
    this.#held -= count
    if (count > 0) this.#onDropped(count)
  }

  #takeAll(slot: number): readonly GeyserTransaction[] {
    const held = this.#slots.get(slot)?.held
    const all = [...(held?.values() ?? [])].flat()
    held?.clear()
    this.#held -= all.length
    return all
  }

  #drop(held: Banks['held']): void {
    let count = 0
    for (const { length } of held.values()) count += length
    held.clear()
    this.#held -= count
    if (count > 0) this.#onDropped(count)
  }

  #banksOf(slot: number): Banks {
    let banks = this.#slots.get(slot)
    if (banks !== undefined) return banks
    banks = { held: new Map(), dead: new Set(), chosen: null }
    this.#slots.set(slot, banks)
    if (this.#slots.size > SLOTS_MAX) this.#forgetOldest()
    return banks
  }

  #forgetOldest(): void {
    const [oldest] = this.#slots
    this.#letGo(...oldest)
    this.#slots.delete(oldest[0])
  }

  /** Of the oldest slot that has some. */
  #letGoOldest(): void {
    for (const [slot, banks] of this.#slots)
      if (banks.held.size > 0) {
        this.#letGo(slot, banks)
        return
      }
  }

  #letGo(slot: number, { held }: Banks): void {
    if (held.size === 0) return
    this.#lost.set(slot, true)
    this.#drop(held)
  }
}
