import type { Budget } from '../../base/budget.ts'
import { stepped } from '../../base/errors.ts'
import { numberAt, TWO_32 } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT, Rows, U32List } from '../memory/rows.ts'
import { isHolderRow } from '../state/lanes.ts'
import { ColdRunLane, HolderClass, PositionRowLane, TokenLane } from '../state/layout.ts'
import type { PositionLists } from '../state/position-lists.ts'
import type { State } from '../state/state.ts'

const TOP = 10
/** Positions of a list: some more than ten, so that ten sales in a row need no new scan. */
const LISTED_MAX = 26
/**
 * [count, known, floor (f64), sum (f64), positions…]: every holder that is not listed has at most
 * `floor`; `sum` is that of the ten largest.
 */
const LIST = { count: 0, known: 1, floorF: 1, sumF: 2, first: 6 } as const
const LIST_LANES = LIST.first + LISTED_MAX
/** What is known of a mint's largest holders. */
const Known = { nothing: 0, list: 1, sum: 2 } as const

/**
 * The largest holders of a mint, found by a scan on the first read and updated by each change after it.
 * Only mints with more than ten holders that were read have a list. It is derived from positions alone and
 * made by reads, so it is no part of the state; after a roll-back the mint is scanned again.
 *
 * Balances are compared as doubles: two that differ only past 2^53 are as good as equal here.
 */
export class TopHolders {
  readonly #state: State
  readonly #positions: PositionLists
  readonly #lists = new Rows(LIST_LANES)
  /** Per token: its list + 1. */
  readonly #listOfToken = new U32List()
  /** The largest balances of some positions, and their two words. */
  readonly #balances = new Float64Array(TOP)
  readonly #low = new Uint32Array(TOP)
  readonly #high = new Uint32Array(TOP)
  /** Scans of all holders of a mint. */
  scans = 0

  constructor(state: State, positions: PositionLists) {
    this.#state = state
    this.#positions = positions
  }

  get bytes(): number {
    return this.#lists.bytes + this.#listOfToken.bytes
  }

  get untouchedBytes(): number {
    return this.#lists.untouchedBytes + this.#listOfToken.untouchedBytes
  }

  /** A balance of the mint is now `balance` (0: no holder any more). */
  changed(token: number, position: number, balance: number): void {
    const list = this.#listOf(token)
    if (list < 0) return
    const lanes = this.#lists.u32[list >>> ROW_SHIFT]
    const at = (list & ROW_MASK) * LIST_LANES
    if (lanes[at + LIST.known] === Known.nothing) return
    lanes[at + LIST.known] = Known.list
    const floor = this.#lists.f64[list >>> ROW_SHIFT][(at >>> 1) + LIST.floorF]
    const listed = this.#placeOf(lanes, at, position)
    if (balance > floor) {
      if (listed < 0) this.#insert(list, position)
    } else if (listed >= 0) this.#remove(lanes, at, listed)
  }

  invalidate(token: number): void {
    const list = this.#listOf(token)
    if (list >= 0) this.#lists.set(list, LIST.known, Known.nothing)
  }

  /** Forgets all lists: every balance may be another. */
  drop(): void {
    this.#lists.reset(0)
    this.#listOfToken.reset(0)
  }

  /**
   * Scans the holders of tokens whose largest are not known: after it `sum` of each is fast.
   * @throws OutOfTime after any of them but the last
   */
  load(tokens: readonly number[], budget: Budget): void {
    for (const [place, token] of tokens.entries()) {
      if (!this.#needsScan(token)) continue
      this.sum(token)
      if (place + 1 < tokens.length) budget.throwIfSpent()
    }
  }

  /** Does its sum need a scan? */
  #needsScan(token: number): boolean {
    const { tokens } = this.#state
    if (tokens.get(token, TokenLane.holders) <= TOP) return false
    if (tokens.get(token, TokenLane.dormantPlus1) !== 0) return false
    const list = this.#listOf(token)
    return list < 0 || !this.#isCurrent(token, list)
  }

  /** Raw sum of the ten largest balances, as a double. */
  sum(token: number): number {
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    const holders = this.#state.tokens.u32[token >>> ROW_SHIFT][tAt + TokenLane.holders]
    if (holders <= TOP) {
      return this.#state.crowds.sum(token, HolderClass.any)
    }
    const run = this.#state.tokens.u32[token >>> ROW_SHIFT][tAt + TokenLane.dormantPlus1] - 1
    if (run >= 0) {
      const r = this.#state.dormant.runs.f64[run >>> ROW_SHIFT]
      return r[(((run & ROW_MASK) * ColdRunLane.lanes) >>> 1) + ColdRunLane.topSumF]
    }
    return this.#listedSum(token)
  }

  /** Made once after each change of a balance: the ten rows lie far apart in memory. */
  #listedSum(token: number): number {
    const list = this.#currentList(token)
    const lanes = this.#lists.u32[list >>> ROW_SHIFT]
    const floats = this.#lists.f64[list >>> ROW_SHIFT]
    const at = (list & ROW_MASK) * LIST_LANES
    if (lanes[at + LIST.known] !== Known.sum) {
      const first = at + LIST.first
      const sum = this.#sumOfLargest(lanes, first, first + lanes[at + LIST.count])
      floats[(at >>> 1) + LIST.sumF] = sum
      lanes[at + LIST.known] = Known.sum
    }
    return floats[(at >>> 1) + LIST.sumF]
  }

  /** The sum as `sum` has it, of a scan of its own: the same whatever was read. 0 up to ten holders. */
  scannedSum(token: number): number {
    const { tokens, positions } = this.#state
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    if (t[tAt + TokenLane.holders] <= TOP) return 0
    const held: number[] = []
    for (let next = t[tAt + TokenLane.positionsPlus1], steps = 0; next !== 0; ) {
      steps = stepped(steps, positions.count, 'positions of a mint')
      const p = positions.u32[(next - 1) >>> ROW_SHIFT]
      const pAt = ((next - 1) & ROW_MASK) * PositionRowLane.lanes
      if (isHolderRow(p, pAt)) held.push(next - 1)
      next = p[pAt + PositionRowLane.nextInMintPlus1]
    }
    return this.#sumOfLargest(Uint32Array.from(held), 0, held.length)
  }

  /** The exact sum of the ten largest balances of some positions, as a double; of equal ones those that come first. */
  #sumOfLargest(positions: Uint32Array, from: number, to: number): number {
    const [balances, low, high] = [this.#balances, this.#low, this.#high]
    let found = 0
    for (let i = from; i < to; i++) {
      const p = this.#state.positions.u32[positions[i] >>> ROW_SHIFT]
      const balanceAt =
        (positions[i] & ROW_MASK) * PositionRowLane.lanes + PositionRowLane.balanceLo
      const balance = numberAt(p, balanceAt)
      if (found === TOP && balance <= balances[TOP - 1]) continue
      if (found < TOP) found += 1
      let place = found - 1
      for (; place > 0 && balances[place - 1] < balance; place--) {
        balances[place] = balances[place - 1]
        low[place] = low[place - 1]
        high[place] = high[place - 1]
      }
      balances[place] = balance
      low[place] = p[balanceAt]
      high[place] = p[balanceAt + 1]
    }
    let [sumLow, sumHigh] = [0, 0]
    for (let place = 0; place < found; place++) {
      sumLow += low[place]
      sumHigh += high[place]
    }
    // Both parts are exact, so the sum is rounded once, as that of integers would be.
    return sumHigh * TWO_32 + sumLow
  }

  #currentList(token: number): number {
    let list = this.#listOf(token)
    if (list < 0) {
      list = this.#lists.add()
      this.#listOfToken.set(token, list + 1)
    }
    if (!this.#isCurrent(token, list)) this.#scan(token, list)
    return list
  }

  /** Has the list the ten largest, as they are now? */
  #isCurrent(token: number, list: number): boolean {
    const lanes = this.#lists.u32[list >>> ROW_SHIFT]
    const at = (list & ROW_MASK) * LIST_LANES
    const holders = this.#state.tokens.get(token, TokenLane.holders)
    const count = lanes[at + LIST.count]
    return lanes[at + LIST.known] !== Known.nothing && (count >= TOP || count >= holders)
  }

  #scan(token: number, list: number): void {
    this.scans += 1
    const lanes = this.#lists.u32[list >>> ROW_SHIFT]
    const at = (list & ROW_MASK) * LIST_LANES
    lanes[at + LIST.count] = 0
    lanes[at + LIST.known] = Known.list
    this.#lists.f64[list >>> ROW_SHIFT][(at >>> 1) + LIST.floorF] = 0
    const rows = this.#positions.rowsOfToken(token)
    for (let i = 0; i < rows.length; i++) {
      const position = rows[i]
      const p = this.#state.positions.u32[position >>> ROW_SHIFT]
      const pAt = (position & ROW_MASK) * PositionRowLane.lanes
      const balance = numberAt(p, pAt + PositionRowLane.balanceLo)
      const floor = this.#lists.f64[list >>> ROW_SHIFT][(at >>> 1) + LIST.floorF]
      if (isHolderRow(p, pAt) && balance > floor) this.#insert(list, position)
    }
  }

  /** Adds a position above the floor; when the list is full the smallest goes and sets the floor. */
  #insert(list: number, position: number): void {
    const lanes = this.#lists.u32[list >>> ROW_SHIFT]
    const at = (list & ROW_MASK) * LIST_LANES
    const count = lanes[at + LIST.count]
    if (count < LISTED_MAX) {
      lanes[at + LIST.first + count] = position
      lanes[at + LIST.count] = count + 1
      return
    }
    let smallest = at + LIST.first
    for (let i = smallest + 1; i < at + LIST.first + LISTED_MAX; i++)
      if (this.#balance(lanes[i]) < this.#balance(lanes[smallest])) smallest = i
    const floors = this.#lists.f64[list >>> ROW_SHIFT]
    const out = Math.min(this.#balance(lanes[smallest]), this.#balance(position))
    if (this.#balance(position) > this.#balance(lanes[smallest])) lanes[smallest] = position
    floors[(at >>> 1) + LIST.floorF] = Math.max(floors[(at >>> 1) + LIST.floorF], out)
  }

  #remove(lanes: Uint32Array, at: number, place: number): void {
    const count = lanes[at + LIST.count] - 1
    lanes[place] = lanes[at + LIST.first + count]
    lanes[at + LIST.count] = count
  }

  #placeOf(lanes: Uint32Array, at: number, position: number): number {
    const end = at + LIST.first + lanes[at + LIST.count]
    for (let i = at + LIST.first; i < end; i++) if (lanes[i] === position) return i
    return -1
  }

  #listOf(token: number): number {
    return this.#listOfToken.get(token) - 1
  }

  #balance(position: number): number {
    const p = this.#state.positions.u32[position >>> ROW_SHIFT]
    return numberAt(p, (position & ROW_MASK) * PositionRowLane.lanes + PositionRowLane.balanceLo)
  }
}
