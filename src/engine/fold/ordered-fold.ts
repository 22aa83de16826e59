import type { PlacedEvent } from '../../events/event.ts'
import { SWAP_U32_LANES, SwapLane, undoFold } from '../../events/swap-record.ts'
import type { BarChains } from '../history/bar-chains.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { TokenOrder } from '../index/token-order.ts'
import type { TopHolders } from '../index/top-holders.ts'
import type { XLinks } from '../index/x-links.ts'
import { displace } from '../order/arrival-order.ts'
import { type EventPosition, type LifecycleEntry, NOWHERE } from '../order/event-position.ts'
import { comparePlace } from '../order/position-resolver.ts'
import type { EngineCounts, Progress } from '../order/progress.ts'
import type { ReorderWindow } from '../order/reorder-window.ts'
import { poolAddressesOf } from '../state/lanes.ts'
import { TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { BalanceFold } from './inventory-clamp.ts'
import { type RollingWindow, SwapFold } from './swap-fold.ts'
import { foldReserves, TokenLifecycle } from './token-lifecycle.ts'
import { LateCreation } from './wallet-classes.ts'

/**
 * `engine/fold` changes the state by one event. In: a record or an event with its place, and the rows. Out:
 * changed rows, the tape, the reorder window. Every write to a row that may be undone is saved in the undo
 * log first; `engine/index` and `engine/history` are notified which token changed.
 *
 * Folds each event in its place of the total order, however late it is: later events are taken back with
 * the undo log, newest first, and folded again behind it (decision 1).
 */
export class OrderedFold {
  readonly swaps: SwapFold
  readonly balances: BalanceFold
  /** Slots that an event may be late and still be folded in its place. */
  lateSlots: number
  readonly #state: State
  readonly #window: RollingWindow
  readonly #order: TokenOrder
  readonly #search: SearchIndex
  readonly #top: TopHolders
  readonly #births: TokenLifecycle
  readonly #late: LateCreation
  readonly #ring: ReorderWindow
  readonly #newest: EventPosition
  readonly #counts: EngineCounts

  /** `progress` has the place of the newest event, which the fold moves on. */
  constructor(
    state: State,
    targets: {
      readonly window: RollingWindow
      readonly order: TokenOrder
      readonly search: SearchIndex
      readonly top: TopHolders
      readonly links: XLinks
      readonly bars: BarChains
    },
    ring: ReorderWindow,
    progress: Progress,
    lateSlots: number,
  ) {
    this.#state = state
    this.#window = targets.window
    this.#order = targets.order
    this.#search = targets.search
    this.#top = targets.top
    this.#births = new TokenLifecycle(state, targets.links, targets.bars)
    this.swaps = new SwapFold(state, targets.window, this.#births, targets.top)
    this.balances = new BalanceFold(state, this.swaps.holders, this.swaps.clamp)
    this.#late = new LateCreation(state, this.swaps.holders, this.swaps.bundles)
    this.#ring = ring
    this.#newest = progress.newest
    this.#counts = progress.counts
    this.lateSlots = lateSlots
  }

  /** Can an event be folded in this place? */
  isInReach(key: EventPosition): boolean {
    if (key.slot < this.#newest.slot - this.lateSlots) return false
    if (!this.#ring.isLate(key)) return true
    return this.#ring.markAfter(key) >= this.#state.undo.tail && this.#isBehindSettled(key)
  }

  /**
   * Is it behind all swaps that can no longer be taken back? After `lateSlots` grew, swaps that were
   * settled by the old number are not in the window.
   */
  #isBehindSettled(key: EventPosition): boolean {
    const { tape } = this.#state
    const settled = tape.count - this.#ring.swaps
    return settled === 0 || comparePlace(tape, settled - 1, key) <= 0
  }

  /** Folds the record at u32 lane `at` in its place, which is in reach; returns its tape index. */
  swap(u32: Uint32Array, at: number, key: EventPosition): number {
    this.#births.noteCoin(u32, at)
    const later = this.#takeBackAfter(key)
    if (later !== null) displace(u32, at, later)
    this.#swap(u32, at, key)
    const tapeIndex = this.#state.tape.count - 1
    this.#foldAgain(key, later)
    return tapeIndex
  }

  /** Folds a lifecycle event in its place. */
  lifecycle(entry: LifecycleEntry): void {
    const { key } = entry
    if (!this.isInReach(key)) {
      // Applied however late; its place in the window is that of its arrival, to be taken back with it.
      this.#lifecycle(entry, { ...this.#newest })
      return
    }
    const later = this.#takeBackAfter(key)
    this.#lifecycle(entry, key)
    this.#foldAgain(key, later)
  }

  /** Appends a record to the tape and folds it. */
  #swap(source: Uint32Array, at: number, key: EventPosition): void {
    const state = this.#state
    const mark = state.undo.mark
    const bars = state.bars.count
    const index = state.tape.add()
    const page = state.tape.u32Of(index)
    const to = state.tape.at(index)
    for (let i = 0; i < SWAP_U32_LANES; i++) page[to + i] = source[at + i]
    const token = page[to + SwapLane.token]
    const isNew = this.swaps.fold(index, key)
    if (this.swaps.hasExcluded) this.#late.rejudgeBundles(token)
    this.#ring.push(key, mark, bars, null)
    if (isNew) this.#indexText(token)
    this.#order.traded(token)
  }

  /** Applies a lifecycle event, whose place in the window is `place`. */
  #lifecycle(entry: LifecycleEntry, place: EventPosition): void {
    const { token, event, key } = entry
    const mark = this.#state.undo.mark
    const bars = this.#state.bars.count
    this.#apply(token, event, key)
    this.#ring.push(place, mark, bars, entry)
    this.#order.touch(token)
    if (event.type !== 'reserves' && event.type !== 'balance') this.#indexText(token)
  }

  #apply(token: number, event: PlacedEvent, key: EventPosition): void {
    if (event.type === 'reserves') {
      foldReserves(this.#state, this.swaps.clamp.burns, token, event)
      return
    }
    if (event.type === 'balance') {
      this.balances.fold(token, this.#state.book.wallet(event.wallet), event)
      return
    }
    const hadPositions = this.#state.tokens.get(token, TokenLane.positionsPlus1) !== 0
    const formerPools = poolAddressesOf(this.#state, token)
    if (event.type === 'completed') this.#births.completed(token, event, key)
    else if (event.type === 'migrated') this.#births.migrated(token, event, key)
    else this.#births.created(token, event, key)
    if (!hadPositions) return
    const hasChanged = this.swaps.holders.excludePools(token, formerPools)
    if (event.type === 'token_created') this.#late.rejudge(token)
    else if (hasChanged) this.#late.rejudgeBundles(token)
  }

  #indexText(token: number): void {
    const { name, symbol } = this.#births.textOf(token)
    this.#search.set(token, this.#state.book.mintOf(token), name, symbol)
  }

  /** Takes back every event after `key`, newest first, and returns them in order; null for none. */
  #takeBackAfter(key: EventPosition): readonly TakenBack[] | null {
    if (!this.#ring.isLate(key)) return null
    const state = this.#state
    const taken: TakenBack[] = []
    let mark = state.undo.mark
    let bars = state.bars.count
    while (this.#ring.isLate(key)) {
      const popped = this.#ring.pop()
      mark = popped.mark
      bars = popped.bars
      const { key: place, entry } = popped
      if (entry !== null) this.#forgetDerived(entry.token)
      taken.push({ key: place, entry, record: entry === null ? this.#takeBackSwap() : null })
    }
    state.undo.rollBackTo(mark)
    state.bars.truncate(bars)
    this.#counts.lateFolded += 1
    return taken.reverse()
  }

  /** Takes the newest record off the tape; returns a copy of it. */
  #takeBackSwap(): Uint32Array {
    const { tape } = this.#state
    const index = tape.count - 1
    const page = tape.u32Of(index)
    const at = tape.at(index)
    this.#window.remove(index, page[at + SwapLane.timestamp])
    this.#forgetDerived(page[at + SwapLane.token])
    tape.truncate(index)
    const record = page.slice(at, at + SWAP_U32_LANES)
    undoFold(record, new Float64Array(record.buffer), 0)
    return record
  }

  #forgetDerived(token: number): void {
    this.swaps.bundles.forget(token)
    this.#top.invalidate(token)
    this.#order.touch(token)
  }

  /** After an event in its place: folds later events again, or the event becomes the newest. */
  #foldAgain(key: EventPosition, later: readonly TakenBack[] | null): void {
    if (later === null) this.#becomeNewest(key)
    else
      for (const { key: place, entry, record } of later) {
        if (record !== null) this.#swap(record, 0, place)
        else if (entry !== null) this.#lifecycle(entry, place)
      }
  }

  #becomeNewest(key: EventPosition): void {
    const newest = this.#newest
    newest.slot = key.slot
    newest.txIndex = key.txIndex
    newest.ordinal = key.ordinal
    const { undo } = this.#state
    undo.forgetBefore(Math.min(this.#ring.forgetBefore(this.#firstInReach(key)), undo.mark))
  }

  /** The oldest slot that a late event may still reach; none before any slot is known. */
  #firstInReach({ slot }: EventPosition): number {
    return slot === NOWHERE.slot ? Number.POSITIVE_INFINITY : slot - this.lateSlots
  }
}

interface TakenBack {
  readonly key: EventPosition
  readonly entry: LifecycleEntry | null
  readonly record: Uint32Array | null
}
