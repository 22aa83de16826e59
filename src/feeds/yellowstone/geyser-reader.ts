import { LRUCache } from 'lru-cache'
import type { ChainNormaliser } from '../chain/normalise.ts'
import type { FeedCounters } from '../feed-counters.ts'
import type { RawFrames } from '../raw-frames.ts'
import { SlotSettler } from '../supervisor/slot-settler.ts'
import type { Receiver, SlotReceiver } from '../supervisor/source.ts'
import type { Timers } from '../timers.ts'
import type { GeyserMessage } from './geyser-client.ts'
import { transactionOfGeyser } from './geyser-transaction.ts'
import type { GeyserTransaction, GeyserUpdate } from './geyser-update.ts'

/** Name of the source, in FEED and in recordings. */
export const YELLOWSTONE = 'yellowstone'
/** Statuses of a slot that mean that the chain has reached it (processed, confirmed, finalized). */
const STATUS_REACHED_MAX = 2
const STATUS_CONFIRMED = 1
const STATUS_DEAD = 6

/** What the streams of one source have in common. */
export interface GeyserReading {
  readonly normaliser: ChainNormaliser
  readonly counters: FeedCounters
  readonly own: ReturnType<typeof newGeyserCounters>
  readonly timers: Timers
  readonly rawFrames: RawFrames
  /** How long nothing of a slot must come after its block meta, unless a later slot begins. */
  readonly settleMs: number
}

export function newGeyserCounters() {
  return {
    pings: 0,
    /** Slots, or banks of them, that the node has given up. */
    deadSlots: 0,
    /** Transactions of banks that are not their slot's block, or of more slots than can be held. */
    otherBanks: 0,
    /** Messages that are no update. */
    badMessages: 0,
    /** Messages above the limit; each ends its stream. */
    hugeMessages: 0,
  }
}

/** What a stream reports of how far the chain is, and asks. */
export type ChainPlace = Pick<Receiver, 'admits' | 'slotSeen'>

/** Reads the updates of one stream. */
export class GeyserReader {
  readonly #reading: GeyserReading
  readonly #receiver: SlotReceiver
  readonly #chain: ChainPlace
  readonly #settler: SlotSettler
  readonly #banks: SlotBanks
  /** Slots from here on are delivered from their first transaction on. */
  #wholeFrom: number | null
  #hasBlock = false

  /** @param wholeFrom the slot the stream was asked to begin at; null: it began anywhere */
  constructor(
    reading: GeyserReading,
    receiver: SlotReceiver,
    chain: ChainPlace,
    wholeFrom: number | null,
  ) {
    this.#reading = reading
    this.#receiver = receiver
    this.#chain = chain
    this.#wholeFrom = wholeFrom
    this.#banks = new SlotBanks((count) => {
      reading.own.otherBanks += count
    })
    this.#settler = new SlotSettler(reading.timers, reading.settleMs, (slot, parentSlot) =>
      receiver.slotComplete(slot, parentSlot),
    )
  }

  stop(): void {
    this.#settler.stop()
  }

  /** True when the server wants an answer to a ping. */
  read({ update, bytes }: GeyserMessage): boolean {
    const { counters, own, rawFrames } = this.#reading
    counters.lines++
    rawFrames.frame(YELLOWSTONE, bytes)
    if (update === null) {
      own.badMessages++
      counters.badLines++
      return false
    }
    if (isOnTheWay(update)) {
      this.#onTheWay(update.slot)
      return false
    }
    const slot = slotOf(update)
    if (slot !== null && !this.#chain.admits(slot)) return false
    if (update.transaction !== undefined) this.#transaction(update.transaction)
    if (update.blockMeta !== undefined) this.#blockMeta(update.blockMeta)
    if (update.slot !== undefined) this.#slot(update.slot)
    if (update.ping === undefined) return false
    own.pings++
    return true
  }

  #transaction(update: NonNullable<GeyserUpdate['transaction']>): void {
    const { slot = 0, bankId = 0, transaction } = update
    this.#begin(slot)
    this.#settler.touch(slot)
    if (this.#banks.transaction(slot, bankId, transaction)) this.#deliver(slot, transaction)
  }

  #deliver(slot: number, update: GeyserTransaction): void {
    const { normaliser, counters } = this.#reading
    const transaction = transactionOfGeyser(slot, update)
    const events = normaliser.events(transaction)
    counters.events += events.length
    if (events.length === 0) return
    const { txIndex, signature } = transaction
    this.#receiver.transaction({ slot, txIndex, isExact: true, signature, events })
  }

  #blockMeta({ slot = 0, parentSlot, bankId = 0 }: NonNullable<GeyserUpdate['blockMeta']>): void {
    this.#begin(slot)
    const held = this.#banks.block(slot, bankId)
    if (held === null) return
    for (const transaction of held) this.#deliver(slot, transaction)
    // A block before its first one, from where it was asked to begin on: it began anywhere.
    if (!this.#hasBlock && parentSlot !== undefined && parentSlot >= (this.#wholeFrom ?? slot))
      this.#wholeFrom = slot + 1
    this.#hasBlock = true
    if (this.#wholeFrom !== null && slot >= this.#wholeFrom)
      this.#settler.close(slot, parentSlot ?? null)
  }

  #slot({ slot = 0, status = 0, bankId = 0 }: NonNullable<GeyserUpdate['slot']>): void {
    this.#chain.slotSeen(slot)
    this.#settler.reached(slot)
    if (status !== STATUS_CONFIRMED) return
    this.#settler.touch(slot)
    this.#banks.confirmed(slot, bankId)
  }

  /** A slot that is not reached says nothing of where the chain is: its leader may have begun anywhere. */
  #onTheWay({ slot = 0, status, bankId = 0 }: NonNullable<GeyserUpdate['slot']>): void {
    if (status !== STATUS_DEAD) return
    this.#reading.own.deadSlots++
    this.#banks.dead(slot, bankId)
  }

  /** A stream that began anywhere may have begun in the middle of its first slot. */
  #begin(slot: number): void {
    this.#wholeFrom ??= slot + 1
  }
}

function isOnTheWay(
  update: GeyserUpdate,
): update is GeyserUpdate & { slot: NonNullable<GeyserUpdate['slot']> } {
  return (update.slot?.status ?? 0) > STATUS_REACHED_MAX
}

/** The slot that an update is about; null: it is about none. */
function slotOf({ transaction, blockMeta, slot }: GeyserUpdate): number | null {
  const about = transaction ?? blockMeta ?? slot
  return about === undefined ? null : (about.slot ?? 0)
}

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
    for (const [slot, banks] of this.#slots) {
      this.#letGo(slot, banks)
      this.#slots.delete(slot)
      return
    }
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
