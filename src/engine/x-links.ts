import { B, B_LANES, M, M_LANES, TokenFlag } from './layout.ts'
import { flagsOf } from './lifecycle.ts'
import { ROW_MASK, ROW_SHIFT } from './memory/rows.ts'
import { widened } from './memory/widened.ts'
import type { State } from './state.ts'

const FIRST_ROWS = 1024

/**
 * Which tokens carry the same X link. The n-th token created with a link re-used it n − 1 times
 * (contract section 2).
 */
export class XLinks {
  readonly #state: State
  /** By address id of a link: its first token plus one, 0 for none. */
  #firsts = new Uint32Array(FIRST_ROWS)
  /** By token: the next one with its link, plus one. */
  #nexts = new Uint32Array(FIRST_ROWS)
  /** By link: no token of it came, went or was created elsewhere since it was ranked. */
  #isRanked = new Uint8Array(FIRST_ROWS)
  /** By token: those before it with its link, while that is ranked. */
  #ranks = new Uint32Array(FIRST_ROWS)

  constructor(state: State) {
    this.#state = state
  }

  get bytes(): number {
    const columns = [this.#firsts, this.#nexts, this.#isRanked, this.#ranks]
    return columns.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Sets the link of a token ("" for none). */
  set(token: number, link: string): void {
    const m = this.#state.metadata.u32[token >>> ROW_SHIFT]
    const at = (token & ROW_MASK) * M_LANES + M.linkPlus1
    const next = link === '' ? 0 : this.#state.book.address(link) + 1
    if (m[at] === next) return
    if (m[at] !== 0) this.#leave(m[at] - 1, token)
    m[at] = next
    if (next !== 0) this.#enter(next - 1, token)
  }

  /** Makes the lists anew from the metadata rows. */
  rebuild(): void {
    this.#firsts.fill(0)
    this.#isRanked.fill(0)
    for (let token = 0; token < this.#state.metadata.count; token++) {
      const link = this.#linkOf(token)
      if (link >= 0) this.#enter(link, token)
    }
  }

  /**
   * The token came to be, or the place of its creation is another. A birth that is taken back needs
   * no word: what was folded after it is folded again, and gives birth anew.
   */
  moved(token: number): void {
    const link = this.#linkOf(token)
    if (link >= 0) this.#isRanked[link] = 0
  }

  /** Tokens created earlier with the same link, of one that exists. */
  reusesOf(token: number): number {
    const link = this.#linkOf(token)
    if (link < 0) return 0
    if (this.#isRanked[link] === 0) this.#rank(link)
    return this.#ranks[token]
  }

  /** Address id of the token's link, or -1. */
  #linkOf(token: number): number {
    const { metadata } = this.#state
    if (token >= metadata.count) return -1
    return metadata.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * M_LANES + M.linkPlus1] - 1
  }

  /** One sort for all tokens of a link: asked one by one, each would look at all the others. */
  #rank(link: number): void {
    const tokens: number[] = []
    for (let next = this.#firsts[link]; next !== 0; next = this.#nexts[next - 1])
      tokens.push(next - 1)
    tokens.sort((a, b) => compareCreation(this.#state, a, b))
    let before = 0
    for (const token of tokens) {
      this.#ranks[token] = before
      if (this.#exists(token)) before += 1
    }
    this.#isRanked[link] = 1
  }

  #exists(token: number): boolean {
    return (flagsOf(this.#state, token) & TokenFlag.exists) !== 0
  }

  #enter(link: number, token: number): void {
    if (link >= this.#firsts.length) {
      const size = Math.max(link + 1, this.#firsts.length * 2)
      this.#firsts = widened(new Uint32Array(size), this.#firsts)
      this.#isRanked = widened(new Uint8Array(size), this.#isRanked)
    }
    if (token >= this.#nexts.length) {
      const size = Math.max(token + 1, this.#nexts.length * 2)
      this.#nexts = widened(new Uint32Array(size), this.#nexts)
      this.#ranks = widened(new Uint32Array(size), this.#ranks)
    }
    this.#nexts[token] = this.#firsts[link]
    this.#firsts[link] = token + 1
    this.#isRanked[link] = 0
  }

  #leave(link: number, token: number): void {
    this.#isRanked[link] = 0
    const next = this.#nexts[token]
    if (this.#firsts[link] === token + 1) {
      this.#firsts[link] = next
      return
    }
    for (let at = this.#firsts[link]; at !== 0; at = this.#nexts[at - 1]) {
      if (this.#nexts[at - 1] !== token + 1) continue
      this.#nexts[at - 1] = next
      return
    }
  }
}

/** Order of creation: slot, tx index, ordinal, arrival where there is no slot, then mint. */
function compareCreation(state: State, a: number, b: number): number {
  const { births, book } = state
  const aAt = (a & ROW_MASK) * B_LANES
  const bAt = (b & ROW_MASK) * B_LANES
  const slots =
    births.f64[a >>> ROW_SHIFT][(aAt >>> 1) + B.createdSlotF] -
    births.f64[b >>> ROW_SHIFT][(bAt >>> 1) + B.createdSlotF]
  if (slots !== 0) return slots
  const aLanes = births.u32[a >>> ROW_SHIFT]
  const bLanes = births.u32[b >>> ROW_SHIFT]
  const transactions = aLanes[aAt + B.createdTxIndex] - bLanes[bAt + B.createdTxIndex]
  if (transactions !== 0) return transactions
  const ordinals = aLanes[aAt + B.createdOrdinal] - bLanes[bAt + B.createdOrdinal]
  if (ordinals !== 0 || a === b) return ordinals
  const arrivals =
    births.f64[a >>> ROW_SHIFT][(aAt >>> 1) + B.createdArrivalF] -
    births.f64[b >>> ROW_SHIFT][(bAt >>> 1) + B.createdArrivalF]
  if (arrivals !== 0) return arrivals
  return book.mintOf(a) < book.mintOf(b) ? -1 : 1
}
