import { B, TokenFlag } from './layout.ts'
import { completionOf, flagsOf, Lifecycle, lifecycleOf } from './lifecycle.ts'
import type { State } from './state.ts'
import { compareKeys } from './x-links.ts'

/** Above this share of changed tokens sorting anew is cheaper than placing each. */
const SORT_SHARE = 8

/** Changed tokens that wait for a reader; from there on the writer places them itself. */
const DIRTY_TOKENS_MAX = 1_024

const FIRST_TOKENS = 1024

const IN_CREATED = 1
const IN_GRADUATED = 2
const IN_COMPLETING = 4

/**
 * The orders of the token tables, brought up to date when somebody reads: all tokens by creation,
 * the graduated by migration, the completing by completion (contract section 3.7). The fold only
 * notes which tokens changed. Lists run oldest first; tables read them from the end.
 */
export class TokenOrder {
  readonly #state: State
  #created: number[] = []
  #graduated: number[] = []
  #completing: number[] = []
  /** Per token: the lists it stands in. */
  #listed = new Uint8Array(FIRST_TOKENS)
  #isDirty = new Uint8Array(FIRST_TOKENS)
  #dirty: number[] = []
  readonly #moved = new Set<number>()

  constructor(state: State) {
    this.#state = state
  }

  /** A swap changed the token: its completion may have. */
  touch(token: number): void {
    if (token >= this.#isDirty.length) this.#widen(token)
    if (this.#isDirty[token] !== 0) return
    this.#isDirty[token] = 1
    this.#dirty.push(token)
  }

  /** The token was created, migrated or rolled back: its place may be another. */
  touchPlace(token: number): void {
    this.touch(token)
    this.#moved.add(token)
  }

  /** Brings the orders up to date when much has changed, so that no reader waits for all of it. */
  keepUp(): void {
    if (this.#dirty.length >= DIRTY_TOKENS_MAX) this.#refresh()
  }

  /** All tokens, oldest first. */
  get created(): readonly number[] {
    this.#refresh()
    return this.#created
  }

  /** By migration, oldest first. */
  get graduated(): readonly number[] {
    this.#refresh()
    return this.#graduated
  }

  /** By completion, least first. */
  get completing(): readonly number[] {
    this.#refresh()
    return this.#completing
  }

  /** Makes the orders anew from the rows, as after loading them: one sort for each. */
  rebuild(): void {
    const { count } = this.#state.tokens
    this.#created = []
    this.#graduated = []
    this.#completing = []
    this.#listed = new Uint8Array(Math.max(count, FIRST_TOKENS))
    this.#isDirty = new Uint8Array(Math.max(count, FIRST_TOKENS))
    this.#dirty = []
    this.#moved.clear()
    for (let token = 0; token < count; token++) this.#list(token)
    this.#created.sort((a, b) => this.#compareCreated(a, b))
    this.#graduated.sort((a, b) => this.#compareGraduated(a, b))
    this.#completing.sort((a, b) => this.#compareCompleting(a, b))
  }

  /** Puts a token at the end of the lists it belongs in. */
  #list(token: number): void {
    const flags = flagsOf(this.#state, token)
    if (flags & TokenFlag.exists) {
      this.#created.push(token)
      this.#listed[token] |= IN_CREATED
    }
    if (flags & TokenFlag.graduated) {
      this.#graduated.push(token)
      this.#listed[token] |= IN_GRADUATED
    }
    if (this.#isCompleting(token)) {
      this.#completing.push(token)
      this.#listed[token] |= IN_COMPLETING
    }
  }

  #isCompleting(token: number): boolean {
    return (
      (flagsOf(this.#state, token) & TokenFlag.exists) !== 0 &&
      lifecycleOf(this.#state, token) === Lifecycle.completing
    )
  }

  #refresh(): void {
    if (this.#dirty.length === 0) return
    if (this.#moved.size > 0) this.#replaceMoved()
    this.#replaceCompleting()
    for (const token of this.#dirty) this.#isDirty[token] = 0
    this.#dirty = []
    this.#moved.clear()
  }

  #replaceMoved(): void {
    const moved = this.#moved
    let listed = 0
    for (const token of moved) listed |= this.#listed[token]
    if (listed & IN_CREATED) this.#created = this.#created.filter((token) => !moved.has(token))
    if (listed & IN_GRADUATED)
      this.#graduated = this.#graduated.filter((token) => !moved.has(token))
    for (const token of moved) {
      const flags = flagsOf(this.#state, token)
      this.#listed[token] &= IN_COMPLETING
      if (flags & TokenFlag.exists) {
        insertFromEnd(this.#created, token, (a, b) => this.#compareCreated(a, b))
        this.#listed[token] |= IN_CREATED
      }
      if (flags & TokenFlag.graduated) {
        insertFromEnd(this.#graduated, token, (a, b) => this.#compareGraduated(a, b))
        this.#listed[token] |= IN_GRADUATED
      }
    }
  }

  #replaceCompleting(): void {
    let hasListed = false
    for (const token of this.#dirty) if (this.#listed[token] & IN_COMPLETING) hasListed = true
    if (hasListed) this.#completing = this.#completing.filter((token) => this.#isDirty[token] === 0)
    const entering = this.#dirty.filter((token) => {
      const isIn = this.#isCompleting(token)
      if (isIn) this.#listed[token] |= IN_COMPLETING
      else this.#listed[token] &= ~IN_COMPLETING
      return isIn
    })
    if (entering.length * SORT_SHARE > this.#completing.length) {
      this.#completing.push(...entering)
      this.#completing.sort((a, b) => this.#compareCompleting(a, b))
    } else
      for (const token of entering)
        insertByHalving(this.#completing, token, (a, b) => this.#compareCompleting(a, b))
  }

  #compareCreated(a: number, b: number): number {
    return this.#tiesByMint(a, b, B.createdSlotF, B.createdTxIndex, B.createdOrdinal)
  }

  #compareGraduated(a: number, b: number): number {
    return this.#tiesByMint(a, b, B.graduatedSlotF, B.graduatedTxIndex, B.graduatedOrdinal)
  }

  #compareCompleting(a: number, b: number): number {
    const difference = completionOf(this.#state, a) - completionOf(this.#state, b)
    return difference !== 0 ? difference : this.#compareCreated(a, b)
  }

  /** Lists are read from the end, so equal keys stand with their mints descending. */
  #tiesByMint(a: number, b: number, slotF: number, txIndex: number, ordinal: number): number {
    return compareKeys(this.#state, a, b, slotF, txIndex, ordinal, -1)
  }

  #widen(token: number): void {
    const size = Math.max(token + 1, this.#isDirty.length * 2)
    const isDirty = new Uint8Array(size)
    isDirty.set(this.#isDirty)
    this.#isDirty = isDirty
    const listed = new Uint8Array(size)
    listed.set(this.#listed)
    this.#listed = listed
  }
}

type Compare = (a: number, b: number) => number

/** New tokens are nearly always the newest: look for the place from the end. */
function insertFromEnd(list: number[], token: number, compare: Compare): void {
  let at = list.length
  while (at > 0 && compare(list[at - 1], token) > 0) at--
  if (at === list.length) list.push(token)
  else list.splice(at, 0, token)
}

function insertByHalving(list: number[], token: number, compare: Compare): void {
  let low = 0
  let high = list.length
  while (low < high) {
    const middle = (low + high) >>> 1
    if (compare(list[middle], token) > 0) high = middle
    else low = middle + 1
  }
  list.splice(low, 0, token)
}
