/**
 * What is taken, what is refused, and in which order it counts (contract section 2, rows
 * `swap identity` and `order`; section 8).
 */
import type { FeedEvent, Gap, Metadata, PlacedEvent, Swap } from '../../src/events/event.ts'

export type ChainEvent = PlacedEvent | Swap
/** Slots that an event of an open gap may be late (docs/feeds-design.md). */
const FILLED_SLOTS = 10_000

export function isPlaced(event: FeedEvent): event is ChainEvent {
  return 'slot' in event
}

/** The place of an event in the chain, every part known. */
export interface Key {
  readonly slot: number
  readonly txIndex: number
  readonly ordinal: number
  /** Of an event without a slot, how many had arrived with it; else 0. */
  readonly arrival: number
}

export interface Placed<E extends ChainEvent = ChainEvent> {
  readonly event: E
  readonly key: Key
  /** Where it is folded: its key, but what is told too late counts where it arrived. */
  readonly foldedAt: Key
  /** The tx index on the wire: the one given, else the one inferred, else 0. */
  readonly txIndex: number
  /** The newest `sol_price` that had arrived before this event. */
  readonly arrivedPriceUsd: number | null
  /** What stands behind it is folded anew when it comes: not behind what came later than is waited for. */
  readonly foldsAnew: boolean
}

export interface Counts {
  duplicates: number
  lateRefused: number
  secondCreations: number
  secondMigrations: number
}

/** The place of a slotless event before anything with a slot. */
const BEFORE_ALL: Key = { slot: -1, txIndex: -1, ordinal: -1, arrival: 0 }

export function compareKeys(a: Key, b: Key): number {
  return a.slot - b.slot || a.txIndex - b.txIndex || a.ordinal - b.ordinal
}

/** As it counts for tokens: who came without a slot stands behind the event whose place it has. */
export function compareBirths(a: Key, b: Key): number {
  return compareKeys(a, b) || a.arrival - b.arrival
}

/** A swap by its signature and ordinal; the others by what they are about, too. */
function identityOf(event: ChainEvent): string {
  const { type, signature, ordinal, mint } = event
  const of = type === 'swap' ? [] : [mint, event.type === 'balance' ? event.wallet : '']
  return JSON.stringify([type, signature, ordinal, ...of])
}

/** Everything taken so far. */
export class PositionResolver {
  readonly placed: Placed[] = []
  /** Of all that was taken and comes once. */
  private readonly identities = new Set<string>()
  readonly metadata = new Map<string, Metadata[]>()
  readonly counts: Counts = {
    duplicates: 0,
    lateRefused: 0,
    secondCreations: 0,
    secondMigrations: 0,
  }
  /** Slots whose events are missing, with the time of the first event behind their gap. */
  unseen: readonly { readonly slot: number; readonly isOpen: boolean; readonly seconds: number }[] =
    []
  gapsTaken = 0
  /** The newest `sol_price` that arrived. */
  solPriceUsd: number | null = null
  /** The newest timestamp of anything that arrived. */
  newestTimestamp = 0
  readonly lateSlots: number

  constructor(lateSlots: number) {
    this.lateSlots = lateSlots
  }

  take(event: FeedEvent): void {
    this.newestTimestamp = Math.max(this.newestTimestamp, event.timestamp)
    if (event.type === 'sol_price') {
      this.solPriceUsd = event.usd
    } else if (event.type === 'metadata') {
      this.metadata.set(event.mint, [...(this.metadata.get(event.mint) ?? []), event])
    } else if (event.type === 'gap') {
      this.gapsTaken += 1
      this.takeGap(event)
    } else if (this.accepts(event)) {
      this.placed.push(this.place(event))
    }
  }

  /** All events in the order in which they count; equal keys as they arrived. */
  sorted(): Placed[] {
    return [...this.placed].sort((a, b) => compareKeys(a.foldedAt, b.foldedAt))
  }

  /** How many events have their place in the chain by now. */
  get taken(): number {
    return this.placed.length
  }

  private accepts(event: ChainEvent): boolean {
    if (event.type === 'completed') return true
    if (event.type !== 'token_created' && event.type !== 'migrated') return this.acceptsOnce(event)
    const second = this.placed.some(
      (other) => other.event.type === event.type && other.event.mint === event.mint,
    )
    if (second && event.type === 'token_created') this.counts.secondCreations += 1
    if (second && event.type === 'migrated') this.counts.secondMigrations += 1
    return !second
  }

  /** Swaps, reserves and balances: each identity once, and not too late. */
  private acceptsOnce(event: ChainEvent): boolean {
    const identity = identityOf(event)
    if (this.identities.has(identity)) {
      this.counts.duplicates += 1
      return false
    }
    if (this.isOutOfReach(event)) {
      this.counts.lateRefused += 1
      return false
    }
    this.identities.add(identity)
    return true
  }

  private place(event: ChainEvent): Placed {
    const arrivedPriceUsd = this.solPriceUsd
    const newest = this.newestKey()
    if (event.slot === null) {
      const txIndex = event.txIndex ?? 0
      const key = { ...newest, arrival: this.placed.length + 1 }
      return { event, key, foldedAt: newest, txIndex, arrivedPriceUsd, foldsAnew: true }
    }
    const txIndex = event.txIndex ?? this.inferTxIndex(event)
    const key = { slot: event.slot, txIndex, ordinal: event.ordinal, arrival: 0 }
    const isToldLate = this.isOutOfReach(event)
    const isCreation = event.type === 'token_created'
    const foldedAt = isToldLate ? newest : key
    return { event, key, foldedAt, txIndex, arrivedPriceUsd, foldsAnew: isCreation || !isToldLate }
  }

  /** More slots late than is folded in its place: events of a gap may come until it is filled or lost. */
  private isOutOfReach({ slot }: ChainEvent): boolean {
    const newest = this.newestKey().slot
    if (slot === null || slot >= newest - this.lateSlots) return false
    const open = this.unseen.filter(({ isOpen }) => isOpen).map(({ slot: gap }) => gap)
    return slot < Math.max(Math.min(...open), newest - FILLED_SLOTS)
  }

  /** Slot by slot, however many they are. */
  private takeGap({ fromSlot, toSlot, state, timestamp }: Gap): void {
    if (state === 'filling') return
    const isOfGap = (slot: number) => slot >= fromSlot && slot <= toSlot
    const rest = this.unseen.filter(({ slot }) => !isOfGap(slot))
    const slots = Array.from({ length: toSlot - fromSlot + 1 }, (_, i) => fromSlot + i)
    const isOpen = state === 'open'
    const added = slots.map((slot) => ({ slot, isOpen, seconds: timestamp }))
    this.unseen = state === 'filled' ? rest : [...rest, ...added]
  }

  private newestKey(): Key {
    return this.placed.reduce(
      (newest, { key }) => (compareKeys(key, newest) > 0 ? key : newest),
      BEFORE_ALL,
    )
  }

  /** Of slots that are out of reach only the swaps are remembered (docs/api-choices.md). */
  private inferTxIndex(late: ChainEvent): number {
    const { slot, signature } = late
    const inSlot = this.placed.filter(
      ({ event }) => event.slot === slot && (event.type === 'swap' || !this.isOutOfReach(late)),
    )
    const same = inSlot.filter(({ event }) => event.signature === signature).at(-1)
    if (same) return same.txIndex
    return Math.max(-1, ...inSlot.map(({ txIndex }) => txIndex)) + 1
  }
}
