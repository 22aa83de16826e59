import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { widened } from '../memory/views.ts'
import { completionOf, flagsOf, isCompleting } from '../state/lanes.ts'
import { LifecycleLane, SeldomLane, TokenFlag } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** Changed tokens that wait for a read; past it the writer places them itself. */
const DIRTY_TOKENS_MAX = 1_024

const FIRST_TOKENS = 1024

/** Which list a token stands in; in one at most. */
const List = { none: 0, new: 1, completing: 2, graduated: 3 } as const

/**
 * Lanes of the key that a token stands by. f64: the completion or nothing, the slot of the creation
 * or graduation and its arrival; u32: the rest of that event's place.
 */
const FK = { completion: 0, slot: 1, arrival: 2, lanes: 3 } as const
const UK = { txIndex: 0, ordinal: 1, lanes: 2 } as const

/**
 * The orders of the token tables, brought up to date by reads: the new by creation,
 * the graduated by migration, the completing by completion (contract section 3.7). The fold only
 * notes which tokens changed. Lists run oldest first; tables read them from the end.
 */
export class TokenOrder {
  readonly #state: State
  readonly #new = new OrderedTokens((a, b) => this.#compare(a, b))
  readonly #completing = new OrderedTokens((a, b) => this.#compare(a, b))
  readonly #graduated = new OrderedTokens((a, b) => this.#compare(a, b))
  /** Per token: the list it stands in, and the key it stands there by. */
  #listed = new Uint8Array(FIRST_TOKENS)
  #f64 = new Float64Array(FIRST_TOKENS * FK.lanes)
  #u32 = new Uint32Array(FIRST_TOKENS * UK.lanes)
  #isDirty = new Uint8Array(FIRST_TOKENS)
  #dirty: number[] = []
  /** The rows were loaded: the next read makes the orders again. */
  #isStale = false
  /** `arrival`: of an event without a slot, which stands behind the one whose place it has; else 0. */
  readonly #key = { completion: 0, slot: 0, txIndex: 0, ordinal: 0, arrival: 0 }

  constructor(state: State) {
    this.#state = state
  }

  /** The orders, and the columns by token. */
  get bytes(): number {
    const columns = [this.#listed, this.#f64, this.#u32, this.#isDirty]
    const orders = this.#new.bytes + this.#completing.bytes + this.#graduated.bytes
    return columns.reduce((sum, { byteLength }) => sum + byteLength, orders)
  }

  /** What every token's answers depend on has changed. */
  touchAll(): void {
    for (let token = 0; token < this.#state.tokens.count; token++) this.touch(token)
  }

  /** The token changed, and its places may have. */
  touch(token: number): void {
    this.#state.changes.note(token)
    if (this.#isStale) return
    if (token >= this.#isDirty.length) this.#widen(token)
    if (this.#isDirty[token] !== 0) return
    this.#isDirty[token] = 1
    this.#dirty.push(token)
  }

  /** As `touch`, of a swap: most do not move their token, which is cheapest to see while its rows are cached. */
  traded(token: number): void {
    if (this.#staysInPlace(token)) this.#state.changes.note(token)
    else this.touch(token)
  }

  /**
   * Does the token stand where it stood before its swap? The new and the graduated stand by one event each;
   * the fold touches the token when it takes that event back or folds another one.
   */
  #staysInPlace(token: number): boolean {
    if (this.#isStale || token >= this.#listed.length) return false
    const list = this.#listed[token]
    return list !== List.none && list !== List.completing && this.#listOf(token) === list
  }

  /**
   * The rows are other ones: the next read makes the orders again, and all data derived from a token's rows
   * is stale.
   */
  startAnew(): void {
    this.#isStale = true
    this.#state.changes.noteAll(this.#state.tokens.count)
    this.#state.creatorChanges.noteAll()
  }

  /** Brings the orders up to date when much has changed, so that no read waits for all of it. */
  keepUp(): void {
    if (this.#isStale || this.#dirty.length >= DIRTY_TOKENS_MAX) this.#refresh()
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

  /** What a scan reads of a table; good until the next change. */
  scanned(table: Exclude<keyof typeof List, 'none'>) {
    return {
      blocks: this[table].blocks,
      table: {
        lists: this.#listed,
        list: List[table],
        lastFirst: (tokens: Uint32Array) => tokens.sort((a, b) => this.#compare(b, a)),
      },
    }
  }

  /** The place in `GROUPS` of the table that the token belongs to; -1: none. */
  tableOf(token: number): number {
    return this.#listOf(token) - List.new
  }

  /** Does `a` stand before `b` by creation, the newest first, and equal ones by mint? As in the table of the new, of any tokens. */
  comesFirst(a: number, b: number): boolean {
    const { slot, txIndex, ordinal, arrival } = this.#readKey(a, List.new)
    const other = this.#readKey(b, List.new)
    if (slot !== other.slot) return slot > other.slot
    if (txIndex !== other.txIndex) return txIndex > other.txIndex
    if (ordinal !== other.ordinal) return ordinal > other.ordinal
    if (arrival !== other.arrival) return arrival > other.arrival
    const { book } = this.#state
    return book.mintOf(a) < book.mintOf(b)
  }

  /** One sort for each order. */
  #rebuild(): void {
    const { count } = this.#state.tokens
    this.#isStale = false
    this.#listed.fill(0)
    this.#isDirty.fill(0)
    this.#dirty = []
    if (count > this.#isDirty.length) this.#widen(count - 1)
    const tokens: number[][] = [[], [], [], []]
    for (let token = 0; token < count; token++) {
      const list = this.#listOf(token)
      this.#listed[token] = list
      if (list !== List.none) this.#renewKey(token, list)
      tokens[list].push(token)
    }
    this.#new.reset(tokens[List.new])
    this.#completing.reset(tokens[List.completing])
    this.#graduated.reset(tokens[List.graduated])
  }

  #refresh(): void {
    if (this.#isStale) this.#rebuild()
    if (this.#dirty.length === 0) return
    for (const token of this.#dirty) {
      this.#isDirty[token] = 0
      this.#place(token)
    }
    this.#dirty = []
  }

  /** Puts the token where it belongs, unless it stands there. */
  #place(token: number): void {
    const before = this.#listed[token]
    const now = this.#listOf(token)
    if (before === now && (now === List.none || this.#isPlaced(token, now))) return
    this.#tokensOf(before)?.remove(token)
    if (now !== List.none) this.#renewKey(token, now)
    this.#listed[token] = now
    this.#tokensOf(now)?.add(token)
  }

  #tokensOf(list: number): OrderedTokens | null {
    if (list === List.new) return this.#new
    if (list === List.completing) return this.#completing
    return list === List.graduated ? this.#graduated : null
  }

  /** The list the token belongs in. */
  #listOf(token: number): number {
    const flags = flagsOf(this.#state, token)
    if (flags & TokenFlag.graduated) return List.graduated
    if ((flags & TokenFlag.exists) === 0) return List.none
    return isCompleting(this.#state, token) ? List.completing : List.new
  }

  /** Is the token's key in its list what it was? */
  #isPlaced(token: number, list: number): boolean {
    const key = this.#readKey(token, list)
    return (
      this.#f64[token * FK.lanes + FK.completion] === key.completion &&
      this.#f64[token * FK.lanes + FK.slot] === key.slot &&
      this.#f64[token * FK.lanes + FK.arrival] === key.arrival &&
      this.#u32[token * UK.lanes + UK.txIndex] === key.txIndex &&
      this.#u32[token * UK.lanes + UK.ordinal] === key.ordinal
    )
  }

  #renewKey(token: number, list: number): void {
    const key = this.#readKey(token, list)
    this.#f64[token * FK.lanes + FK.completion] = key.completion
    this.#f64[token * FK.lanes + FK.slot] = key.slot
    this.#f64[token * FK.lanes + FK.arrival] = key.arrival
    this.#u32[token * UK.lanes + UK.txIndex] = key.txIndex
    this.#u32[token * UK.lanes + UK.ordinal] = key.ordinal
  }

  /** The key as the rows have it now; only the completing stand by completion, equal ones by creation. */
  #readKey(token: number, list: number) {
    const { births, seldom } = this.#state
    const key = this.#key
    key.completion = list === List.completing ? completionOf(this.#state, token) : 0
    if (list === List.graduated) {
      key.slot = seldom.getF(token, SeldomLane.graduatedSlotF)
      key.txIndex = seldom.get(token, SeldomLane.graduatedTxIndex)
      key.ordinal = seldom.get(token, SeldomLane.graduatedOrdinal)
      key.arrival = seldom.getF(token, SeldomLane.graduatedArrivalF)
      return key
    }
    const at = (token & ROW_MASK) * LifecycleLane.lanes
    key.slot = births.f64[token >>> ROW_SHIFT][(at >>> 1) + LifecycleLane.createdSlotF]
    key.txIndex = births.get(token, LifecycleLane.createdTxIndex)
    key.ordinal = births.get(token, LifecycleLane.createdOrdinal)
    key.arrival = seldom.getF(token, SeldomLane.createdArrivalF)
    return key
  }

  /** 1, -1 or 0: a difference that is no small integer would be garbage after every comparison. */
  #compare(a: number, b: number): number {
    const aF = a * FK.lanes
    const bF = b * FK.lanes
    const completion = this.#f64[aF + FK.completion]
    const other = this.#f64[bF + FK.completion]
    if (completion !== other) return completion < other ? -1 : 1
    const slot = this.#f64[aF + FK.slot]
    const otherSlot = this.#f64[bF + FK.slot]
    if (slot !== otherSlot) return slot < otherSlot ? -1 : 1
    return Math.sign(this.#tie(a, b))
  }

  /** Lists are read from the end, so equal keys stand with their mints descending. */
  #tie(a: number, b: number): number {
    const aAt = a * UK.lanes
    const bAt = b * UK.lanes
    const transactions = this.#u32[aAt + UK.txIndex] - this.#u32[bAt + UK.txIndex]
    if (transactions !== 0) return transactions
    const ordinals = this.#u32[aAt + UK.ordinal] - this.#u32[bAt + UK.ordinal]
    if (ordinals !== 0 || a === b) return ordinals
    const arrivals = this.#f64[a * FK.lanes + FK.arrival] - this.#f64[b * FK.lanes + FK.arrival]
    if (arrivals !== 0) return arrivals
    const { book } = this.#state
    return book.mintOf(a) < book.mintOf(b) ? 1 : -1
  }

  #widen(token: number): void {
    const size = Math.max(token + 1, this.#isDirty.length * 2)
    this.#isDirty = widened(new Uint8Array(size), this.#isDirty)
    this.#listed = widened(new Uint8Array(size), this.#listed)
    this.#f64 = widened(new Float64Array(size * FK.lanes), this.#f64)
    this.#u32 = widened(new Uint32Array(size * UK.lanes), this.#u32)
  }
}

/** Tokens of a block at most: moving half of one costs less than finding the place. */
const BLOCK_TOKENS_MAX = 512

/**
 * Tokens in order, least first, as blocks of a few hundred: one that comes, goes or moves costs a
 * search and the shift of a part of a block, however many there are.
 */
export class OrderedTokens {
  readonly #compare: (a: number, b: number) => number
  /** Never empty ones. */
  #blocks: Block[] = []
  #count = 0

  /** @param compare orders two tokens by keys that stay as they are while both are listed; never 0 for two tokens */
  constructor(compare: (a: number, b: number) => number) {
    this.#compare = compare
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#blocks.length * BLOCK_TOKENS_MAX * Uint32Array.BYTES_PER_ELEMENT
  }

  /** All tokens, least first. */
  get tokens(): number[] {
    return this.#blocks.flatMap(({ tokens, count }) => [...tokens.subarray(0, count)])
  }

  /** The tokens as they lie, a few hundred behind one another; good until the next change. */
  get blocks(): readonly Pick<Block, 'tokens' | 'count'>[] {
    return this.#blocks
  }

  /** Makes it these tokens, in any order. */
  reset(tokens: number[]): void {
    tokens.sort(this.#compare)
    this.#count = tokens.length
    this.#blocks = []
    for (let at = 0; at < tokens.length; at += BLOCK_TOKENS_MAX)
      this.#blocks.push(new Block(tokens.slice(at, at + BLOCK_TOKENS_MAX)))
  }

  /** Adds a token that is not listed. */
  add(token: number): void {
    this.#count += 1
    const place = this.#blockOf(token)
    if (place < 0) {
      this.#blocks.push(new Block([token]))
      return
    }
    const block = this.#blocks[place]
    const at = this.#placeIn(block, token)
    if (block.count < BLOCK_TOKENS_MAX) block.insert(at, token)
    else if (at === block.count && place === this.#blocks.length - 1)
      // The newest come last: the blocks behind them stay full, for long scans.
      this.#blocks.push(new Block([token]))
    else {
      const other = block.split()
      this.#blocks.splice(place + 1, 0, other)
      if (at <= block.count) block.insert(at, token)
      else other.insert(at - block.count, token)
    }
  }

  /** Takes out a token that is listed, by the keys that it was added with. */
  remove(token: number): void {
    this.#count -= 1
    const place = this.#blockOf(token)
    const block = this.#blocks[place]
    block.remove(this.#placeIn(block, token))
    if (block.count === 0) this.#blocks.splice(place, 1)
  }

  /** The last block whose first token is not behind this one, else the first; -1 without blocks. */
  #blockOf(token: number): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.#blocks[middle].tokens[0], token) <= 0) low = middle + 1
      else high = middle
    }
    return low === 0 && this.#blocks.length > 0 ? 0 : low - 1
  }

  /** The first place in a block whose token is not before this one. */
  #placeIn({ tokens, count }: Block, token: number): number {
    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(tokens[middle], token) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Some hundred tokens in order, as a scan reads them: the first `count` of an array that has room for more. */
class Block {
  readonly tokens = new Uint32Array(BLOCK_TOKENS_MAX)
  count: number

  /** BLOCK_TOKENS_MAX tokens at most. */
  constructor(tokens: ArrayLike<number>) {
    this.tokens.set(tokens)
    this.count = tokens.length
  }

  insert(at: number, token: number): void {
    this.tokens.copyWithin(at + 1, at, this.count)
    this.tokens[at] = token
    this.count += 1
  }

  remove(at: number): void {
    this.tokens.copyWithin(at, at + 1, this.count)
    this.count -= 1
  }

  /** Keeps the first half; returns the other. */
  split(): Block {
    const half = this.count >>> 1
    const other = new Block(this.tokens.subarray(half, this.count))
    this.count = half
    return other
  }
}
