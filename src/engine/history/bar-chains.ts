import { LRUCache } from 'lru-cache'
import { type Budget, OutOfTime } from '../../base/budget.ts'
import { stepped } from '../../base/errors.ts'
import { ROW_MASK, ROW_SHIFT, type Rows } from '../memory/rows.ts'
import { BASE, BASE_WIDTHS_SECONDS, Bar, TokenFlag, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { FOLDED, PastBars } from './past-bars.ts'

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
  readonly past: PastBars
  readonly #state: State
  readonly #settledBars: (base: number) => number
  readonly #rememberedEvery: number
  /** Rows by chain, newest first. */
  readonly #places = new LRUCache<number, Uint32Array>({
    maxSize: PLACES_MAX,
    sizeCalculation: (places) => places.length,
  })

  /** `settledBars`: row of a base width up to which no bar is taken back any more. */
  constructor(
    state: State,
    settledBars: (base: number) => number,
    rememberedEvery = REMEMBERED_EVERY,
  ) {
    this.#state = state
    this.#settledBars = settledBars
    this.#rememberedEvery = rememberedEvery
    this.past = new PastBars(state, settledBars)
  }

  get bytes(): number {
    return this.#places.calculatedSize * Uint32Array.BYTES_PER_ELEMENT
  }

  /** Forgets all: the rows are other ones. */
  drop(): void {
    this.#places.clear()
    this.past.drop()
  }

  /** The prices of a mint's trades changed: its bars are stored anew, as other rows. */
  restart(token: number): void {
    this.#state.windowChanges.note(token)
    const t = this.#state.tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    t[tAt + TokenLane.flags] &= ~TokenFlag.barsStored
    const { barHeads } = this.#state
    const heads = barHeads.rowOf(token)
    for (let base = 0; base < BASE_WIDTHS_SECONDS.length; base++) {
      if (heads !== 0) barHeads.rows.set(heads, base, 0)
      this.#places.delete(chainOf(token, base))
    }
  }

  /**
   * Gives the bars of a base width that open before `end`, newest first, while `take` returns true; bars of so many
   * seconds where those of the base width are gone. A bar is its time, and its prices and volumes from the open in USD on. Were all taken?
   * @throws OutOfTime on the way: the next call goes on from there
   * @throws TapeDamage when a swap cannot be read
   */
  visit(
    token: number,
    { base, seconds }: { readonly base: number; readonly seconds: number },
    end: number,
    take: (time: number, f64: Float64Array, at: number) => boolean,
    budget: Budget,
  ): boolean {
    const { barWidths } = this.#state
    /** By base width, row + 1 of the bar that comes next; -1: not looked for yet. */
    const next = BASE_WIDTHS_SECONDS.map(() => -1)
    const visitFrom = (from: number, of: number): boolean => {
      const rows = barWidths[of]
      if (next[of] < 0) next[of] = this.newestBefore(token, of, end, budget)
      for (let steps = 0; next[of] > rows.first; ) {
        steps = stepped(steps, rows.count, 'bars of a mint')
        const row = next[of] - 1
        const at = (row & ROW_MASK) * rows.lanes
        const time = rows.u32[row >>> ROW_SHIFT][at + Bar.time]
        if (time < from) return true
        const isTaken =
          of === base
            ? take(time, rows.f64[row >>> ROW_SHIFT], (at >>> 1) + Bar.openUsdF)
            : this.#state.hasNarrow(of, row)
              ? visitFrom(time, of - 1)
              : everyPast(this.past.of(of, row, seconds, budget), end, take)
        if (!isTaken) return false
        next[of] = rows.u32[row >>> ROW_SHIFT][at + Bar.previousPlus1]
      }
      return true
    }
    return visitFrom(0, BASE.hour)
  }

  /**
   * Row + 1 of the newest bar of a base width that opens before `end` (unix seconds), 0 for none.
   * @throws OutOfTime before it is found: the next call continues from there
   */
  newestBefore(token: number, base: number, end: number, budget: Budget): number {
    const state = this.#state
    const chain = chainOf(token, base)
    const known = this.#places.get(chain) ?? NO_PLACES
    const rows = state.barWidths[base]
    const passed = countFrom(rows, known, end)
    let next = passed > 0 ? known[passed - 1] + 1 : state.barHeads.get(token, base)
    const found: number[] = []
    let hasTime = true
    for (let links = 0; hasTime && next > rows.first; links++) {
      stepped(links, rows.count, 'bars of a mint')
      if (rows.get(next - 1, Bar.time) < end) break
      if (links > 0 && links % this.#rememberedEvery === 0 && next <= this.#settledBars(base)) {
        found.push(next - 1)
        hasTime = budget.hasTime()
      }
      next = rows.get(next - 1, Bar.previousPlus1)
    }
    if (found.length > 0) this.#places.set(chain, withPlaces(known, passed, found))
    if (!hasTime) throw new OutOfTime()
    return next > rows.first ? next : 0
  }
}

/** How many of these places, newest first, open at `end` or later. The time of one that is gone is no number, so none. */
function countFrom(rows: Rows, places: Uint32Array, end: number): number {
  let low = 0
  let high = places.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (rows.get(places[middle], Bar.time) >= end) low = middle + 1
    else high = middle
  }
  return low
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

function everyPast(
  { f64, count }: ReturnType<PastBars['of']>,
  end: number,
  take: Parameters<BarChains['visit']>[3],
): boolean {
  for (let at = 0; at < count * FOLDED.lanes; at += FOLDED.lanes)
    if (f64[at] < end && !take(f64[at], f64, at + FOLDED.open)) return false
  return true
}
