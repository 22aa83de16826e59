import { OPEN_GAP_SLOTS_MAX, type PlacedEvent } from '../../events/event.ts'
import { SWAP_U32_LANES, SwapLane, undoFold } from '../../events/swap-record.ts'
import type { BarChains } from '../history/bar-chains.ts'
import type { SearchIndex } from '../index/search-index.ts'
import type { TokenOrder } from '../index/token-order.ts'
import type { TopHolders } from '../index/top-holders.ts'
import type { XLinks } from '../index/x-links.ts'
import { displaced } from '../order/arrival-order.ts'
import {
  type EventPosition,
  isAfter,
  type LifecycleEntry,
  NOWHERE,
} from '../order/event-position.ts'
import { comparePlace } from '../order/position-resolver.ts'
import type { Progress } from '../order/progress.ts'
import type { ReorderWindow } from '../order/reorder-window.ts'
import { flagsOf, poolAddressesOf } from '../state/lanes.ts'
import { BASE, LifecycleLane, TokenFlag, TokenLane } from '../state/layout.ts'
import { pricingOf } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { BalanceFold } from './inventory-clamp.ts'
import { type RollingWindow, SwapFold } from './swap-fold.ts'
import { foldReserves, TokenLifecycle } from './token-lifecycle.ts'
import { LateCreation } from './wallet-classes.ts'

/**
 * Stored bars that stay, of seconds and of minutes, in 185 and 378 MB; past them the oldest pages go (decision 53). The same
 * for every reader of a folder: which are gone is a part of the state.
 */
export const KEPT_BARS = { seconds: 1 << 21, minutes: 3 << 20 }

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
  readonly #keptBars: typeof KEPT_BARS
  readonly #counted = { bars: 0, minutes: 0, hours: 0 }
  readonly #state: State
  readonly #rolling: RollingWindow
  readonly #order: TokenOrder
  readonly #search: SearchIndex
  readonly #top: TopHolders
  readonly #births: TokenLifecycle
  readonly #late: LateCreation
  readonly reorder: ReorderWindow
  readonly #newest: EventPosition
  readonly #counts: Progress['counts']
  /** Events that late ones had taken back, the oldest last. */
  readonly #takenBack: TakenBack[] = []
  /** By token: swaps among them, and late swaps that came since the first was taken back. */
  readonly #waiting = new Map<number, number>()
  readonly #lateSwaps = new Map<number, number>()
  /** By token, of those with events taken back: `pricingBefore`. */
  readonly #pricings = new Map<number, number>()

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
    reorder: ReorderWindow,
    progress: Progress,
    limits: { readonly lateSlots: number; readonly keptBars: typeof KEPT_BARS },
  ) {
    this.#state = state
    this.#rolling = targets.window
    this.#order = targets.order
    this.#search = targets.search
    this.#top = targets.top
    this.#births = new TokenLifecycle(state, targets.links, targets.bars)
    this.swaps = new SwapFold(state, targets.window, this.#births, targets.top)
    this.balances = new BalanceFold(state, this.swaps.holders, this.swaps.clamp)
    this.#late = new LateCreation(state, this.swaps.holders, this.swaps.bundles)
    this.reorder = reorder
    this.#newest = progress.newest
    this.#counts = progress.counts
    this.lateSlots = limits.lateSlots
    this.#keptBars = limits.keptBars
  }

  /** Can an event be folded in this place? */
  isInReach(key: EventPosition): boolean {
    const { slot } = this.#newest
    if (slot !== NOWHERE.slot && key.slot < this.#firstInReach(slot)) return false
    if (!this.reorder.isLate(key)) return true
    return this.reorder.markAfter(key) >= this.#state.undo.tail && this.#isBehindSettled(key)
  }

  /**
   * Is it behind all swaps that can no longer be taken back? After `lateSlots` grew, swaps that were
   * settled by the old number are not in the window.
   */
  #isBehindSettled(key: EventPosition): boolean {
    const { tape } = this.#state
    const settled = tape.count - this.reorder.swaps
    return settled === 0 || comparePlace(tape, settled - 1, key) <= 0
  }

  /**
   * Folds the record at u32 lane `at` in its place, which is in reach; returns its tape index, which is good
   * when `catchUp` has ended.
   */
  swap(u32: Uint32Array, at: number, key: EventPosition): number {
    this.#births.noteCoin(u32, at)
    const isLate = this.#moveTo(key)
    if (isLate) {
      const token = u32[at + SwapLane.token]
      u32[at + SwapLane.flags] = displaced(u32[at + SwapLane.flags], this.#waitingOf(token))
      this.#lateSwaps.set(token, (this.#lateSwaps.get(token) ?? 0) + 1)
    }
    this.#swap(u32, at, key)
    if (!isLate) this.#becomeNewest(key)
    return this.#state.tape.count - 1
  }

  /** Folds a lifecycle event in its place. */
  lifecycle(entry: LifecycleEntry): void {
    const { key } = entry
    if (!this.isInReach(key)) {
      this.catchUp()
      // Applied however late; its place in the window is that of its arrival, to be taken back with it.
      this.#lifecycle(entry, { ...this.#newest })
      return
    }
    const isLate = this.#moveTo(key)
    this.#lifecycle(entry, key)
    if (!isLate) this.#becomeNewest(key)
  }

  /** Are events taken back that `catchUp` folds again? The state is not that of all events then. */
  get isBehind(): boolean {
    return this.#takenBack.length > 0
  }

  /** Does a key come before events that are folded, so that these have to be taken back first? */
  goesBack(key: EventPosition): boolean {
    return this.reorder.isLate(key)
  }

  /** What the prices of a token were made with (`pricingOf`) when the state was that of all events; -1: it had none. */
  pricingBefore(token: number): number {
    return this.#pricings.get(token) ?? this.#pricingOf(token)
  }

  #pricingOf(token: number): number {
    if ((flagsOf(this.#state, token) & TokenFlag.exists) === 0) return -1
    return pricingOf(this.#state, token)
  }

  /** Is the creation or the migration of a token among the events taken back? */
  hasTakenBackLifecycle(token: number): boolean {
    return this.#takenBack.some(
      ({ entry }) =>
        entry !== null &&
        entry.token === token &&
        (entry.event.type === 'token_created' || entry.event.type === 'migrated'),
    )
  }

  /** Moves the clock to `now` (unix seconds): what is folded again later would find another window. */
  advance(now: number): void {
    if (now > this.#state.now) this.catchUp()
    this.#rolling.advance(now)
  }

  /** Takes back all events that late ones reach, changes what is left, and folds them again. */
  changeBehindAll(change: () => void): void {
    this.#takeBackAfter({ slot: Number.NEGATIVE_INFINITY, txIndex: 0, ordinal: 0 })
    change()
    this.catchUp()
  }

  /** Folds all events again that late ones had taken back: the state is that of all events. */
  catchUp(): void {
    while (this.#takenBack.length > 0) this.#foldAgain()
  }

  /** Appends a record to the tape and folds it. */
  #swap(source: Uint32Array, at: number, key: EventPosition): void {
    const state = this.#state
    const mark = state.undo.mark
    const counts = this.#barCounts()
    const index = state.tape.add()
    const page = state.tape.u32Of(index)
    const to = state.tape.at(index)
    for (let i = 0; i < SWAP_U32_LANES; i++) page[to + i] = source[at + i]
    const token = page[to + SwapLane.token]
    const isNew = this.swaps.fold(index, key)
    if (this.swaps.hasExcluded) this.#late.rejudgeBundles(token)
    this.reorder.push(key, mark, counts, null)
    if (isNew) this.#indexText(token)
    this.#order.traded(token)
  }

  /** Applies a lifecycle event, whose place in the window is `place`. */
  #lifecycle(entry: LifecycleEntry, place: EventPosition): void {
    const { token, event, key } = entry
    const mark = this.#state.undo.mark
    const counts = this.#barCounts()
    this.#apply(token, event, key)
    this.reorder.push(place, mark, counts, entry)
    this.#order.touch(token)
    if (event.type === 'reserves' || event.type === 'balance') return
    if (flagsOf(this.#state, token) & TokenFlag.exists) this.#indexText(token)
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
    const formerCreator = this.#state.births.get(token, LifecycleLane.creatorPlus1) - 1
    if (event.type === 'completed') this.#births.completed(token, event, key)
    else if (event.type === 'migrated') this.#births.migrated(token, event, key)
    else if (event.type === 'token_state') this.#births.stateTold(token, event)
    else this.#births.created(token, event, key)
    if (!hadPositions) return
    const hasChanged = this.swaps.holders.excludePools(token, formerPools)
    if (event.type === 'token_created') this.#late.rejudge(token, formerCreator)
    else {
      if (event.type === 'token_state') this.#late.markCreator(token, formerCreator)
      if (hasChanged) this.#late.rejudgeBundles(token)
    }
  }

  #indexText(token: number): void {
    const { name, symbol } = this.#births.textOf(token)
    this.#search.set(token, this.#state.book.mintOf(token), name, symbol)
  }

  /**
   * Moves the place where events are folded to behind all events up to `key`: those after it are taken back, or
   * folded again. A run of late events in order so costs one pass over the later ones. Is the key late?
   */
  #moveTo(key: EventPosition): boolean {
    if (this.reorder.isLate(key)) this.#takeBackAfter(key)
    else
      for (let next = this.#takenBack.at(-1); next !== undefined; next = this.#takenBack.at(-1)) {
        if (isAfter(next.key, key)) break
        this.#foldAgain()
      }
    if (this.#takenBack.length === 0) return false
    this.#counts.lateFolded += 1
    return true
  }

  #takeBackAfter(key: Pick<EventPosition, 'slot' | 'txIndex' | 'ordinal'>): void {
    const state = this.#state
    let mark = state.undo.mark
    let counts = this.#barCounts()
    while (this.reorder.isLate(key) && this.reorder.newestMark >= state.undo.tail) {
      const { entry, ...popped } = this.reorder.pop()
      mark = popped.mark
      counts = popped.counts
      const taken =
        entry === null
          ? this.#takeBackSwap(popped.key)
          : { key: popped.key, token: entry.token, entry, record: null, lateSwaps: 0 }
      if (!this.#pricings.has(taken.token))
        this.#pricings.set(taken.token, this.#pricingOf(taken.token))
      this.#forgetDerived(taken.token)
      this.#takenBack.push(taken)
    }
    state.undo.rollBackTo(mark)
    state.bars.truncate(counts.bars)
    state.minutes.truncate(counts.minutes)
    state.hours.truncate(counts.hours)
  }

  /** Good until the next call. */
  #barCounts() {
    const { bars, minutes, hours } = this.#state
    this.#counted.bars = bars.count
    this.#counted.minutes = minutes.count
    this.#counted.hours = hours.count
    return this.#counted
  }

  /** The oldest of the events taken back. */
  #foldAgain(): void {
    const next = this.#takenBack.pop()
    if (next === undefined) return
    const { key, token, entry, record, lateSwaps } = next
    if (record === null) {
      if (entry !== null) this.#lifecycle(entry, key)
      this.#forgetPassed()
      return
    }
    const passed = (this.#lateSwaps.get(token) ?? 0) - lateSwaps
    record[SwapLane.flags] = displaced(record[SwapLane.flags], -passed)
    this.#waiting.set(token, this.#waitingOf(token) - 1)
    this.#swap(record, 0, key)
    this.#forgetPassed()
  }

  /** Once all are folded again nothing can be passed any more. */
  #forgetPassed(): void {
    if (this.#takenBack.length > 0) return
    this.#waiting.clear()
    this.#lateSwaps.clear()
    this.#pricings.clear()
  }

  /** Swaps of a token among the events taken back. */
  #waitingOf(token: number): number {
    return this.#waiting.get(token) ?? 0
  }

  /** Takes the newest record off the tape. */
  #takeBackSwap(key: EventPosition): TakenBack {
    const { tape } = this.#state
    const index = tape.count - 1
    const page = tape.u32Of(index)
    const at = tape.at(index)
    this.#rolling.remove(index, page[at + SwapLane.timestamp])
    tape.truncate(index)
    const record = page.slice(at, at + SWAP_U32_LANES)
    undoFold(record, new Float64Array(record.buffer), 0)
    const token = record[SwapLane.token]
    this.#waiting.set(token, this.#waitingOf(token) + 1)
    return { key, token, entry: null, record, lateSwaps: this.#lateSwaps.get(token) ?? 0 }
  }

  #forgetDerived(token: number): void {
    this.swaps.bundles.forget(token)
    this.#top.invalidate(token)
    this.#order.touch(token)
  }

  #becomeNewest(key: EventPosition): void {
    const newest = this.#newest
    newest.slot = key.slot
    newest.txIndex = key.txIndex
    newest.ordinal = key.ordinal
    const { undo, tape, bars, minutes } = this.#state
    // While no slot is known events come before none.
    const first =
      key.slot === NOWHERE.slot ? Number.POSITIVE_INFINITY : this.#firstInReach(key.slot)
    undo.forgetBefore(Math.min(this.reorder.forgetBefore(first), undo.mark))
    tape.pack(tape.count - this.reorder.swaps)
    bars.leave(this.#keptBars.seconds, this.reorder.settledBars(BASE.second, bars.count))
    minutes.leave(this.#keptBars.minutes, this.reorder.settledBars(BASE.minute, minutes.count))
  }

  /** Slot of the oldest events that one may still come before, where the newest is of a slot. */
  #firstInReach(slot: number): number {
    const late = slot - this.lateSlots
    const open = this.#state.unseen.firstOpenSlot
    return open === null ? late : Math.min(late, Math.max(open, slot - OPEN_GAP_SLOTS_MAX))
  }
}

interface TakenBack {
  readonly key: EventPosition
  readonly token: number
  readonly entry: LifecycleEntry | null
  readonly record: Uint32Array | null
  /** Late swaps of its mint that had come when it was taken back. */
  readonly lateSwaps: number
}
