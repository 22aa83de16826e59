import type { State } from '../engine/state.ts'
import type { TokenReader } from '../engine/token-reader.ts'
import { tokenJson } from './token-json.ts'

/** Rows kept at most; one of another token that falls on the same place takes it. Some 1 KB each. */
const KEPT_ROWS = 1 << 14
const KEPT_MASK = KEPT_ROWS - 1
const FIRST_BYTES = 1 << 16
const COMMA = 0x2c
/** More tokens than one wallet migrates. */
const COUNTS_APART = 2 ** 26

/**
 * Rows of the token tables as bytes, written once for each change of what they are made of and
 * spliced into answers: the token itself (`TokenChanges`), its creator's counts, the price of SOL.
 */
export class KeptRows {
  readonly #state: State
  readonly #rows: (Buffer | null)[] = new Array<Buffer | null>(KEPT_ROWS).fill(null)
  readonly #tokens = new Uint32Array(KEPT_ROWS)
  readonly #changes = new Uint32Array(KEPT_ROWS)
  /** Creations and migrations of the creator in one number. */
  readonly #creators = new Float64Array(KEPT_ROWS)
  readonly #prices = new Float64Array(KEPT_ROWS)
  #scratch = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  constructor(state: State) {
    this.#state = state
  }

  /** Begins an answer. */
  begin(): void {
    this.#length = 0
  }

  /** The answer since `begin`, as bytes of its own. */
  end(): Buffer {
    return Buffer.from(this.#scratch.subarray(0, this.#length))
  }

  /** Adds ASCII text. */
  text(ascii: string): void {
    this.#makeRoom(ascii.length)
    this.#length += this.#scratch.write(ascii, this.#length, 'latin1')
  }

  /** Adds the row of the token that the reader stands on, behind a comma unless it is the first. */
  row(token: TokenReader, isFirst: boolean): void {
    const bytes = this.#rowOf(token)
    this.#makeRoom(bytes.length + 1)
    if (!isFirst) this.#scratch[this.#length++] = COMMA
    this.#scratch.set(bytes, this.#length)
    this.#length += bytes.length
  }

  #rowOf(token: TokenReader): Buffer {
    const { changes, solPriceUsd } = this.#state
    const place = token.token & KEPT_MASK
    const changed = changes.of(token.token)
    const creator = token.creatorCreations * COUNTS_APART + token.creatorMigrations
    const kept = this.#rows[place]
    if (
      kept !== null &&
      this.#tokens[place] === token.token &&
      this.#changes[place] === changed &&
      this.#creators[place] === creator &&
      this.#prices[place] === solPriceUsd
    )
      return kept
    const bytes = Buffer.from(tokenJson(token, 'table'))
    this.#rows[place] = bytes
    this.#tokens[place] = token.token
    this.#changes[place] = changed
    this.#creators[place] = creator
    this.#prices[place] = solPriceUsd
    return bytes
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#scratch.length) return
    const wider = Buffer.allocUnsafeSlow((this.#length + bytes) * 2)
    wider.set(this.#scratch.subarray(0, this.#length))
    this.#scratch = wider
  }
}
