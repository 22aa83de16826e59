import type { Random } from '../../../src/base/random.ts'
import {
  type Receiver,
  type SlotReceiver,
  SlotsUnavailable,
  type SlotTransaction,
  SlotUnreadable,
  type Source,
} from '../../../src/feeds/supervisor/source.ts'
import { type Timers, waitFor } from '../../../src/feeds/timers.ts'
import { told } from './scripted-source.ts'
import type { TrueBlock } from './true-chain.ts'

export interface Lies {
  readonly random: Random
  readonly timers: Timers
  readonly chain: readonly TrueBlock[]
  /** Unix seconds of a slot. */
  readonly secondsOf: (slot: number) => number
  /** Whether it tells indexes of blocks, else those of arrival. */
  readonly isExact: boolean
  /** Blocks that it is behind the chain. */
  readonly lag: number
  /** Blocks below this slot are gone; null: it tells no old ones at all. */
  readonly firstSlot: number | null
  /** Whether it tells no old ones for a while, where it has come to so many blocks. */
  readonly isRefusing: (blocks: number) => boolean
}

/** A source that keeps to what `Source` promises and does everything else wrong, by chance. */
export class LyingSource implements Source {
  readonly name: string
  readonly isDegraded = false
  readonly #lies: Lies
  #receiver: Receiver | null = null
  #end: (() => void) | null = null
  /** Blocks of the chain that it knows of. */
  #known = 0
  /** The first block of which it tells all, in this connection. */
  #wholeFrom = 0
  #mute = 0
  /** Transactions that it tells behind a later block, and the slots that it has told whole. */
  #late: { slot: number; index: number }[] = []
  /** Slots that it has told whole as they came, though something of them could not be had. */
  #lacking: number[] = []
  #newestWhole = -1
  isHonest = false

  constructor(name: string, lies: Lies) {
    this.name = name
    this.#lies = lies
  }

  async connect(receiver: Receiver, cursor: number | null, signal: AbortSignal): Promise<void> {
    const { random, timers, chain } = this.#lies
    await waitFor(timers, random.below(800), signal)
    if (signal.aborted || this.#lie(0.2)) return
    const { promise, resolve } = Promise.withResolvers<void>()
    this.#receiver = receiver
    this.#newestWhole = -1
    this.#mute = 0
    receiver.connected()
    this.#wholeFrom = this.#known + 1
    const { firstSlot } = this.#lies
    if (cursor !== null && firstSlot !== null && cursor >= firstSlot && random.chance(0.3)) {
      this.#wholeFrom = 0
      for (const block of chain.slice(0, this.#known)) if (block.slot >= cursor) this.#tell(block)
    }
    this.#end = resolve
    signal.addEventListener('abort', () => resolve())
    await promise
    this.#receiver = null
    this.#end = null
    for (const slot of this.#lacking) receiver.slotsIncomplete(slot, slot)
    this.#lacking = []
    const from = Math.min(...this.#late.map(({ slot }) => slot))
    this.#late = []
    if (from <= this.#newestWhole) receiver.slotsIncomplete(from, this.#newestWhole)
  }

  /** The chain has come to its block `index`. */
  come(index: number): void {
    const { chain, random, lag } = this.#lies
    for (; this.#known <= index - lag; this.#known++) {
      const block = chain[this.#known]
      const receiver = this.#receiver
      if (receiver === null || this.#mute-- > 0 || !receiver.admits(block.slot)) continue
      receiver.slotSeen(block.slot)
      this.#tellLate(receiver)
      for (const slot of this.#lacking.splice(random.below(3))) receiver.slotsIncomplete(slot, slot)
      if (this.#lie(0.02))
        this.#tellFar(receiver, block.slot + random.pick([3_000, 20_000, 2 ** 40]))
      if (this.#lie(0.03)) this.#mute = random.pick([1, 3, 30])
      else this.#tell(block)
      if (this.#lie(0.04)) this.#end?.()
    }
  }

  #tellLate(receiver: Receiver): void {
    for (const { slot, index } of this.#late) this.#transaction(receiver, slot, index)
    this.#late = []
  }

  /** A slot where the chain is not, told as all are: asked for first. */
  #tellFar(receiver: Receiver, slot: number): void {
    if (!receiver.admits(slot)) return
    receiver.slotSeen(slot)
    this.#transaction(receiver, slot, 0)
    receiver.slotComplete(slot, null)
  }

  #tell({ slot, parentSlot, signatures }: TrueBlock): void {
    const { random, chain } = this.#lies
    const receiver = this.#receiver
    if (receiver === null || this.#lie(0.03)) return
    const place = chain.findIndex((block) => block.slot === slot)
    const isWhole = place >= this.#wholeFrom
    let indexes = signatures.map((_, index) => index)
    // It began in the middle of this one.
    if (!isWhole) indexes = indexes.slice(random.below(indexes.length + 1))
    if (this.#lie(0.1)) indexes.reverse()
    if (this.#lie(0.1)) indexes.push(...indexes)
    for (const index of indexes) {
      if (this.#lie(0.03)) {
        this.#end?.()
        this.#receiver = null
        return
      }
      if (isWhole && this.#lie(0.05)) this.#late.push({ slot, index })
      else if (isWhole && place === this.#known && this.#lie(0.04)) this.#lacking.push(slot)
      else this.#transaction(receiver, slot, index)
    }
    if (!isWhole || this.#lie(0.03)) return
    this.#newestWhole = Math.max(this.#newestWhole, slot)
    receiver.slotComplete(slot, random.chance(0.2) ? null : parentSlot)
  }

  #transaction(receiver: SlotReceiver, slot: number, index: number): void {
    receiver.transaction(this.#told(slot, index, this.#lies.isExact))
  }

  async backfill(
    from: number,
    to: number,
    receiver: SlotReceiver,
    signal: AbortSignal,
  ): Promise<void> {
    const { chain, firstSlot, isRefusing, random, timers } = this.#lies
    await waitFor(timers, random.below(1_500), signal)
    if (signal.aborted) return
    if (firstSlot === null) throw new SlotsUnavailable('from now on', null)
    if (from < firstSlot) throw new SlotsUnavailable(`from ${firstSlot} on`, firstSlot - 1)
    if (this.#lie(0.3) || (isRefusing(this.#known) && this.#lie(1))) throw new Error('429')
    const known = chain.slice(0, this.#known)
    // Another node of the same server may answer the next question, and be further.
    if ((known.at(-1)?.slot ?? 0) < to && !this.#lie(0.3)) throw new Error('not there yet')
    for (const { slot, parentSlot, signatures } of known) {
      if (slot < from || slot > to || this.#lie(0.05)) continue
      if (this.#lie(0.03)) throw new SlotUnreadable('internal error', slot)
      for (const index of signatures.keys()) {
        receiver.transaction(this.#told(slot, index, true))
        if (this.#lie(0.02)) throw new Error('reset')
        if (this.#lie(0.05)) await waitFor(timers, random.below(3_000), signal)
        if (signal.aborted) return
      }
      receiver.slotComplete(slot, parentSlot)
    }
  }

  #told(slot: number, index: number, isExact: boolean): SlotTransaction {
    const timestamp = this.#lies.secondsOf(slot)
    const { events } = told(slot, index)
    return told(slot, index, { isExact, events: events.map((event) => ({ ...event, timestamp })) })
  }

  #lie(share: number): boolean {
    return !this.isHonest && this.#lies.random.chance(share)
  }
}
