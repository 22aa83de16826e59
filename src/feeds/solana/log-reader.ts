import { LRUCache } from 'lru-cache'
import { ArrivalIndexes } from '../chain/arrival-index.ts'
import type { DecodedEvent } from '../chain/layouts/decode-event.ts'
import { LOG_TRUNCATED } from '../chain/transactions/program-logs.ts'
import type { ChainTransaction } from '../chain/transactions/transaction.ts'
import { SlotSettler } from '../supervisor/slot-settler.ts'
import type { Receiver } from '../supervisor/source.ts'
import { waitFor } from '../timers.ts'
import type { BlockReading } from './block-reader.ts'

/** Times a transaction whose log was cut is asked for; a node may know it a moment later. */
const FETCHES_MAX = 5
const FETCH_PAUSE_MS = 300
/** Transactions that wait for a look-up; past it their slots are left to be read from blocks. */
const PARKED_MAX = 5_000
/** Slots whose parent is remembered, two minutes of the chain; past it the oldest are forgotten. */
const PARENTS_MAX = 512

export function newLogCounters() {
  return {
    failedFrames: 0,
    /** Frames that cannot be read. */
    badFrames: 0,
    /** Frames above the limit; each ends its connection. */
    hugeFrames: 0,
    /** Subscriptions that died while the other went on. */
    silentSubscriptions: 0,
    /** Transactions fetched because their log was cut. */
    fetched: 0,
    /** Of these, those that could not be had: their slots are read from blocks. */
    notFetched: 0,
    /** Transactions that waited for the mints of a pool. */
    parked: 0,
  }
}

export interface LogReading extends BlockReading {
  readonly own: ReturnType<typeof newLogCounters>
  readonly settleMs: number
  /** Whether events come from blocks; frames only say then that there are some. */
  readonly isByBlocks: boolean
}

/** Delivers what the log frames of one connection say; whole slots in order. */
export class LogReader {
  readonly #reading: LogReading
  readonly #receiver: Receiver
  readonly #signal: AbortSignal
  readonly #settler: SlotSettler
  readonly #arrivals = new ArrivalIndexes()
  /** Where the chain has skipped slots, so that these are no gaps. */
  readonly #parents = new LRUCache<number, number>({ max: PARENTS_MAX })
  /** Slots from here on came from their first frame on; null: not both subscriptions have begun. */
  #wholeFrom: number | null = null
  #isSubscribed = false
  /** The highest slot of a frame, of those that the chain has reached. */
  #newestFrame = -1
  /** The highest slot that the chain is known to have reached. */
  #tip = -1
  #newestWhole = -1
  #parked = 0

  /** @param onWhole called in the place of the receiver when a slot is whole */
  constructor(
    reading: LogReading,
    receiver: Receiver,
    onWhole: (slot: number, parentSlot: number | null) => void,
    signal: AbortSignal,
  ) {
    this.#reading = reading
    this.#receiver = receiver
    this.#signal = signal
    this.#settler = new SlotSettler(reading.timers, reading.settleMs, (slot, parentSlot) => {
      this.#newestWhole = Math.max(this.#newestWhole, slot)
      onWhole(slot, parentSlot)
    })
  }

  /** The highest slot that was delivered whole, -1: none was. */
  get newestWhole(): number {
    return this.#newestWhole
  }

  /** Both subscriptions have begun: from the next slot on nothing is missing. */
  subscribed(): void {
    this.#isSubscribed = true
  }

  /** @param parentSlot the slot before it on the chain; null: not known */
  reached(slot: number, parentSlot: number | null): void {
    if (parentSlot !== null) this.#parents.set(slot, parentSlot)
    this.#tip = Math.max(this.#tip, slot)
    this.#receiver.slotSeen(slot)
    this.#settler.reached(slot)
  }

  /** Whether the chain is known to have come there. */
  hasReached(slot: number): boolean {
    return slot <= this.#tip
  }

  /** A frame of this slot came. */
  touch(slot: number): void {
    // A frame of a slot that the chain has not reached says nothing about where this one began.
    if (slot <= this.#tip) this.#newestFrame = Math.max(this.#newestFrame, slot)
    // Nor does a late one.
    if (this.#isSubscribed && slot <= this.#tip) this.#wholeFrom ??= this.#newestFrame + 1
    if (this.#wholeFrom === null || slot < this.#wholeFrom) this.#settler.touch(slot)
    else this.#settler.close(slot, this.#parents.get(slot) ?? null)
  }

  stop(): void {
    this.#settler.stop()
  }

  /** Delivers a transaction, after its look-ups when it needs some. */
  read(slot: number, transaction: ChainTransaction, subscription: string | null): void {
    const { normaliser, own } = this.#reading
    this.touch(slot)
    if (this.#reading.isByBlocks) {
      this.#reading.check.came(slot, transaction.signature, subscription)
      return
    }
    const placed = { ...transaction, txIndex: this.#arrivals.of(slot, transaction.signature) }
    const isCut = transaction.logs?.includes(LOG_TRUNCATED) === true
    const canPark = this.#parked < PARKED_MAX
    if (isCut && canPark) {
      void this.#park(slot, () => this.#fetched(slot, placed))
      return
    }
    const decoded = normaliser.decode(placed)
    const unknown = normaliser.unknownPools(decoded, placed)
    if (unknown.length === 0 || !canPark) {
      if ((isCut || unknown.length > 0) && this.#leave(slot)) return
      this.#deliver(slot, placed, decoded)
      return
    }
    own.parked++
    void this.#park(slot, () => this.#resolved(slot, placed, decoded))
  }

  /**
   * The slot is not whole before the work is done. Where it was so already, and the connection ends first, it is
   * read from its block: it may be older than those of which frames were on their way.
   */
  async #park(slot: number, work: () => Promise<void>): Promise<void> {
    const release = this.#settler.hold(slot)
    this.#parked++
    try {
      await work()
    } finally {
      this.#parked--
      release()
      if (this.#signal.aborted && slot <= this.#newestWhole)
        this.#receiver.slotsIncomplete(slot, slot)
    }
  }

  async #fetched(slot: number, placed: ChainTransaction): Promise<void> {
    const { normaliser, own } = this.#reading
    const found = await this.#fetch(placed.signature)
    if (this.#signal.aborted) return
    if (found === null) {
      own.notFetched++
      if (this.#leave(slot)) return
    } else own.fetched++
    // Its index in the block would not fit among the others of the slot, which are of arrival.
    const transaction = { ...(found ?? placed), slot, txIndex: placed.txIndex }
    await this.#resolved(slot, transaction, normaliser.decode(transaction))
  }

  /** Delivers a transaction once its pools are known, as far as they can be. */
  async #resolved(
    slot: number,
    transaction: ChainTransaction,
    decoded: readonly DecodedEvent[],
  ): Promise<void> {
    const { normaliser, pools } = this.#reading
    const unknown = () => normaliser.unknownPools(decoded, transaction)
    if (unknown().length > 0) await pools.resolve(unknown(), this.#signal)
    // In a block the balances say what the pool trades.
    if (unknown().length > 0 && this.#leave(slot)) return
    this.#deliver(slot, transaction, decoded)
  }

  /**
   * Has the slot read from its block, because something of it cannot be had. True where it was delivered whole
   * before: a part of a transaction, delivered now, would be taken for all of it.
   */
  #leave(slot: number): boolean {
    this.#settler.leave(slot)
    if (slot > this.#newestWhole || this.#signal.aborted) return false
    this.#receiver.slotsIncomplete(slot, slot)
    return true
  }

  async #fetch(signature: string): Promise<ChainTransaction | null> {
    const { questions, timers } = this.#reading
    for (let tries = 0; tries < FETCHES_MAX && !this.#signal.aborted; tries++) {
      if (tries > 0) await waitFor(timers, FETCH_PAUSE_MS * tries, this.#signal)
      const found = await questions.transaction(signature, this.#signal).catch(() => null)
      if (found !== null) return found
    }
    return null
  }

  #deliver(slot: number, transaction: ChainTransaction, decoded: readonly DecodedEvent[]): void {
    const events = this.#reading.normaliser.eventsOf(decoded, transaction)
    this.#reading.counters.events += events.length
    if (events.length === 0 || this.#signal.aborted) return
    const { signature, txIndex } = transaction
    this.#receiver.transaction({ slot, txIndex, isExact: false, signature, events })
  }
}
