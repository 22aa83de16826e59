import { LRUCache } from 'lru-cache'
import { type Budget, OutOfTime } from '../../base/budget.ts'
import { stepped } from '../../base/errors.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { Bar, TokenFlag, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { BASE_WIDTHS_SECONDS } from './candles.ts'

/** The place of one in so many bars of a chain is remembered after a walk past it. */
const REMEMBERED_EVERY = 256
/** Remembered places of all chains, of 4 bytes each: those of the chain read longest ago go first. */
const PLACES_MAX = 1 << 20

const NO_PLACES = new Uint32Array(0)

/**
 * The stored bars of a mint, one chain a base width, newest first. A chart of the past lies a long way
 * down the links, each a wait for memory: places are remembered on the way, so that it can be gone in
 * pieces, and need not be gone again. A bar that no late event takes back keeps its row and its time
 * for good, and whoever comes between two bars is linked behind the newer one.
 */
export class BarChains {
  readonly #state: State
  readonly #settledBars: () => number
  readonly #rememberedEvery: number
  /** Rows by chain, newest first. */
  readonly #places = new LRUCache<number, Uint32Array>({
    maxSize: PLACES_MAX,
    sizeCalculation: (places) => places.length,
  })

  /** `settledBars`: row up to which no bar is taken back any more. */
  constructor(state: State, settledBars: () => number, rememberedEvery = REMEMBERED_EVERY) {
    this.#state = state
    this.#settledBars = settledBars
    this.#rememberedEvery = rememberedEvery
  }

  get bytes(): number {
    return this.#places.calculatedSize * Uint32Array.BYTES_PER_ELEMENT
  }

  /** Forgets all: the rows are other ones. */
  drop(): void {
    this.#places.clear()
  }

  /** The prices of a mint's trades changed: its bars are stored anew, as other rows. */
  restart(token: number): void {
    this.#state.windowChanges.note(token)
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    t[tAt + TokenLane.flags] &= ~TokenFlag.barsStored
    for (let base = 0; base < BASE_WIDTHS_SECONDS.length; base++) {
      t[tAt + TokenLane.barsPlus1 + base] = 0
      this.#places.delete(chainOf(token, base))
    }
  }

  /**
   * Row + 1 of the newest bar of a base width that opens before `end` (unix seconds), 0 for none.
   * @throws OutOfTime before it is found: the next call continues from there
   */
  newestBefore(token: number, base: number, end: number, budget: Budget): number {
    const state = this.#state
    const chain = chainOf(token, base)
    const known = this.#places.get(chain) ?? NO_PLACES
    const passed = this.#countFrom(known, end)
    let next =
      passed > 0 ? known[passed - 1] + 1 : state.tokens.get(token, TokenLane.barsPlus1 + base)
    const found: number[] = []
    let hasTime = true
    for (let links = 0; hasTime && next !== 0; links++) {
      stepped(links, state.bars.count, 'bars of a mint')
      if (state.bars.get(next - 1, Bar.time) < end) break
      if (links > 0 && links % this.#rememberedEvery === 0 && next <= this.#settledBars()) {
        found.push(next - 1)
        hasTime = budget.hasTime()
      }
      next = state.bars.get(next - 1, Bar.previousPlus1)
    }
    if (found.length > 0) this.#places.set(chain, withPlaces(known, passed, found))
    if (!hasTime) throw new OutOfTime()
    return next
  }

  /** How many of these rows, newest first, open at `end` or later. */
  #countFrom(rows: Uint32Array, end: number): number {
    let low = 0
    let high = rows.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#state.bars.get(rows[middle], Bar.time) >= end) low = middle + 1
      else high = middle
    }
    return low
  }
}

function chainOf(token: number, base: number): number {
  return token * BASE_WIDTHS_SECONDS.length + base
}

function withPlaces(known: Uint32Array, at: number, found: readonly number[]): Uint32Array {
  const places = new Uint32Array(known.length + found.length)
  places.set(known.subarray(0, at))
  places.set(found, at)
  places.set(known.subarray(at), at + found.length)
  return places
}
