import { stepped } from '../../base/errors.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { widened } from '../memory/views.ts'
import { flagsOf } from '../state/lanes.ts'
import { LifecycleLane, MetadataLane, SeldomLane, TokenFlag } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** The chain in the message of a fault. */
const TOKENS = 'tokens of a link'

const FIRST_ROWS = 1024

/**
 * Which tokens carry the same X link. The n-th token created with a link re-used it n − 1 times
 * (contract section 2).
 */
export class XLinks {
  readonly #state: State
  /** By address id of a link: its first token plus one, 0 for none. */
  #firsts = new Uint32Array(FIRST_ROWS)
  /** By token: the next one with its link, plus one; a link that is ranked has the newest first. */
  #nexts = new Uint32Array(FIRST_ROWS)
  /** By token: those before it with its link, once that is ranked; 0 without a link. */
  #ranks = new Uint32Array(FIRST_ROWS)
  /** By link: since it was ranked a token came out of order, left, or got another place of creation. */
  #isUnranked = new Uint8Array(FIRST_ROWS)
  /** These links, each once. */
  #unranked: number[] = []

  constructor(state: State) {
    this.#state = state
  }

  get bytes(): number {
    const columns = [this.#firsts, this.#nexts, this.#isUnranked, this.#ranks]
    return columns.reduce((sum, { byteLength }) => sum + byteLength, 0)
  }

  /** Sets the link of a token ("" for none). */
  set(token: number, link: string): void {
    const { metadata, book } = this.#state
    const before = metadata.get(token, MetadataLane.linkPlus1)
    const next = link === '' ? 0 : book.address(link) + 1
    if (before === next) return
    if (before !== 0) this.#leave(before - 1, token)
    metadata.set(token, MetadataLane.linkPlus1, next)
    if (next !== 0) this.#enter(next - 1, token)
  }

  /** Makes the lists again from the metadata rows. */
  rebuild(): void {
    this.#firsts.fill(0)
    this.#ranks.fill(0)
    this.#isUnranked.fill(0)
    this.#unranked = []
    for (let token = 0; token < this.#state.metadata.count; token++) {
      const link = this.#linkOf(token)
      if (link >= 0) this.#enter(link, token)
    }
  }

  /**
   * The token was created, or the place of its creation changed. A creation that is taken back needs no call:
   * it is folded again.
   */
  moved(token: number): void {
    const link = this.#linkOf(token)
    if (link >= 0) this.#unrank(link)
  }

  /** Tokens created earlier with the same link, of one that exists. */
  reusesOf(token: number): number {
    return this.reuses(token + 1)[token]
  }

  /** By token, of at least the first `count`: those created earlier with the same link. */
  reuses(count: number): Uint32Array {
    for (const link of this.#unranked) this.#rank(link)
    this.#unranked = []
    if (count > this.#ranks.length) this.#widen(count)
    return this.#ranks
  }

  /** Address id of the token's link, or -1. */
  #linkOf(token: number): number {
    const { metadata } = this.#state
    if (token >= metadata.count) return -1
    return metadata.get(token, MetadataLane.linkPlus1) - 1
  }

  /** One sort for all tokens of a link: one by one, each would be compared with all others. */
  #rank(link: number): void {
    const tokens: number[] = []
    for (let next = this.#firsts[link]; next !== 0; next = this.#nexts[next - 1]) {
      stepped(tokens.length, this.#nexts.length, TOKENS)
      tokens.push(next - 1)
    }
    tokens.sort((a, b) => compareCreation(this.#state, a, b))
    this.#isUnranked[link] = 0
    this.#firsts[link] = 0
    for (const token of tokens) this.#putFirst(link, token)
  }

  /** The token is the newest of its link. */
  #putFirst(link: number, token: number): void {
    const first = this.#firsts[link]
    this.#ranks[token] = first === 0 ? 0 : this.#ranks[first - 1] + Number(this.#exists(first - 1))
    this.#nexts[token] = first
    this.#firsts[link] = token + 1
  }

  #exists(token: number): boolean {
    return (flagsOf(this.#state, token) & TokenFlag.exists) !== 0
  }

  #unrank(link: number): void {
    if (this.#isUnranked[link] !== 0) return
    this.#isUnranked[link] = 1
    this.#unranked.push(link)
  }

  #enter(link: number, token: number): void {
    if (link >= this.#firsts.length) {
      const size = Math.max(link + 1, this.#firsts.length * 2)
      this.#firsts = widened(new Uint32Array(size), this.#firsts)
      this.#isUnranked = widened(new Uint8Array(size), this.#isUnranked)
    }
    if (token >= this.#nexts.length) this.#widen(token + 1)
    const first = this.#firsts[link]
    const isNewest = first === 0 || compareCreation(this.#state, token, first - 1) > 0
    this.#putFirst(link, token)
    if (!isNewest) this.#unrank(link)
  }

  #leave(link: number, token: number): void {
    this.#ranks[token] = 0
    this.#unrank(link)
    const next = this.#nexts[token]
    if (this.#firsts[link] === token + 1) {
      this.#firsts[link] = next
      return
    }
    let steps = 0
    for (let at = this.#firsts[link]; at !== 0; at = this.#nexts[at - 1]) {
      steps = stepped(steps, this.#nexts.length, TOKENS)
      if (this.#nexts[at - 1] !== token + 1) continue
      this.#nexts[at - 1] = next
      return
    }
  }

  #widen(tokens: number): void {
    const size = Math.max(tokens, this.#nexts.length * 2)
    this.#nexts = widened(new Uint32Array(size), this.#nexts)
    this.#ranks = widened(new Uint32Array(size), this.#ranks)
  }
}

/** Order of creation: slot, tx index, ordinal, arrival where there is no slot, then mint. */
function compareCreation(state: State, a: number, b: number): number {
  const { births, seldom, book } = state
  const aAt = (a & ROW_MASK) * LifecycleLane.lanes
  const bAt = (b & ROW_MASK) * LifecycleLane.lanes
  const slots =
    births.f64[a >>> ROW_SHIFT][(aAt >>> 1) + LifecycleLane.createdSlotF] -
    births.f64[b >>> ROW_SHIFT][(bAt >>> 1) + LifecycleLane.createdSlotF]
  if (slots !== 0) return slots
  const aLanes = births.u32[a >>> ROW_SHIFT]
  const bLanes = births.u32[b >>> ROW_SHIFT]
  const transactions =
    aLanes[aAt + LifecycleLane.createdTxIndex] - bLanes[bAt + LifecycleLane.createdTxIndex]
  if (transactions !== 0) return transactions
  const ordinals =
    aLanes[aAt + LifecycleLane.createdOrdinal] - bLanes[bAt + LifecycleLane.createdOrdinal]
  if (ordinals !== 0 || a === b) return ordinals
  const arrivals =
    seldom.getF(a, SeldomLane.createdArrivalF) - seldom.getF(b, SeldomLane.createdArrivalF)
  if (arrivals !== 0) return arrivals
  return book.mintOf(a) < book.mintOf(b) ? -1 : 1
}
