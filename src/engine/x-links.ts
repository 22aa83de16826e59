import { B, B_LANES, M, M_LANES, TokenFlag } from './layout.ts'
import { flagsOf } from './lifecycle.ts'
import { ROW_MASK, ROW_SHIFT } from './memory/rows.ts'
import type { State } from './state.ts'

/**
 * Which tokens carry the same X link. The n-th token created with a link re-used it n − 1 times
 * (contract section 2).
 */
export class XLinks {
  readonly #state: State
  /** Address id of the link → its tokens, in order of arrival. */
  readonly #tokens = new Map<number, number[]>()

  constructor(state: State) {
    this.#state = state
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

  /** Makes the lists anew from the metadata rows; their own order tells nothing. */
  rebuild(): void {
    this.#tokens.clear()
    for (let token = 0; token < this.#state.metadata.count; token++) {
      const m = this.#state.metadata.u32[token >>> ROW_SHIFT]
      const link = m[(token & ROW_MASK) * M_LANES + M.linkPlus1]
      if (link !== 0) this.#enter(link - 1, token)
    }
  }

  /** Tokens created earlier with the same link. */
  reusesOf(token: number): number {
    const m = this.#state.metadata.u32[token >>> ROW_SHIFT]
    const link = m[(token & ROW_MASK) * M_LANES + M.linkPlus1]
    if (link === 0) return 0
    let earlier = 0
    for (const other of this.#tokens.get(link - 1) ?? [])
      if (other !== token && this.#exists(other) && compareCreation(this.#state, other, token) < 0)
        earlier += 1
    return earlier
  }

  #exists(token: number): boolean {
    return (flagsOf(this.#state, token) & TokenFlag.exists) !== 0
  }

  #enter(link: number, token: number): void {
    const tokens = this.#tokens.get(link)
    if (tokens === undefined) this.#tokens.set(link, [token])
    else tokens.push(token)
  }

  #leave(link: number, token: number): void {
    const tokens = this.#tokens.get(link)
    if (tokens === undefined) return
    const place = tokens.indexOf(token)
    if (place >= 0) tokens.splice(place, 1)
    if (tokens.length === 0) this.#tokens.delete(link)
  }
}

/** Order of creation: slot, tx index, ordinal, then mint. */
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
  return book.mintOf(a) < book.mintOf(b) ? -1 : 1
}
