import { CANDIDATES_WASM } from './candidates-wasm.ts'

/** Tokens of a word of bits. */
const WORD_TOKENS = 32
const VALUE_BYTES = 4
const FIRST_TOKENS = 1 << 15
/** Candidates that are told one by one. */
const TOLD_MAX = 128
/** Tokens that are looked at together. */
const BATCH_TOKENS = 1_024
const PAGE_BYTES = 1 << 16
/** Past it no column is made narrow, and filters compare its values token by token. */
const BYTES_MAX = 1 << 28
/** Pages of the module's memory, as candidates.wat has it. */
const PAGES_MAX = 1 << 16
const U32_MAX = 2 ** 32 - 1

/** What candidates.wat exports. Places are in bytes; bits go to `end`. */
interface Kernels {
  keepValues(bits: number, end: number, values: number, least: number, most: number): void
  keepCounts(bits: number, end: number, counts: number, least: number, span: number): void
  keepCountsOf(
    ...[bits, end, numbers, counts, least, span]: [number, number, number, number, number, number]
  ): void
  keepMembers(bits: number, end: number, lists: number, list: number): void
  collect(bits: number, end: number, out: number, most: number): number
  filter(tokens: number, count: number, bits: number): number
}

interface Memory {
  readonly buffer: SharedArrayBuffer
  /** @throws RangeError where there is no memory for so many pages more */
  grow(pages: number): number
}

/** What is used of it here; the types of Node leave it out. */
declare const WebAssembly: {
  readonly Module: new (bytes: Uint8Array) => object
  readonly Memory: new (limits: { initial: number; maximum: number; shared: true }) => Memory
  readonly Instance: new (
    module: object,
    imports: { readonly host: { readonly memory: Memory } },
  ) => { readonly exports: Kernels }
}

let compiled: object | null = null

/** Some tokens in the order of a table, which is read from the end: those from `from` to before `to`. */
export interface TokenRun {
  readonly tokens: Uint32Array
  readonly from: number
  readonly to: number
}

/** The values of a column in 32 bits each, in the memory of the candidates: numbers or counts, by token. */
export class NarrowColumn {
  f32: Float32Array = new Float32Array(0)
  u32: Uint32Array = new Uint32Array(0)
  u8: Uint8Array = new Uint8Array(0)
  /** In bytes; 0 once it was given up: what is written to it is then lost. */
  at = 0
}

/**
 * The tokens that may pass a filter, as bits. Conditions take tokens out, 32 at a time in WebAssembly (candidates.wat),
 * each along its column, narrowed to 32 bits a token. Rounding keeps the order of values, so no token that passes is taken
 * out; those that stay are to be compared exactly. Without memory for it there are no candidates.
 */
export class Candidates {
  readonly #tokens: { readonly count: number }
  #memory: Memory | null = null
  #kernels: Kernels | null = null
  #bits: Uint32Array = new Uint32Array(0)
  #batch: Uint32Array = new Uint32Array(0)
  /** Tokens that each narrow column has room for. */
  #room = 0
  readonly #columns: NarrowColumn[] = []
  #lent: NarrowColumn | null = null
  /** End of the bits in use, in bytes. */
  #end = 0

  /** `tokens` are all that there are. */
  constructor(tokens: { readonly count: number }) {
    this.#tokens = tokens
  }

  get bytes(): number {
    return this.#memory?.buffer.byteLength ?? 0
  }

  /** Tokens that it is about. */
  get count(): number {
    return this.#tokens.count
  }

  /** Makes all tokens candidates; false: there is no memory for it. */
  begin(): boolean {
    const { count } = this.#tokens
    if ((this.#room === 0 || count > this.#room) && !this.#renew(count)) return false
    const words = Math.ceil(count / WORD_TOKENS)
    this.#end = words * VALUE_BYTES
    this.#bits.fill(U32_MAX, 0, words)
    const rest = count % WORD_TOKENS
    if (rest > 0) this.#bits[words - 1] = 2 ** rest - 1
    return true
  }

  /** Narrow columns are given up, and made again by those that are asked for. */
  #renew(count: number): boolean {
    let room = FIRST_TOKENS
    while (room < count) room *= 2
    for (const column of this.#columns) Object.assign(column, new NarrowColumn())
    this.#columns.length = 0
    this.#room = 0
    try {
      const initial = pagesOf(firstColumnAt(room))
      const memory = new WebAssembly.Memory({ initial, maximum: PAGES_MAX, shared: true })
      compiled ??= new WebAssembly.Module(Buffer.from(CANDIDATES_WASM, 'base64'))
      this.#kernels = new WebAssembly.Instance(compiled, { host: { memory } }).exports
      this.#memory = memory
      this.#bits = new Uint32Array(memory.buffer, 0, room / WORD_TOKENS)
      this.#batch = new Uint32Array(memory.buffer, room / 8, BATCH_TOKENS)
      this.#room = room
      return true
    } catch (error) {
      if (error instanceof RangeError) return false
      throw error
    }
  }

  /** The column, or in place of one that was given up a new one, filled by `fill`; null: there is no memory for it. */
  kept(
    column: NarrowColumn | null,
    fill: (column: NarrowColumn) => void = () => {},
  ): NarrowColumn | null {
    if (column !== null && column.at > 0) return column
    const made = this.#newColumn()
    if (made !== null) fill(made)
    return made
  }

  #newColumn(): NarrowColumn | null {
    const memory = this.#memory
    const at = firstColumnAt(this.#room) + this.#columns.length * this.#room * VALUE_BYTES
    const end = at + this.#room * VALUE_BYTES
    if (memory === null || end > BYTES_MAX) return null
    const missing = pagesOf(end) - pagesOf(memory.buffer.byteLength)
    try {
      if (missing > 0) memory.grow(missing)
    } catch (error) {
      if (error instanceof RangeError) return null
      throw error
    }
    const column = new NarrowColumn()
    column.at = at
    column.f32 = new Float32Array(memory.buffer, at, this.#room)
    column.u32 = new Uint32Array(memory.buffer, at, this.#room)
    column.u8 = new Uint8Array(memory.buffer, at, this.#room * VALUE_BYTES)
    this.#columns.push(column)
    return column
  }

  /** One with the counts of all tokens, good until the next call; null: there is no memory for it. */
  lent(counts: Uint32Array): NarrowColumn | null {
    const lent = this.#lentOne()
    lent?.u32.set(counts.subarray(0, this.count))
    return lent
  }

  #lentOne(): NarrowColumn | null {
    this.#lent = this.kept(this.#lent)
    return this.#lent
  }

  /** Keeps the tokens that have a number in `lists`, by token; false: there is no memory to look. */
  keepMembers(lists: Uint8Array, list: number): boolean {
    const lent = this.#lentOne()
    if (lent === null) return false
    lent.u8.set(lists.subarray(0, this.count))
    lent.u8.fill(0, lists.length, this.count)
    this.#kernels?.keepMembers(0, this.#end, lent.at, list)
    return true
  }

  /** Keeps the tokens whose values are within the bounds, as far as 32 bits tell, or are NaN. */
  keepValues({ at }: NarrowColumn, min: number, max: number): void {
    this.#kernels?.keepValues(0, this.#end, at, min, max)
  }

  /** Keeps the tokens whose counts are within the bounds. */
  keepCounts({ at }: NarrowColumn, min: number, max: number): void {
    const [least, span] = this.#spanOf(min, max)
    if (span >= 0) this.#kernels?.keepCounts(0, this.#end, at, least, span)
  }

  /** Keeps the tokens whose counts are within the bounds; `numbers` has by token the place of its count in `counts`. */
  keepCountsOf(numbers: NarrowColumn, counts: NarrowColumn, min: number, max: number): void {
    const [least, span] = this.#spanOf(min, max)
    if (span >= 0) this.#kernels?.keepCountsOf(0, this.#end, numbers.at, counts.at, least, span)
  }

  /** The least count, and how much greater ones may be; without any, no token is a candidate. */
  #spanOf(min: number, max: number): readonly [least: number, span: number] {
    const least = Math.max(0, Math.ceil(min))
    const span = Math.min(U32_MAX, Math.floor(max)) - least
    if (span < 0) this.#bits.fill(0)
    return [least, span]
  }

  /** The candidates, the least first, until the next call; null: they are more than `TOLD_MAX`. */
  told(): Uint32Array | null {
    const count = this.#kernels?.collect(0, this.#end, this.#batch.byteOffset, TOLD_MAX) ?? 0
    return count > TOLD_MAX ? null : this.#batch.subarray(0, count)
  }

  /** Copies the candidates of some tokens, 1,024 at most, as `Column.filter` does. */
  filter({ tokens, from, to }: TokenRun, kept: Uint32Array, end: number): number {
    if (this.#kernels === null || from === to) return end
    const batch = this.#batch
    batch.set(tokens.subarray(from, to))
    const count = to - from
    const first = this.#kernels.filter(batch.byteOffset, count, 0)
    kept.set(batch.subarray(first, count), end - (count - first))
    return end - (count - first)
  }
}

/** Behind the bits and those that are told. */
function firstColumnAt(room: number): number {
  return room / 8 + BATCH_TOKENS * VALUE_BYTES
}

function pagesOf(bytes: number): number {
  return Math.ceil(bytes / PAGE_BYTES)
}
