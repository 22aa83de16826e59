import { untouchedByScattered } from '../engine/memory/scattered-writes.ts'
import type { Resource } from '../engine/metrics.ts'
import type { State } from '../engine/state.ts'
import type { TokenReader } from '../engine/token-reader.ts'
import { lastingJson, passingJson } from './token-json.ts'

/** Rows kept at most; one of another token that falls on the same place takes it. */
const KEPT_ROWS = 1 << 14
const KEPT_MASK = KEPT_ROWS - 1
const FIRST_BYTES = 1 << 16
const COMMA = 0x2c
/** What a row has room for in its place; most take some 900. A longer one has a buffer of its own. */
const PLACE_BYTES = 1_536
const NO_PLACES = Buffer.alloc(0)
/** More tokens than one wallet migrates. */
const COUNTS_APART = 2 ** 26

/**
 * Tokens as items of a resource, as bytes, written once for each change of what they are made of and
 * spliced into answers: the token itself (`TokenChanges`), its creator's counts, the price of SOL. What
 * passes with the clock alone is written each time.
 */
export class KeptRows {
  readonly #state: State
  readonly #resource: Resource
  /**
   * A place for each row: a buffer for each would be as many objects for every collection to walk. None
   * until the first row, for V8 collects garbage over so many bytes.
   */
  #places = NO_PLACES
  /** Rows that are too long, by place. */
  readonly #long = new Map<number, Buffer>()
  #longBytes = 0
  /** Bytes of each row, from the beginning of its place on; 0: none is kept. */
  readonly #lengths = new Uint32Array(KEPT_ROWS)
  #usedPlaces = 0
  readonly #tokens = new Uint32Array(KEPT_ROWS)
  readonly #changes = new Uint32Array(KEPT_ROWS)
  /** Creations and migrations of the creator in one number. */
  readonly #creators = new Float64Array(KEPT_ROWS)
  readonly #prices = new Float64Array(KEPT_ROWS)
  #scratch = Buffer.allocUnsafeSlow(FIRST_BYTES)
  #length = 0

  constructor(state: State, resource: Resource) {
    this.#state = state
    this.#resource = resource
  }

  /** Bytes of all places, and of what is said of them. */
  get bytes(): number {
    const own = this.#places.length + this.#longBytes + this.#scratch.length
    return this.#said.reduce((sum, { byteLength }) => sum + byteLength, own)
  }

  /** Bytes of the places in which no row was yet. */
  get untouchedBytes(): number {
    const places = this.#places.length - this.#usedPlaces * PLACE_BYTES
    return this.#said.reduce(
      (sum, { byteLength }) => sum + untouchedByScattered(byteLength, this.#usedPlaces),
      places,
    )
  }

  get #said(): readonly { readonly byteLength: number }[] {
    return [this.#lengths, this.#tokens, this.#changes, this.#creators, this.#prices]
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
    const from = place * PLACE_BYTES
    if (length > PLACE_BYTES) this.#long.get(place)?.copy(this.#scratch, this.#length)
    else this.#places.copy(this.#scratch, this.#length, from, from + length)
    this.#length += length
    const passing = passingJson(token, this.#resource)
    if (passing !== '') this.text(passing)
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
    this.#keep(place, lastingJson(token, this.#resource))
    this.#tokens[place] = token.token
    this.#changes[place] = changed
    this.#creators[place] = creator
    this.#prices[place] = solPriceUsd
    return place
  }

  /** Writes a row over the one before it. */
  #keep(place: number, text: string): void {
    if (this.#places === NO_PLACES) this.#places = Buffer.allocUnsafeSlow(KEPT_ROWS * PLACE_BYTES)
    const length = Buffer.byteLength(text)
    if (this.#lengths[place] === 0) this.#usedPlaces += 1
    this.#longBytes -= this.#long.get(place)?.length ?? 0
    this.#long.delete(place)
    if (length > PLACE_BYTES) this.#keepLong(place, text, length)
    else this.#places.write(text, place * PLACE_BYTES)
    this.#lengths[place] = length
  }

  #keepLong(place: number, text: string, length: number): void {
    // No piece of a buffer that Node shares among many: it would hold all of that.
    const row = Buffer.allocUnsafeSlow(length)
    row.write(text)
    this.#long.set(place, row)
    this.#longBytes += length
  }

  #makeRoom(bytes: number): void {
    if (this.#length + bytes <= this.#scratch.length) return
    const wider = Buffer.allocUnsafeSlow((this.#length + bytes) * 2)
    wider.set(this.#scratch.subarray(0, this.#length))
    this.#scratch = wider
  }
}
