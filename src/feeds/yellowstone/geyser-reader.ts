import type { ChainNormaliser } from '../chain/normalise.ts'
import type { FeedCounters } from '../feed-counters.ts'
import type { RawFrames } from '../raw-frames.ts'
import { SlotSettler } from '../supervisor/slot-settler.ts'
import type { Receiver, SlotReceiver } from '../supervisor/source.ts'
import type { Timers } from '../timers.ts'
import type { GeyserMessage } from './geyser-client.ts'
import { transactionOfGeyser } from './geyser-transaction.ts'
import type { GeyserTransaction, GeyserUpdate } from './geyser-update.ts'
import { SlotBanks } from './slot-banks.ts'

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
  readonly own: GeyserCounters
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

export type GeyserCounters = ReturnType<typeof newGeyserCounters>

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

  #slot({ slot = 0, status = 0, bankId = 0 }: SlotUpdate): void {
    this.#chain.slotSeen(slot)
    this.#settler.reached(slot)
    if (status !== STATUS_CONFIRMED) return
    this.#settler.touch(slot)
    this.#banks.confirmed(slot, bankId)
  }

  /** A slot that is not reached says nothing of where the chain is: its leader may have begun anywhere. */
  #onTheWay({ slot = 0, status, bankId = 0 }: SlotUpdate): void {
    if (status !== STATUS_DEAD) return
    this.#reading.own.deadSlots++
    this.#banks.dead(slot, bankId)
  }

  /** A stream that began anywhere may have begun in the middle of its first slot. */
  #begin(slot: number): void {
    this.#wholeFrom ??= slot + 1
  }
}

type SlotUpdate = NonNullable<GeyserUpdate['slot']>

function isOnTheWay(update: GeyserUpdate): update is GeyserUpdate & { slot: SlotUpdate } {
  return (update.slot?.status ?? 0) > STATUS_REACHED_MAX
}

/** The slot that an update is about; null: it is about none. */
function slotOf({ transaction, blockMeta, slot }: GeyserUpdate): number | null {
  const about = transaction ?? blockMeta ?? slot
  return about === undefined ? null : (about.slot ?? 0)
}
