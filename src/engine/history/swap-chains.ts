import { LRUCache } from 'lru-cache'
import { type Budget, OutOfTime } from '../../base/budget.ts'
import { olderLink } from '../../base/errors.ts'
import { SwapLane, type SwapMark, walletOf } from '../../events/swap-record.ts'
import { positionLane } from '../state/lanes.ts'
import { PASSED_SHIFT, PositionLane, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import type { Tape } from '../state/tape.ts'

/** One in so many swaps of a chain has its place remembered once somebody has walked past it. */
const REMEMBERED_EVERY = 64
/** Remembered places of all chains, of 4 bytes each: of the chain asked for longest ago they go first. */
const PLACES_MAX = 1 << 21
/** Pages up to this many swaps behind the newest are walked to. */
const WALKED_MAX = 4 * REMEMBERED_EVERY
/** Pages that are being read from the disk in pieces; of one that is forgotten the reads are made again. */
const PAGE_WALKS_MAX = 1_024

/** Swaps of a mint, or of one wallet in it, linked from each to the one before. */
interface SwapChain {
  readonly name: string
  readonly total: number
  /** Tape index + 1 of the newest; 0 for none. */
  readonly newestPlus1: number
  /** Lane of the link. */
  readonly link: number
}

/** What a swap is linked to: tape index + 1 of the one before it, 0 for none. */
export function linkOf({ tape }: State, index: number, link: number): number {
  return olderLink(tape.u32Of(index)[tape.at(index) + link], index, 'swaps of a mint or position')
}

export function chainOfToken(state: State, token: number): SwapChain {
  return {
    name: String(token),
    total: state.tokens.get(token, TokenLane.swaps),
    newestPlus1: state.tokens.get(token, TokenLane.lastSwapPlus1),
    link: SwapLane.previousInMint,
  }
}

/** Swaps of a position, those on routes that its coin only passed through among them. */
function swapsOf(state: State, position: number): number {
  const [buys, sells, flags] = [PositionLane.buys, PositionLane.sells, PositionLane.flags].map(
    (lane) => positionLane(state, position, lane),
  )
  return buys + sells + (flags >>> PASSED_SHIFT)
}

/** Swaps of one wallet in a mint, by its position. */
export function chainOfPosition(state: State, position: number): SwapChain {
  const [token, wallet] = [PositionLane.token, PositionLane.wallet].map((lane) =>
    positionLane(state, position, lane),
  )
  return {
    name: `${token}/${wallet}`,
    total: swapsOf(state, position),
    newestPlus1: positionLane(state, position, PositionLane.lastSwapPlus1),
    link: SwapLane.previousInPosition,
  }
}

/**
 * `engine/history` reads swaps and bars that lie far back, in memory or on the disk. In: rows of tokens and positions. Out: tape indexes,
 * bars, copies of trades. A place that is remembered is of what no late event reaches, so it stays right.
 *
 * Pages of chains of swaps, newest first. What lies deep is a long way down the links, each a wait for
 * memory or for the disk: places are remembered on the way, so that it can be gone in pieces, and
 * need not be gone again. A swap that no late event reaches keeps its place and its number for good.
 */
export class SwapChains {
  readonly #state: State
  readonly #settledSwaps: () => number
  readonly #places = new LRUCache<string, Uint32Array>({
    maxSize: PLACES_MAX,
    sizeCalculation: (places) => places.length,
  })
  /** Where reading a page goes on: the next swap of it (+ 1), and how many are left. */
  readonly #walks = new LRUCache<string, { nextPlus1: number; left: number }>({
    max: PAGE_WALKS_MAX,
  })

  /** `settledSwaps`: tape index up to which nothing changes any more. */
  constructor(state: State, settledSwaps: () => number) {
    this.#state = state
    this.#settledSwaps = settledSwaps
  }

  get bytes(): number {
    return this.#places.calculatedSize * Uint32Array.BYTES_PER_ELEMENT
  }

  /** Forgets all: the tape is another one. */
  drop(): void {
    this.#places.clear()
    this.#walks.clear()
  }

  /**
   * Tape indexes of the swaps of a page, which is from 1.
   * @throws OutOfTime on the way to it, or along it where it lies on the disk
   */
  page(chain: SwapChain, page: number, limit: number, budget: Budget): readonly number[] {
    const skipped = (page - 1) * limit
    if (skipped >= chain.total) return []
    if (skipped > WALKED_MAX)
      return this.from(chain, this.#find(chain, chain.total - skipped, budget), limit, budget)
    return this.from(chain, chain.newestPlus1, skipped + limit, budget).slice(skipped)
  }

  /**
   * Tape indexes of up to `count` swaps of a chain, from one (tape index + 1) on.
   * @throws OutOfTime where they lie on the disk
   */
  from(chain: SwapChain, firstPlus1: number, count: number, budget: Budget): readonly number[] {
    if (this.#state.tape.firstInMemory > 0) this.#load(chain, firstPlus1, count, budget)
    const swaps: number[] = []
    let next = firstPlus1
    for (; next !== 0 && swaps.length < count; next = linkOf(this.#state, next - 1, chain.link))
      swaps.push(next - 1)
    return swaps
  }

  /** Reads swaps so that the archive keeps their blocks: pieces of a page are read once. */
  #load({ name, link }: SwapChain, firstPlus1: number, count: number, budget: Budget): void {
    const { tape } = this.#state
    const key = `${name} ${firstPlus1} ${count}`
    const walk = this.#walks.get(key) ?? { nextPlus1: firstPlus1, left: count }
    while (walk.nextPlus1 !== 0 && walk.left > 0) {
      const isOnDisk = walk.nextPlus1 <= tape.firstInMemory
      walk.nextPlus1 = linkOf(this.#state, walk.nextPlus1 - 1, link)
      walk.left -= 1
      if (!isOnDisk || budget.hasTime()) continue
      this.#walks.set(key, walk)
      throw new OutOfTime()
    }
    this.#walks.delete(key)
  }

  /** Tape index + 1 of the swap of a number, of which the oldest has 1. */
  #find(chain: SwapChain, number: number, budget: Budget): number {
    const places = this.#placesOf(chain)
    const settled = this.#settledSwaps()
    let place = Math.ceil(number / REMEMBERED_EVERY)
    const last = Math.floor(chain.total / REMEMBERED_EVERY)
    while (place <= last && places[place] === 0) place++
    let at = place <= last ? place * REMEMBERED_EVERY : chain.total
    let next = place <= last ? places[place] : chain.newestPlus1
    while (at > number) {
      next = next === 0 ? 0 : linkOf(this.#state, next - 1, chain.link)
      at -= 1
      if (at % REMEMBERED_EVERY !== 0 || next > settled) continue
      places[at / REMEMBERED_EVERY] = next
      if (at > number) budget.throwIfSpent()
    }
    return next
  }

  /** Places of a chain by number / REMEMBERED_EVERY; 0 for those not known. */
  #placesOf({ name, total }: SwapChain): Uint32Array {
    const known = this.#places.get(name)
    const count = Math.floor(total / REMEMBERED_EVERY) + 1
    if (known !== undefined && known.length >= count) return known
    const places = new Uint32Array(Math.ceil(count * 1.25))
    if (known !== undefined) places.set(known)
    this.#places.set(name, places)
    return places
  }
}

export function markOf(tape: Tape, index: number): SwapMark {
  const u32 = tape.u32Of(index)
  const at = tape.at(index)
  return { index, ordinal: u32[at + SwapLane.ordinal], word: u32[at + SwapLane.signature] }
}

/** Index of the swap of a mark that has moved on by less than `moves` since; -1 when there is none. */
export function indexOfMark(tape: Tape, mark: SwapMark, moves: number): number {
  const end = Math.min(tape.count, mark.index + moves)
  for (let index = mark.index; index < end; index++) {
    const u32 = tape.u32Of(index)
    const at = tape.at(index)
    if (u32[at + SwapLane.signature] === mark.word && u32[at + SwapLane.ordinal] === mark.ordinal)
      return index
  }
  return -1
}

/** Records looked at for one that late swaps may have moved: more are not told late before it is settled. */
const MOVES_MAX = 1_024

/** All swaps of a mint, oldest first. */
export function swapsOldestFirst(state: State, token: number): number[] {
  const swaps: number[] = []
  let next = state.tokens.get(token, TokenLane.lastSwapPlus1)
  for (; next !== 0; next = linkOf(state, next - 1, SwapLane.previousInMint)) swaps.push(next - 1)
  return swaps.reverse()
}

/** A mint, or one wallet in it. */
export interface SwapsOf {
  readonly token: number
  readonly position: number | null
}

/** Their swaps. */
export function chainOf(state: State, { token, position }: SwapsOf): SwapChain {
  return position === null ? chainOfToken(state, token) : chainOfPosition(state, position)
}

/**
 * The chain of swaps, and in it the first (tape index + 1, 0 for none) older than the one of a mark
 * (null: the newest); null when that is no swap of theirs.
 */
export function chainBehind(
  state: State,
  of: SwapsOf,
  mark: SwapMark | null,
): { readonly chain: SwapChain; readonly firstPlus1: number } | null {
  const chain = chainOf(state, of)
  if (mark === null) return { chain, firstPlus1: chain.newestPlus1 }
  const at = swapOf(state, of, mark)
  return at < 0 ? null : { chain, firstPlus1: linkOf(state, at, chain.link) }
}

/** Their swap of a mark, -1 when there is none. */
function swapOf(state: State, of: SwapsOf, mark: SwapMark): number {
  const { tape } = state
  const index = indexOfMark(tape, mark, MOVES_MAX)
  if (index < 0) return -1
  const at = tape.at(index)
  const u32 = tape.u32Of(index)
  const wallet = of.position === null ? -1 : positionLane(state, of.position, PositionLane.wallet)
  const isTheirs =
    u32[at + SwapLane.token] === of.token && (wallet < 0 || walletOf(u32, at) === wallet)
  return isTheirs ? index : -1
}
