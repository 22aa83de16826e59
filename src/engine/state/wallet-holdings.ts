import { widened } from '../memory/views.ts'
import { ColdPositionLane, PositionLane } from './layout.ts'
import { isDormant } from './position-lists.ts'
import type { State } from './state.ts'

const FIRST_HOLDINGS = 64
/** Lanes of a holding: its record on the dormant tape, its mint, its balance. */
const H = { record: 0, token: 1, balanceLo: 2, balanceHi: 3 } as const
const LANES = 4

/** Told of a resting holding: its mint and its balance. */
export type VisitHolding = (token: number, balanceLo: number, balanceHi: number) => void

/**
 * Copies of what one wallet holds of mints that rest, out of its chain on the dormant tape. They lie in the
 * order of the tape; the chain runs the other way, so newer ones wait until all of them have been come by.
 */
export class WalletHoldings {
  readonly #state: State
  #lanes = new Uint32Array(0)
  #count = 0
  /** The newest record that was come by, + 1; 0 for none. */
  #newestPlus1 = 0
  /** Newer ones, the newest first: lanes of each from the last to the first, and the record behind, + 1. */
  #begun: { readonly newestPlus1: number; nextPlus1: number; readonly found: number[] } | null =
    null

  constructor(state: State) {
    this.#state = state
  }

  /** Holdings that are copied, those on their way too; some may be awake by now. */
  get count(): number {
    return this.#count + (this.#begun?.found.length ?? 0) / LANES
  }

  get bytes(): number {
    return this.#lanes.byteLength
  }

  /** Has it all of the chain whose newest record (+ 1) this is? */
  reaches(newestPlus1: number): boolean {
    return this.#newestPlus1 === newestPlus1
  }

  /**
   * Copies the next record, of the chain whose newest (+ 1) this is when it begins anew. What left its run is
   * never again what it was: it is passed over.
   * @throws TapeDamage when it cannot be read
   */
  takeNext(newestPlus1: number): void {
    this.#begun ??= { newestPlus1, nextPlus1: newestPlus1, found: [] }
    const begun = this.#begun
    const { dormant } = this.#state
    const record = begun.nextPlus1 - 1
    const p = dormant.tape.u32Of(record)
    const pAt = dormant.tape.at(record)
    const token = p[pAt + PositionLane.token]
    const lo = p[pAt + PositionLane.balanceLo]
    const hi = p[pAt + PositionLane.balanceLo + 1]
    const nextPlus1 = dormant.previous(record, ColdPositionLane.previousHolderPlus1)
    if (isDormant(this.#state, token, record)) begun.found.push(hi, lo, token, record)
    // Only now: one that is damaged is to be told again whenever it is come by.
    begun.nextPlus1 = nextPlus1
    if (begun.nextPlus1 > this.#newestPlus1) return
    this.#append(begun.found)
    this.#newestPlus1 = begun.newestPlus1
    this.#begun = null
  }

  /** Visits those that rest, the newest record first. */
  visit(visit: VisitHolding): void {
    const lanes = this.#lanes
    for (let at = (this.#count - 1) * LANES; at >= 0; at -= LANES) {
      const token = lanes[at + H.token]
      if (isDormant(this.#state, token, lanes[at + H.record]))
        visit(token, lanes[at + H.balanceLo], lanes[at + H.balanceHi])
    }
  }

  #append(found: readonly number[]): void {
    if (this.#count * LANES + found.length > this.#lanes.length) this.#makeRoom(found.length)
    let at = this.#count * LANES
    for (let i = found.length - 1; i >= 0; i--) this.#lanes[at++] = found[i]
    this.#count = at / LANES
  }

  /** Leaves out what is awake by now, then makes room for as many more. */
  #makeRoom(more: number): void {
    const lanes = this.#lanes
    let to = 0
    for (let at = 0; at < this.#count * LANES; at += LANES) {
      if (!isDormant(this.#state, lanes[at + H.token], lanes[at + H.record])) continue
      lanes.copyWithin(to, at, at + LANES)
      to += LANES
    }
    this.#count = to / LANES
    const wider = new Uint32Array(Math.max(FIRST_HOLDINGS * LANES, 2 * (to + more)))
    this.#lanes = widened(wider, lanes.subarray(0, to))
  }
}
