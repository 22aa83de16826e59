import { widened } from '../../engine/memory/views.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import type { State } from '../../engine/state/state.ts'
import { finiteNumber } from '../../protocol/wire.ts'
import { FIRST_TOKENS, type Predicate, TokenColumn, type TokenRun } from './column-scan.ts'

/** A quantity that depends on its token alone. */
export class NumberColumn extends TokenColumn {
  readonly #read: (token: TokenReader) => number
  protected values = new Float64Array(FIRST_TOKENS)

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
    this.values[token] = finiteNumber(this.#read(reader))
  }

  /** The values of all tokens, until the state changes. */
  all(): Float64Array {
    this.settle()
    return this.values.subarray(0, this.state.tokens.count)
  }

  filter(run: TokenRun, kept: Uint32Array, end: number, bounds: Predicate): number {
    return filtered(this.values, run, kept, end, bounds)
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
