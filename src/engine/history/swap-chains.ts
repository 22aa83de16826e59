import { LRUCache } from 'lru-cache'
import { type Budget, OutOfTime } from '../../base/budget.ts'
import { olderLink } from '../../base/errors.ts'
import { SwapLane, type SwapMark, volumeMicroUsdOf, walletOf } from '../../events/swap-record.ts'
import { positionLane } from '../state/lanes.ts'
import { PASSED_SHIFT, PositionLane, ProfileLane, TokenLane } from '../state/layout.ts'
import { lamportsOfSwap, priceSwap } from '../state/money.ts'
import type { State } from '../state/state.ts'
import { indexOfMark, type Tape } from '../state/tape.ts'

/** The place of one in so many swaps of a chain is remembered after a walk past it. */
const REMEMBERED_EVERY = 64
/** Remembered numbers of all chains, of 4 bytes each: those of the chain read longest ago go first. */
const PLACES_MAX = 1 << 21
/** Pages up to this many swaps behind the newest are walked to. */
const WALKED_MAX = 4 * REMEMBERED_EVERY
/** Pages that are being read from the disk in pieces; a forgotten one starts anew. */
const PAGE_WALKS_MAX = 1_024

/** Later than every swap, whose time has 32 bits. */
const EVER = 2 ** 32

/** Records searched for a swap that late ones may have moved: more are not late before it is settled. */
const MOVES_MAX = 1_024

/** Swaps of a mint, or of one wallet in it, linked from each to the one before. */
interface SwapChain {
  readonly name: string
  readonly total: number
  /** Tape index + 1 of the newest; 0 for none. */
  readonly newestPlus1: number
  /** Lane of the link. */
  readonly link: number
}

/** Remembered places of a chain, by number / REMEMBERED_EVERY. */
interface Places {
  /** Tape index + 1 of the swap there; 0: unknown. */
  readonly swaps: Uint32Array
  /** Earliest time of the swaps from there back to the place before, in unix seconds; 0: unknown. */
  readonly earliest: Uint32Array
}

/** The link of a swap: tape index + 1 of the one before it, 0 for none. */
export function linkOf({ tape }: State, index: number, link: number): number {
  return olderLink(tape.u32Of(index)[tape.at(index) + link], index, 'swaps of a mint or position')
}

/** A mint, or one wallet in it. */
export interface SwapsOf {
  readonly token: number
  readonly position: number | null
}

function chainOf(state: State, { token, position }: SwapsOf): SwapChain {
  if (position === null)
    return {
      name: String(token),
      total: state.tokens.get(token, TokenLane.swaps),
      newestPlus1: state.tokens.get(token, TokenLane.lastSwapPlus1),
      link: SwapLane.previousInMint,
    }
  return chainOfPosition(state, position)
}

/** The swaps of a position. */
export function chainOfPosition(state: State, position: number): SwapChain {
  const lane = (of: number) => positionLane(state, position, of)
  // Swaps on routes that the coin only passed through are in the chain too.
  const passed = lane(PositionLane.flags) >>> PASSED_SHIFT
  return {
    name: `${lane(PositionLane.token)}/${lane(PositionLane.wallet)}`,
    total: lane(PositionLane.buys) + lane(PositionLane.sells) + passed,
    newestPlus1: lane(PositionLane.lastSwapPlus1),
    link: SwapLane.previousInPosition,
  }
}

/**
 * `engine/history` reads swaps and bars that lie far back, in memory or on the disk. In: rows of tokens
 * and positions. Out: tape indexes, bars, copies of trades. Only places that no late event can reach are
 * remembered, so they stay right.
 *
 * Pages of chains of swaps, newest first. A deep page is a long way down the links, each a wait for memory
 * or for the disk: places on the way are remembered, so that a walk can be made in pieces and is not made
 * again. A swap that no late event reaches keeps its place and its number for good.
 */
export class SwapChains {
  readonly #state: State
  readonly #settledSwaps: () => number
  readonly #places = new LRUCache<string, Places>({
    maxSize: PLACES_MAX,
    sizeCalculation: ({ swaps, earliest }) => swaps.length + earliest.length,
  })
  /** Where reading a page continues: its next swap + 1, and how many are left. */
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

  /** Forgets all: the tape was replaced. */
  drop(): void {
    this.#places.clear()
    this.#walks.clear()
  }

  total(of: SwapsOf): number {
    return chainOf(this.#state, of).total
  }

  /**
   * Tape indexes of the swaps of a page, counted from 1.
   * @throws OutOfTime on the way to it, or along it where it lies on the disk
   */
  page(of: SwapsOf, page: number, limit: number, budget: Budget): readonly number[] {
    const chain = chainOf(this.#state, of)
    const skipped = (page - 1) * limit
    if (skipped >= chain.total) return []
    if (skipped > WALKED_MAX)
      return this.#from(chain, this.#find(chain, chain.total - skipped, budget), limit, budget)
    return this.#from(chain, chain.newestPlus1, skipped + limit, budget).slice(skipped)
  }

  /**
   * Tape indexes of up to `limit` swaps older than the one of a mark (null: the newest ones); null when
   * the mark is no swap of theirs.
   * @throws OutOfTime where they lie on the disk
   */
  behind(
    of: SwapsOf,
    mark: SwapMark | null,
    limit: number,
    budget: Budget,
  ): { readonly swaps: readonly number[]; readonly hasMore: boolean } | null {
    const state = this.#state
    const chain = chainOf(state, of)
    const at = mark === null ? -1 : swapOf(state, of, mark)
    if (mark !== null && at < 0) return null
    const firstPlus1 = mark === null ? chain.newestPlus1 : linkOf(state, at, chain.link)
    const swaps = this.#from(chain, firstPlus1, limit, budget)
    const last = swaps.at(-1)
    const hasMore = last !== undefined && linkOf(state, last, chain.link) !== 0
    return { swaps, hasMore }
  }

  /**
   * The newest swap, in the total order, whose time is `seconds` or earlier, and its number (the oldest has 1);
   * null: there is none. Remembered times skip what is later, so that a second call walks one stretch of the chain.
   * @throws OutOfTime on the way to it: the next call goes on from there
   */
  newestUntil(
    of: SwapsOf,
    seconds: number,
    budget: Budget,
  ): { readonly index: number; readonly number: number } | null {
    const { tape } = this.#state
    const chain = chainOf(this.#state, of)
    const { swaps, earliest } = this.#placesOf(chain)
    const settled = this.#settledSwaps()
    let next = chain.newestPlus1
    let walkedFrom = -1
    let least = EVER
    for (let number = chain.total; next !== 0 && seconds >= 0; ) {
      if (number % REMEMBERED_EVERY === 0 && next <= settled) {
        const place = number / REMEMBERED_EVERY
        swaps[place] = next
        if (earliest[place] > seconds) {
          number -= REMEMBERED_EVERY
          next = swaps[place - 1]
          continue
        }
        if (walkedFrom >= 0) budget.throwIfSpent()
        walkedFrom = number
        least = EVER
      }
      const time = tape.u32Of(next - 1)[tape.at(next - 1) + SwapLane.timestamp]
      if (time <= seconds) return { index: next - 1, number }
      least = Math.min(least, time)
      next = linkOf(this.#state, next - 1, chain.link)
      number -= 1
      if (number === walkedFrom - REMEMBERED_EVERY) earliest[walkedFrom / REMEMBERED_EVERY] = least
    }
    return null
  }

  #from(chain: SwapChain, firstPlus1: number, count: number, budget: Budget): readonly number[] {
    if (this.#state.tape.firstInMemory > 0) this.#load(chain, firstPlus1, count, budget)
    const swaps: number[] = []
    let next = firstPlus1
    for (; next !== 0 && swaps.length < count; next = linkOf(this.#state, next - 1, chain.link))
      swaps.push(next - 1)
    return swaps
  }

  /** Reads swaps so that the archive caches their blocks: each piece of a page is read once. */
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

  /** Tape index + 1 of the swap with a number; the oldest has 1. */
  #find(chain: SwapChain, number: number, budget: Budget): number {
    const { swaps: places } = this.#placesOf(chain)
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

  /** Widened as the chain grows. */
  #placesOf({ name, total }: SwapChain): Places {
    const known = this.#places.get(name)
    const count = Math.floor(total / REMEMBERED_EVERY) + 1
    if (known !== undefined && known.swaps.length >= count) return known
    const length = Math.ceil(count * 1.25)
    const places = { swaps: new Uint32Array(length), earliest: new Uint32Array(length) }
    if (known !== undefined) {
      places.swaps.set(known.swaps)
      places.earliest.set(known.earliest)
    }
    this.#places.set(name, places)
    return places
  }
}

/** All swaps of a mint, oldest first. */
export function swapsOldestFirst(state: State, token: number): number[] {
  const swaps: number[] = []
  let next = state.tokens.get(token, TokenLane.lastSwapPlus1)
  for (; next !== 0; next = linkOf(state, next - 1, SwapLane.previousInMint)) swaps.push(next - 1)
  return swaps.reverse()
}

/** Their swap of a mark; -1: none. */
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

/** Unix seconds of the newest swap; 0 where it is not in memory: a load must not wait for the disk, or fail, for a figure. */
export function newestSecondsOf(tape: Tape): number {
  const last = tape.count - 1
  if (last < tape.firstInMemory) return 0
  return tape.u32Of(last)[tape.at(last) + SwapLane.timestamp]
}

/** One trade as the chart sees it. */
export interface ChartTrade {
  /** Of its swap on the tape. */
  index: number
  timestamp: number
  priceUsd: number
  priceSol: number
  microUsd: number
  lamports: number
}

export function noTrade(): ChartTrade {
  return { index: 0, timestamp: 0, priceUsd: 0.5, priceSol: 0.5, microUsd: 0.5, lamports: 0.5 }
}

/** Reads swap `index` of the tape as a trade. */
export function readTrade(state: State, index: number, trade: ChartTrade): void {
  const { tape } = state
  const r = tape.u32Of(index)
  const rf = tape.f64Of(index)
  const at = tape.at(index)
  const token = r[at + SwapLane.token]
  const quote = state.profiles.get(token, ProfileLane.quote)
  const decimals = state.profiles.get(token, ProfileLane.decimals)
  const swapPrice = priceSwap(r, rf, at, quote, decimals)
  trade.index = index
  trade.timestamp = r[at + SwapLane.timestamp]
  trade.priceUsd = swapPrice.usd
  trade.priceSol = swapPrice.sol
  trade.microUsd = volumeMicroUsdOf(r, rf, at)
  trade.lamports = lamportsOfSwap(r, rf, at, quote)
}
