import { widened } from '../../engine/memory/views.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { State } from '../../engine/state/state.ts'
import { finiteNumber } from '../../protocol/wire.ts'
import type { Candidates, NarrowColumn, TokenRun } from './candidates.ts'
import { FIRST_TOKENS, type Predicate, TokenColumn } from './column-scan.ts'

/** A quantity that depends on its token alone. */
export class NumberColumn extends TokenColumn {
  readonly #read: (token: TokenReader) => number
  protected values = new Float64Array(FIRST_TOKENS)
  /** The values as candidates have them. */
  #narrow: NarrowColumn | null = null

  constructor(
    state: State,
    reader: TokenReader,
    read: (token: TokenReader) => number,
    noted = state.changes,
  ) {
    super(state, reader, noted)
    this.#read = read
  }

  protected read(token: number, reader: TokenReader): void {
    // As on the wire: a sum of dollars that is no finite number is 0.
    const value = finiteNumber(this.#read(reader))
    this.values[token] = value
    if (this.#narrow !== null) this.#narrow.f32[token] = value
  }

  /** The values of all tokens, until the state changes. */
  all(): Float64Array {
    this.settle()
    return this.values.subarray(0, this.state.tokens.count)
  }

  filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Predicate): number {
    return filtered(this.values, run, kept, end, bounds)
  }

  narrow(candidates: Candidates, { min, max }: Predicate): void {
    this.#narrow = candidates.kept(this.#narrow, ({ f32 }) => f32.set(this.all()))
    if (this.#narrow !== null) candidates.keepValues(this.#narrow, min, max)
  }

  protected get ownBytes(): number {
    return this.values.byteLength
  }

  protected widen(size: number): void {
    this.values = widened(new Float64Array(size), this.values)
  }
}

/** `Column.filter` over values by token. */
export function filtered(
  values: Float64Array | Uint32Array,
  { tokens, from, to }: TokenRun,
  kept: Uint32Array,
  end: number,
  { min, max }: Predicate,
): number {
  let at = end - 1
  for (let i = to - 1; i >= from; i--) {
    const token = tokens[i]
    kept[at] = token
    at -= isWithin(values[token], min, max)
  }
  return at + 1
}

/** 1 or 0: without a branch, which the processor could not predict. */
export function isWithin(value: number, min: number, max: number): number {
  return Number(value >= min) & Number(value <= max)
}
