import type { State } from '../engine/state.ts'
import type { TokenReader } from '../engine/token-reader.ts'
import { tokenJson } from './token-json.ts'

/** Rows kept at most; one of another token that falls on the same place takes it. Some 1 KB each. */
const KEPT_ROWS = 1 << 14
const KEPT_MASK = KEPT_ROWS - 1
const FIRST_BYTES = 1 << 16
const COMMA = 0x2c
/** A row's place is as long as it needs, rounded up to this: most changes of a row then fit. */
const PLACE_STEP_BYTES = 256
/** A place this many times as long as its row is given up for a shorter one. */
const LOOSE = 4
/** More tokens than one wallet migrates. */
const COUNTS_APART = 2 ** 26

/**
 * Rows of the token tables as bytes, written once for each change of what they are made of and
 * spliced into answers: the token itself (`TokenChanges`), its creator's counts, the price of SOL.
 */
export class KeptRows {
  readonly #state: State
  readonly #rows = new Array<Buffer>(KEPT_ROWS).fill(Buffer.alloc(0))
  /** Bytes of each row, from the beginning of its place on; 0: none is kept. */
  readonly #lengths = new Uint32Array(KEPT_ROWS)
  #placesBytes = 0
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

  /** Bytes of all places, and of what is said of them. */
  get bytes(): number {
    const said = [this.#lengths, this.#tokens, this.#changes, this.#creators, this.#prices]
    const own = this.#placesBytes + this.#scratch.length
    return said.reduce((sum, { byteLength }) => sum + byteLength, own)
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
    const place = this.#placeOf(token)
    const length = this.#lengths[place]
    this.#makeRoom(length + 1)
    if (!isFirst) this.#scratch[this.#length++] = COMMA
    this.#rows[place].copy(this.#scratch, this.#length, 0, length)
    this.#length += length
  }

  /** Where the token's row is kept, as it has to be now. */
  #placeOf(token: TokenReader): number {
    const { changes, solPriceUsd } = this.#state
    const place = token.token & KEPT_MASK
    const changed = changes.of(token.token)
    const creator = token.creatorCreations * COUNTS_APART + token.creatorMigrations
    if (
      this.#lengths[place] !== 0 &&
      this.#tokens[place] === token.token &&
      this.#changes[place] === changed &&
      this.#creators[place] === creator &&
      this.#prices[place] === solPriceUsd
    )
      return place
    this.#keep(place, tokenJson(token, 'table'))
    this.#tokens[place] = token.token
    this.#changes[place] = changed
    this.#creators[place] = creator
    this.#prices[place] = solPriceUsd
    return place
  }

  /**
   * Writes a row over the one before it. A buffer of its own for each text would lie in pieces that
   * Node cuts from 8 KB ones: one row that stays would hold all of the rows that have gone.
   */
  #keep(place: number, text: string): void {
    const length = Buffer.byteLength(text)
    const had = this.#rows[place].length
    if (had < length || had > length * LOOSE + PLACE_STEP_BYTES) {
      const wanted = Math.ceil(length / PLACE_STEP_BYTES) * PLACE_STEP_BYTES
      this.#rows[place] = Buffer.allocUnsafeSlow(wanted)
      this.#placesBytes += wanted - had
    }
    this.#rows[place].write(text)
    this.#lengths[place] = length
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#scratch.length) return
    const wider = Buffer.allocUnsafeSlow((this.#length + bytes) * 2)
    wider.set(this.#scratch.subarray(0, this.#length))
    this.#scratch = wider
  }
}
