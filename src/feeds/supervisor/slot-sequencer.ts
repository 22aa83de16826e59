import { LRUCache } from 'lru-cache'
import type { FeedEvent } from '../../events/event.ts'
import { INCOMPLETE_SLOTS_MAX, type SlotRange } from './incomplete-slots.ts'
import { earliestSecondsOf, SlotBuffer } from './slot-buffer.ts'
import { ArrivalPlaces, type WrittenIndexes } from './slot-order.ts'
import type { SlotReceiver, SlotTransaction } from './source.ts'

/**
 * Signatures remembered, ten minutes of a busy chain; past it the oldest are forgotten, and the
 * engine, which remembers more, drops what is delivered once more.
 */
const REMEMBERED_MAX = 200_000

/** Transactions of slots already handed over that wait for the next slot; past it the oldest go. */
const LATE_TRANSACTIONS_MAX = 10_000

/** What happened to the slots of all sources together. */
export function newSlotCounters() {
  return {
    /** Transactions that were delivered before, by any source. */
    duplicates: 0,
    /** Of these, those delivered under another slot than the one that counts. */
    wrongSlots: 0,
    /** Transactions delivered after one of their slot with a higher index. */
    reordered: 0,
    /** Transactions handed over after their slot. */
    late: 0,
    /** Slots handed over though no source said that they were whole. */
    partialSlots: 0,
    /** Slots let go while an older gap was open; they are back-filled. */
    heldDropped: 0,
    /** Holes between two slots that had to be back-filled. */
    gaps: 0,
    /** Slots asked for in back-fills. */
    gapSlots: 0,
    /** Slots of gaps that nobody could deliver: events are missing. */
    slotsGivenUp: 0,
    /** Back-fills that failed and were tried again. */
    backfillErrors: 0,
  }
}

export type SlotCounters = ReturnType<typeof newSlotCounters>

/**
 * Puts what the sources deliver into the order of the chain: a slot is handed over when it is whole and
 * the slots before it were. Every transaction is handed over once; one of a slot that is already gone
 * is so late, and the engine finds its place.
 */
export class SlotSequencer {
  /** For what the sources deliver as it happens. */
  readonly live: SlotReceiver = {
    transaction: (transaction) => {
      if (!this.#buffer.wasLetGo(transaction.slot)) this.#take(transaction, false)
    },
    slotComplete: (slot, parentSlot) => {
      if (!this.#buffer.wasLetGo(slot)) this.#complete(slot, parentSlot)
    },
  }

  /** For what they deliver again. */
  readonly backfill: SlotReceiver = {
    transaction: (transaction) => this.#take(transaction, true),
    slotComplete: (slot, parentSlot) => this.#complete(slot, parentSlot),
  }

  readonly #handOver: (events: readonly FeedEvent[]) => void
  readonly #counters: SlotCounters
  readonly #isEarly: (seconds: number) => boolean
  readonly #buffer = new SlotBuffer()
  readonly #late = new LateTransactions()
  readonly #places: ArrivalPlaces
  readonly #remembered: LRUCache<string, number>
  /** Of gaps that later slots go on without: what orders the slots up to `to`. */
  #behind: readonly { readonly to: number; readonly sequencer: SlotSequencer }[] = []
  /** Of those handed over whole the newest, of which some may be delivered again. */
  readonly #whole = new LRUCache<number, true>({ max: INCOMPLETE_SLOTS_MAX })
  #cursor: number | null

  /**
   * @param isEarly whether events of a time would be refused now: slots wait while all that is held is so
   * @param written indexes that runs before wrote of the slots that may be delivered again
   */
  constructor(
    handOver: (events: readonly FeedEvent[]) => void,
    counters: SlotCounters,
    cursor: number | null,
    isEarly: (seconds: number) => boolean = () => false,
    written: WrittenIndexes = new Map(),
    remembered = new LRUCache<string, number>({ max: REMEMBERED_MAX }),
  ) {
    this.#remembered = remembered
    this.#handOver = handOver
    this.#counters = counters
    this.#isEarly = isEarly
    this.#cursor = cursor
    this.#places = new ArrivalPlaces(written)
  }

  /** The last slot that was handed over whole; null: none yet. */
  get cursor(): number | null {
    return this.#cursor
  }

  get bufferedSlots(): number {
    return this.#buffer.count
  }

  /** What is missing before the oldest slot that is whole; null: nothing, or that one has to wait itself. */
  get gap(): {
    readonly from: number
    readonly to: number
    /** Whether the chain has a block at `to`, by the word of the block behind it. */
    readonly hasBlock: boolean
  } | null {
    const next = this.#buffer.oldestWhole
    if (next === null || this.#cursor === null || next.parent.slot <= this.#cursor) return null
    if (this.#isEarly(this.#buffer.earliestSeconds)) return null
    return { from: this.#cursor + 1, to: next.parent.slot, hasBlock: next.parent.isKnown }
  }

  /** Unix seconds of the earliest event that is held; infinite: there is none. */
  get earliestSeconds(): number {
    return this.#buffer.earliestSeconds
  }

  /**
   * What is behind the gap goes on without it. Returns what puts the slots of the gap into order from now on, and
   * gets what is delivered of them; its cursor passes the gap when all of it was. Null: there is no gap.
   */
  release(handOver: (events: readonly FeedEvent[]) => void): SlotSequencer | null {
    const { gap } = this
    const next = this.#buffer.oldestWhole
    if (gap === null || next === null) return null
    const held = this.#buffer.upTo(gap.to).flatMap((slot) => this.#buffer.remove(slot) ?? [])
    const { slot, parent } = next
    const behind = this.#begin(gap, handOver)
    behind.#complete(slot, parent.isKnown ? parent.slot : null)
    for (const { transaction } of held) behind.#take(transaction, false)
    this.passOver(gap.to)
    return behind
  }

  /** As `release`, for a gap that later slots went on without before, in a run before or as it was not known of. */
  reopen(gap: SlotRange, handOver: (events: readonly FeedEvent[]) => void): SlotSequencer {
    const behind = this.#begin(gap, handOver)
    behind.#complete(gap.to + 1, null)
    for (const late of this.#late.takeOf(gap)) behind.#take(late, false)
    return behind
  }

  #begin({ from, to }: SlotRange, handOver: (events: readonly FeedEvent[]) => void): SlotSequencer {
    const isEarly = this.#isEarly
    const remembered = this.#remembered
    const none = new Map()
    const behind = new SlotSequencer(handOver, this.#counters, from - 1, isEarly, none, remembered)
    const unfilled = this.#behind.filter(({ to, sequencer }) => sequencer.isShortOf(to))
    this.#behind = [...unfilled, { to, sequencer: behind }]
    return behind
  }

  /** Are slots up to one still to be handed over? */
  isShortOf(to: number): boolean {
    return this.#cursor === null || this.#cursor < to
  }

  /** What orders a slot that later ones went on without; null: none does. */
  #gapOf(slot: number): SlotSequencer | null {
    const found = this.#behind.find(({ to, sequencer }) => {
      return slot <= to && slot > (sequencer.#cursor ?? -1)
    })
    return found?.sequencer ?? null
  }

  /** Whether it was let go and is still to come: only a gap that is filled delivers it, and delivers all of it. */
  isLetGo(slot: number): boolean {
    return slot > (this.#cursor ?? -1) && this.#buffer.wasLetGo(slot)
  }

  /** Those of the slots that were delivered whole, and handed over lately or not yet: the chain has blocks there. */
  wholeAmong(from: number, to: number): readonly number[] {
    return [...this.#whole.keys(), ...this.#buffer.whole].filter(
      (slot) => slot >= from && slot <= to,
    )
  }

  #take(transaction: SlotTransaction, isBackfill: boolean): void {
    if (this.#wasGiven(transaction)) {
      this.#places.repeated(transaction)
      return
    }
    if (this.#cursor !== null && transaction.slot <= this.#cursor) {
      const gap = this.#gapOf(transaction.slot)
      if (gap === null) this.#addLate(transaction)
      else gap.#take(transaction, isBackfill)
      return
    }
    const { isKnown, isReordered } = this.#buffer.take(transaction)
    if (isReordered) this.#counters.reordered++
    if (isKnown) this.#counters.duplicates++
    // Before the bounds are looked at: the slot would go with what a back-fill delivers of it first.
    if (isBackfill) this.#buffer.backfilled(transaction.slot)
    this.#keepBounds()
  }

  #complete(slot: number, parentSlot: number | null): void {
    if (this.#cursor !== null && slot <= this.#cursor) {
      const gap = this.#gapOf(slot)
      if (gap !== null) gap.#complete(slot, parentSlot)
      return
    }
    this.#buffer.complete(slot, parentSlot)
    this.#advance()
    this.#keepBounds()
  }

  /** What waited for the clock of this machine is handed over once that is set. */
  goOn(): void {
    this.#advance()
  }

  /** All slots to `slot` were delivered, or are given up: what the buffer has of them is handed over. */
  passOver(slot: number): void {
    if (this.#cursor !== null && slot <= this.#cursor) return
    for (const older of this.#buffer.upTo(slot)) this.#give(older)
    this.#cursor = slot
    this.#advance()
  }

  /**
   * The end: what came after its slot is handed over. Slots that are not whole, or wait for an older
   * one, are not: a restart goes on at the newest slot that was, and would never ask for what lies
   * before them.
   */
  flush(): void {
    // Those among them that were delivered under another slot as well are counted as such, as at a hand-over.
    for (const transaction of this.#buffer.all()) this.#wasGiven(transaction)
    for (const late of this.#late.takeAll()) this.#giveLate(late)
  }

  #advance(): void {
    for (;;) {
      const next = this.#buffer.oldestWhole
      if (next === null || (this.#cursor !== null && next.parent.slot > this.#cursor)) return
      if (this.#isEarly(this.#buffer.earliestSeconds)) return
      // Of what came before the first whole slot, over connections that were lost, nobody knows what is missing.
      this.#cursor ??= next.slot - 1
      for (const slot of this.#buffer.upTo(next.slot)) {
        if (slot !== next.slot) this.#counters.partialSlots++
        this.#give(slot)
      }
      this.#cursor = next.slot
      this.#whole.set(next.slot, true)
    }
  }

  #give(slot: number): void {
    const transactions = this.#buffer.remove(slot)
    if (transactions === null) return
    this.#giveTransactions(this.#places.ofSlot(slot, transactions))
    const mayGo = (late: SlotTransaction) => !this.#isEarly(earliestSecondsOf(late))
    for (const late of this.#late.takeWaited(mayGo)) this.#giveLate(late)
  }

  #giveTransactions(transactions: readonly SlotTransaction[]): void {
    const events: FeedEvent[] = []
    for (const transaction of transactions) {
      if (this.#wasGiven(transaction)) continue
      this.#remembered.set(transaction.signature, transaction.slot)
      events.push(...transaction.events)
    }
    if (events.length > 0) this.#handOver(events)
  }

  /** Whether it was handed over before, which is counted. */
  #wasGiven({ signature, slot }: SlotTransaction): boolean {
    const knownSlot = this.#remembered.get(signature)
    if (knownSlot === undefined) return false
    this.#counters.duplicates++
    if (knownSlot !== slot) this.#counters.wrongSlots++
    return true
  }

  #giveLate(transaction: SlotTransaction): void {
    if (this.#wasGiven(transaction)) return
    this.#counters.late++
    this.#giveTransactions([this.#places.ofLate(transaction)])
  }

  #addLate(transaction: SlotTransaction): void {
    if (this.#late.has(transaction.signature)) {
      this.#counters.duplicates++
      this.#late.repeated(transaction)
      return
    }
    const oldest = this.#late.keep(transaction)
    if (oldest !== null) this.#giveLate(oldest)
  }

  /**
   * Lets go of the slots behind the gap. The next one that is delivered whole has a parent among them, so
   * the gap grows by itself.
   */
  #keepBounds(): void {
    if (!this.#buffer.areTooMany) return
    this.#counters.heldDropped += this.#buffer.letGo(this.gap === null ? 0 : this.gap.to + 1)
  }
}

/**
 * Transactions that came after their slot. Each waits for one more slot: a peer that names a wrong slot
 * delivers the right one meanwhile.
 */
class LateTransactions {
  readonly #late = new Map<
    string,
    {
      readonly transaction: SlotTransaction
      /** Whether a slot was handed over since it came. */
      readonly hasWaited: boolean
    }
  >()

  has(signature: string): boolean {
    return this.#late.has(signature)
  }

  /** Keeps one that is new; the answer is the oldest, where there is no room for both. */
  keep(transaction: SlotTransaction): SlotTransaction | null {
    this.#late.set(transaction.signature, { transaction, hasWaited: false })
    if (this.#late.size <= LATE_TRANSACTIONS_MAX) return null
    for (const oldest of this.#late.values()) return this.#remove(oldest.transaction)
    return null
  }

  /** A repeat of one that waits: with its index in the block it is the better one. */
  repeated(transaction: SlotTransaction): void {
    const known = this.#late.get(transaction.signature)
    if (known !== undefined && transaction.isExact && !known.transaction.isExact)
      this.#late.set(transaction.signature, { ...known, transaction })
  }

  /** A slot was handed over: takes out those that have waited for it, and `mayGo`. */
  takeWaited(mayGo: (transaction: SlotTransaction) => boolean): readonly SlotTransaction[] {
    const waited: SlotTransaction[] = []
    for (const [signature, { transaction, hasWaited }] of [...this.#late]) {
      if (hasWaited && mayGo(transaction)) waited.push(this.#remove(transaction))
      else this.#late.set(signature, { transaction, hasWaited: true })
    }
    return waited
  }

  /** Takes out those of slots. */
  takeOf({ from, to }: SlotRange): readonly SlotTransaction[] {
    const late = [...this.#late.values()].map(({ transaction }) => transaction)
    return late.filter(({ slot }) => slot >= from && slot <= to).map((one) => this.#remove(one))
  }

  takeAll(): readonly SlotTransaction[] {
    return [...this.#late.values()].map(({ transaction }) => this.#remove(transaction))
  }

  #remove(transaction: SlotTransaction): SlotTransaction {
    this.#late.delete(transaction.signature)
    return transaction
  }
}
