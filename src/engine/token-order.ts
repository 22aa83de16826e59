import { B, B_LANES, TokenFlag } from './layout.ts'
import { completionOf, flagsOf, Lifecycle, lifecycleOf } from './lifecycle.ts'
import { ROW_MASK, ROW_SHIFT } from './memory/rows.ts'
import { OrderedTokens } from './ordered-tokens.ts'
import type { State } from './state.ts'

/** Changed tokens that wait for a reader; from there on the writer places them itself. */
const DIRTY_TOKENS_MAX = 1_024

const FIRST_TOKENS = 1024

const IN_NEW = 1
const IN_GRADUATED = 2
const IN_COMPLETING = 4

/** Per token, f64: slot of its creation; its completion, or the slot of its graduation. */
const FK = { createdSlot: 0, rank: 1, lanes: 2 } as const
/** Per token, u32: the rest of both keys. */
const UK = {
  createdTxIndex: 0,
  createdOrdinal: 1,
  rankTxIndex: 2,
  rankOrdinal: 3,
  lanes: 4,
} as const

/**
 * The orders of the token tables, brought up to date when somebody reads: the new by creation,
 * the graduated by migration, the completing by completion (contract section 3.7). The fold only
 * notes which tokens changed. Lists run oldest first; tables read them from the end.
 */
export class TokenOrder {
  readonly #state: State
  readonly #new = new OrderedTokens((a, b) => this.#compareCreated(a, b))
  readonly #graduated = new OrderedTokens((a, b) => this.#compareRank(a, b))
  readonly #completing = new OrderedTokens((a, b) => this.#compareCompleting(a, b))
  /** Per token: the lists it stands in, and the keys it stands there by. */
  #listed = new Uint8Array(FIRST_TOKENS)
  #f64 = new Float64Array(FIRST_TOKENS * FK.lanes)
  #u32 = new Uint32Array(FIRST_TOKENS * UK.lanes)
  #isDirty = new Uint8Array(FIRST_TOKENS)
  #dirty: number[] = []

  constructor(state: State) {
    this.#state = state
  }

  /** The token changed: its places may have. */
  touch(token: number): void {
    this.#state.changes.note(token)
    if (token >= this.#isDirty.length) this.#widen(token)
    if (this.#isDirty[token] !== 0) return
    this.#isDirty[token] = 1
    this.#dirty.push(token)
  }

  /** Brings the orders up to date when much has changed, so that no reader waits for all of it. */
  keepUp(): void {
    if (this.#dirty.length >= DIRTY_TOKENS_MAX) this.#refresh()
  }

  /** By creation, oldest first. */
  get new(): OrderedTokens {
    this.#refresh()
    return this.#new
  }

  /** By migration, oldest first. */
  get graduated(): OrderedTokens {
    this.#refresh()
    return this.#graduated
  }

  /** By completion, least first. */
  get completing(): OrderedTokens {
    this.#refresh()
    return this.#completing
  }

  /** Makes the orders anew from the rows, as after loading them: one sort for each. */
  rebuild(): void {
    const { count } = this.#state.tokens
    this.#listed.fill(0)
    this.#isDirty.fill(0)
    this.#dirty = []
    if (count > this.#isDirty.length) this.#widen(count - 1)
    const lists: [number[], number[], number[]] = [[], [], []]
    for (let token = 0; token < count; token++) {
      const lasting = this.#listsOf(token)
      this.#listed[token] = lasting
      this.#noteKeys(token, lasting)
      if (lasting & IN_NEW) lists[0].push(token)
      if (lasting & IN_GRADUATED) lists[1].push(token)
      if (lasting & IN_COMPLETING) lists[2].push(token)
    }
    this.#new.reset(lists[0])
    this.#graduated.reset(lists[1])
    this.#completing.reset(lists[2])
  }

  #refresh(): void {
    if (this.#dirty.length === 0) return
    for (const token of this.#dirty) {
      this.#isDirty[token] = 0
      this.#place(token)
    }
    this.#dirty = []
  }

  /** Takes the token out of lists where its key is another now, and puts it where it belongs. */
  #place(token: number): void {
    const before = this.#listed[token]
    const now = this.#listsOf(token)
    const stays = this.#staying(token, before & now)
    if (stays === before && stays === now) return
    const leaves = before & ~stays
    if (leaves & IN_NEW) this.#new.remove(token)
    if (leaves & IN_GRADUATED) this.#graduated.remove(token)
    if (leaves & IN_COMPLETING) this.#completing.remove(token)
    this.#noteKeys(token, now)
    this.#listed[token] = now
    const enters = now & ~stays
    if (enters & IN_NEW) this.#new.add(token)
    if (enters & IN_GRADUATED) this.#graduated.add(token)
    if (enters & IN_COMPLETING) this.#completing.add(token)
  }

  /** The list the token belongs in, 0 for none. */
  #listsOf(token: number): number {
    const flags = flagsOf(this.#state, token)
    if (flags & TokenFlag.graduated) return IN_GRADUATED
    if ((flags & TokenFlag.exists) === 0) return 0
    return lifecycleOf(this.#state, token) === Lifecycle.completing ? IN_COMPLETING : IN_NEW
  }

  /** Of these lists, those in which the token's keys are what they were. */
  #staying(token: number, lists: number): number {
    if (lists === 0) return 0
    const { births } = this.#state
    const f64 = births.f64[token >>> ROW_SHIFT]
    const u32 = births.u32[token >>> ROW_SHIFT]
    const at = (token & ROW_MASK) * B_LANES
    const atF = at >>> 1
    const f = token * FK.lanes
    const u = token * UK.lanes
    const isCreatedSame =
      this.#f64[f + FK.createdSlot] === f64[atF + B.createdSlotF] &&
      this.#u32[u + UK.createdTxIndex] === u32[at + B.createdTxIndex] &&
      this.#u32[u + UK.createdOrdinal] === u32[at + B.createdOrdinal]
    let stays = isCreatedSame ? lists & IN_NEW : 0
    if (
      lists & IN_GRADUATED &&
      this.#f64[f + FK.rank] === f64[atF + B.graduatedSlotF] &&
      this.#u32[u + UK.rankTxIndex] === u32[at + B.graduatedTxIndex] &&
      this.#u32[u + UK.rankOrdinal] === u32[at + B.graduatedOrdinal]
    )
      stays |= IN_GRADUATED
    // Equal completions stand by creation.
    if (lists & IN_COMPLETING && isCreatedSame)
      if (this.#f64[f + FK.rank] === completionOf(this.#state, token)) stays |= IN_COMPLETING
    return stays
  }

  #noteKeys(token: number, lists: number): void {
    const { births } = this.#state
    const f64 = births.f64[token >>> ROW_SHIFT]
    const u32 = births.u32[token >>> ROW_SHIFT]
    const at = (token & ROW_MASK) * B_LANES
    const atF = at >>> 1
    const f = token * FK.lanes
    const u = token * UK.lanes
    this.#f64[f + FK.createdSlot] = f64[atF + B.createdSlotF]
    this.#u32[u + UK.createdTxIndex] = u32[at + B.createdTxIndex]
    this.#u32[u + UK.createdOrdinal] = u32[at + B.createdOrdinal]
    if (lists & IN_GRADUATED) {
      this.#f64[f + FK.rank] = f64[atF + B.graduatedSlotF]
      this.#u32[u + UK.rankTxIndex] = u32[at + B.graduatedTxIndex]
      this.#u32[u + UK.rankOrdinal] = u32[at + B.graduatedOrdinal]
    }
    if (lists & IN_COMPLETING) this.#f64[f + FK.rank] = completionOf(this.#state, token)
  }

  #compareCreated(a: number, b: number): number {
    const slots =
      this.#f64[a * FK.lanes + FK.createdSlot] - this.#f64[b * FK.lanes + FK.createdSlot]
    if (slots !== 0) return slots
    return this.#tie(a, b, UK.createdTxIndex, UK.createdOrdinal)
  }

  #compareRank(a: number, b: number): number {
    const slots = this.#f64[a * FK.lanes + FK.rank] - this.#f64[b * FK.lanes + FK.rank]
    return slots !== 0 ? slots : this.#tie(a, b, UK.rankTxIndex, UK.rankOrdinal)
  }

  #compareCompleting(a: number, b: number): number {
    const completions = this.#f64[a * FK.lanes + FK.rank] - this.#f64[b * FK.lanes + FK.rank]
    return completions !== 0 ? completions : this.#compareCreated(a, b)
  }

  /** Lists are read from the end, so equal keys stand with their mints descending. */
  #tie(a: number, b: number, txIndex: number, ordinal: number): number {
    const aAt = a * UK.lanes
    const bAt = b * UK.lanes
    const transactions = this.#u32[aAt + txIndex] - this.#u32[bAt + txIndex]
    if (transactions !== 0) return transactions
    const ordinals = this.#u32[aAt + ordinal] - this.#u32[bAt + ordinal]
    if (ordinals !== 0 || a === b) return ordinals
    const { book } = this.#state
    return book.mintOf(a) < book.mintOf(b) ? 1 : -1
  }

  #widen(token: number): void {
    const size = Math.max(token + 1, this.#isDirty.length * 2)
    this.#isDirty = copied(new Uint8Array(size), this.#isDirty)
    this.#listed = copied(new Uint8Array(size), this.#listed)
    this.#f64 = copied(new Float64Array(size * FK.lanes), this.#f64)
    this.#u32 = copied(new Uint32Array(size * UK.lanes), this.#u32)
  }
}

function copied<T extends { set(from: T): void }>(to: T, from: T): T {
  to.set(from)
  return to
}
