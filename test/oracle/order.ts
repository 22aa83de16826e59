/**
 * What is taken, what is refused, and in which order it counts (contract section 2, rows
 * `swap identity` and `order`; section 8).
 */
import type {
  Completed,
  FeedEvent,
  Metadata,
  Migrated,
  Swap,
  TokenCreated,
} from '../../src/engine/event.ts'

export type ChainEvent = TokenCreated | Swap | Completed | Migrated

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
  /** Where it is folded: its key, but a creation that is told too late counts where it arrived. */
  readonly foldedAt: Key
  /** The tx index on the wire: the one given, else the one inferred, else 0. */
  readonly txIndex: number
  /** The newest `sol_price` that had arrived before this event. */
  readonly arrivedPriceUsd: number | null
}

export interface Counts {
  duplicates: number
  lateRefused: number
  secondCreations: number
  secondMigrations: number
}

/** The place of a slotless event before anything with a slot. */
const BEFORE_ALL: Key = { slot: -1, txIndex: -1, ordinal: -1, arrival: 0 }

function compareKeys(a: Key, b: Key): number {
  return a.slot - b.slot || a.txIndex - b.txIndex || a.ordinal - b.ordinal
}

/** As it counts for tokens: who came without a slot stands behind the event whose place it has. */
export function compareBirths(a: Key, b: Key): number {
  return compareKeys(a, b) || a.arrival - b.arrival
}

/** Everything taken so far. */
export class Arrivals {
  readonly placed: Placed[] = []
  readonly metadata = new Map<string, Metadata[]>()
  readonly counts: Counts = {
    duplicates: 0,
    lateRefused: 0,
    secondCreations: 0,
    secondMigrations: 0,
  }
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
    } else if (event.type === 'reserves' || event.type === 'balance') {
      return
    } else if (this.accepts(event)) {
      this.placed.push(this.place(event))
    }
  }

  /** All events in the order in which they count; equal keys as they arrived. */
  sorted(): Placed[] {
    return [...this.placed].sort((a, b) => compareKeys(a.foldedAt, b.foldedAt))
  }

  private accepts(event: ChainEvent): boolean {
    if (event.type === 'swap') return this.acceptsSwap(event)
    if (event.type === 'completed') return true
    const second = this.placed.some(
      (other) => other.event.type === event.type && other.event.mint === event.mint,
    )
    if (second && event.type === 'token_created') this.counts.secondCreations += 1
    if (second && event.type === 'migrated') this.counts.secondMigrations += 1
    return !second
  }

  private acceptsSwap(swap: Swap): boolean {
    const seen = this.placed.some(
      ({ event }) =>
        event.type === 'swap' &&
        event.signature === swap.signature &&
        event.ordinal === swap.ordinal,
    )
    if (seen) {
      this.counts.duplicates += 1
      return false
    }
    if (this.isOutOfReach(swap)) {
      this.counts.lateRefused += 1
      return false
    }
    return true
  }

  private place(event: ChainEvent): Placed {
    const arrivedPriceUsd = this.solPriceUsd
    const newest = this.newestKey()
    if (event.slot === null) {
      const txIndex = event.txIndex ?? 0
      const key = { ...newest, arrival: this.placed.length + 1 }
      return { event, key, foldedAt: newest, txIndex, arrivedPriceUsd }
    }
    const txIndex = event.txIndex ?? this.inferTxIndex(event)
    const key = { slot: event.slot, txIndex, ordinal: event.ordinal, arrival: 0 }
    const isToldLate = event.type === 'token_created' && this.isOutOfReach(event)
    return { event, key, foldedAt: isToldLate ? newest : key, txIndex, arrivedPriceUsd }
  }

  /** More slots late than is folded in its place. */
  private isOutOfReach({ slot }: ChainEvent): boolean {
    return slot !== null && slot < this.newestKey().slot - this.lateSlots
  }

  private newestKey(): Key {
    return this.placed.reduce(
      (newest, { key }) => (compareKeys(key, newest) > 0 ? key : newest),
      BEFORE_ALL,
    )
  }

  /** Of slots that are out of reach only the swaps are remembered (docs/api.md). */
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
