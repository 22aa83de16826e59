import { foldCase } from './fold-case.ts'
import { GrowingBytes } from './memory/growing-bytes.ts'
import { ROWS_MAX } from './memory/rows.ts'
import { StateError, type StatePart, sizesOf } from './memory/state-part.ts'
import { U32List } from './memory/u32-list.ts'

/**
 * Search over mint, name and symbol (contract section 3.1): all case-folded texts in one byte
 * buffer, scanned natively. Bytes that UTF-8 never has divide fields and tokens, so a match never
 * spans two. Renamed tokens are written again and their old entry is blanked.
 *
 * Fields that begin with the same two bytes are chained, so that beginnings are found without a scan.
 */
export const SEARCH_RESULTS_MAX = 50

const FIELD_END = 0xfe
const TOKEN_END = 0xff
/** From this byte on UTF-8 has no ASCII. */
const NOT_ASCII = 0x80
/** Mint, name and symbol, in this order. */
const FIELDS = 3
/** One chain for each pair of bytes. */
const CHAINS = 1 << 16
const BYTE_VALUES = 1 << 8
const FIRST_BYTES = 1 << 16

export const Rank = { mint: 0, symbol: 1, prefix: 2, substring: 3 } as const

/** Where an entry starts is a u32. */
const BYTES_MAX = 0xffffffff

export class SearchIndex {
  readonly #texts = new GrowingBytes(FIRST_BYTES)
  /** The buffer of the texts. */
  #bytes = this.#texts.buffer
  /** Where each entry starts, and whose it is. */
  readonly #starts = new U32List()
  readonly #tokens = new U32List()
  /** Per token: its newest entry + 1. */
  readonly #entryOfToken = new U32List()
  /** By the first two bytes of a field: the newest such field + 1, of number entry × FIELDS + field. */
  readonly #newest = new Uint32Array(CHAINS)
  /** By field: the one before it in its chain + 1. */
  readonly #olders = new U32List()
  /** By field: where it begins. */
  readonly #places = new U32List()

  readonly part: StatePart = {
    name: 'search',
    facts: () => [this.#texts.length, this.#starts.length, this.#entryOfToken.length],
    views: () => this.#views(),
    open: (facts) => {
      const [length, entries, tokens] = sizesOf('search', facts, [BYTES_MAX, ROWS_MAX, ROWS_MAX])
      this.#texts.reset(length)
      this.#bytes = this.#texts.buffer
      this.#starts.reset(entries)
      this.#tokens.reset(entries)
      this.#entryOfToken.reset(tokens)
      return this.#views()
    },
    settle: () => {
      this.#newest.fill(0)
      this.#olders.reset(0)
      this.#places.reset(0)
      for (let entry = 0; entry < this.#starts.length; entry++) this.#chain(entry)
    },
  }

  get bytes(): number {
    const own = this.#texts.bytes + this.#newest.byteLength
    return this.#lists.reduce((sum, list) => sum + list.bytes, own)
  }

  get untouchedBytes(): number {
    const own = this.#texts.untouchedBytes
    return this.#lists.reduce((sum, list) => sum + list.untouchedBytes, own)
  }

  get #lists(): readonly U32List[] {
    return [this.#starts, this.#tokens, this.#entryOfToken, this.#olders, this.#places]
  }

  /** Adds a token, or replaces what it is found by; the same again costs a comparison. */
  set(token: number, mint: string, name: string, symbol: string): void {
    const entry = entryOf([mint, name, symbol])
    const old = this.#entryOfToken.get(token) - 1
    if (old >= 0) {
      const start = this.#starts.get(old)
      const end = this.#endOf(old)
      if (entry.equals(this.#bytes.subarray(start, end))) return
      this.#texts.fill(TOKEN_END, start, end)
    }
    this.#entryOfToken.set(token, this.#starts.length + 1)
    this.#starts.push(this.#texts.length)
    this.#tokens.push(token)
    this.#texts.append(entry)
    this.#bytes = this.#texts.buffer
    this.#chain(this.#starts.length - 1)
  }

  /** Calls `found` once for each token with the query as its mint, or as the beginning of a text. */
  beginnings(query: string, found: (token: number, rank: number) => void): void {
    const needle = needleOf(query)
    if (needle.length === 0) return
    const first = needle[0] * BYTE_VALUES
    if (needle.length > 1) this.#walk(first + needle[1], needle, found)
    else for (let next = 0; next < BYTE_VALUES; next++) this.#walk(first + next, needle, found)
  }

  /**
   * Calls `found` once for each token that holds the query elsewhere; false, and not all are found,
   * when there are more than `most`.
   */
  insides(query: string, most: number, found: (token: number) => void): boolean {
    const needle = needleOf(query)
    if (needle.length === 0) return true
    const corpus = this.#bytes.subarray(0, this.#texts.length)
    let entry = 0
    let count = 0
    for (let at = corpus.indexOf(needle, 0); at >= 0; ) {
      entry = this.#entryAt(at, entry)
      const end = this.#endOf(entry)
      if (this.#rank(needle, entry) === Rank.substring) {
        count += 1
        if (count > most) return false
        found(this.#tokens.get(entry))
      }
      at = corpus.indexOf(needle, end)
    }
    return true
  }

  /** A test of single tokens for what `insides` finds. */
  insideTest(query: string): (token: number) => boolean {
    const needle = needleOf(query)
    return (token) => {
      const entry = this.#entryOfToken.get(token) - 1
      if (entry < 0) return false
      return this.#holds(needle, entry) && this.#rank(needle, entry) === Rank.substring
    }
  }

  /** One entry is too short for a native search to pay. */
  #holds(needle: Buffer, entry: number): boolean {
    const end = this.#endOf(entry) - needle.length
    for (let at = this.#starts.get(entry); at < end; at++)
      if (this.#bytes[at] === needle[0] && this.#startsWith(needle, at)) return true
    return false
  }

  #walk(chain: number, needle: Buffer, found: (token: number, rank: number) => void): void {
    for (let field = this.#newest[chain]; field !== 0; field = this.#olders.get(field - 1)) {
      const entry = Math.floor((field - 1) / FIELDS)
      if (this.#firstMatch(needle, entry) !== (field - 1) % FIELDS) continue
      const rank = this.#rank(needle, entry)
      if (rank !== Rank.substring) found(this.#tokens.get(entry), rank)
    }
  }

  /** The first field of an entry that begins with the needle, or FIELDS. */
  #firstMatch(needle: Buffer, entry: number): number {
    for (let field = 0; field < FIELDS; field++)
      if (this.#startsWith(needle, this.#places.get(entry * FIELDS + field))) return field
    return FIELDS
  }

  /** Puts the fields of an entry into their chains; a blanked one has none. */
  #chain(entry: number): void {
    let at = this.#starts.get(entry)
    for (let field = 0; field < FIELDS; field++) {
      const isEmpty = this.#bytes[at] >= FIELD_END
      const chain = this.#bytes[at] * BYTE_VALUES + this.#bytes[at + 1]
      this.#olders.push(isEmpty ? 0 : this.#newest[chain])
      if (!isEmpty) this.#newest[chain] = this.#olders.length
      this.#places.push(at)
      while (this.#bytes[at] < FIELD_END) at++
      at++
    }
  }

  #views(): Uint8Array[] {
    const lists = [this.#starts, this.#tokens, this.#entryOfToken]
    return [this.#bytes.subarray(0, this.#texts.length), ...lists.map((list) => list.view())]
  }

  #endOf(entry: number): number {
    return entry + 1 < this.#starts.length ? this.#starts.get(entry + 1) : this.#texts.length
  }

  /** Index of the entry that holds byte `at`, which lies at or after entry `from`. */
  #entryAt(at: number, from: number): number {
    let low = from
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#starts.get(middle) <= at) low = middle
      else high = middle
    }
    return low
  }

  /** Rank of an entry that holds the needle. */
  #rank(needle: Buffer, entry: number): number {
    const mint = this.#places.get(entry * FIELDS)
    const name = this.#places.get(entry * FIELDS + 1)
    const symbol = this.#places.get(entry * FIELDS + 2)
    if (mint + needle.length + 1 === name && this.#startsWith(needle, mint)) return Rank.mint
    const isSymbol = this.#startsWith(needle, symbol)
    if (isSymbol && symbol + needle.length + 1 === this.#endOf(entry)) return Rank.symbol
    return isSymbol || this.#startsWith(needle, name) ? Rank.prefix : Rank.substring
  }

  #startsWith(needle: Buffer, at: number): boolean {
    for (let i = 0; i < needle.length; i++) if (this.#bytes[at + i] !== needle[i]) return false
    return true
  }
}

function needleOf(query: string): Buffer {
  return Buffer.from(foldCase(query))
}

/** Case-folded fields, each with its end. */
function entryOf(fields: readonly string[]): Buffer {
  const parts = fields.flatMap((text, i) => [
    Buffer.from(foldCase(text)),
    i === fields.length - 1 ? END_OF_TOKEN : END_OF_FIELD,
  ])
  return Buffer.concat(parts)
}

/** An entry of texts that were folded in another way, as it would be made now. */
export function foldedAgain(entry: Uint8Array): Uint8Array {
  // Of ASCII alone, or blanked: every way of folding leaves it as it is.
  if (!entry.some((byte) => byte >= NOT_ASCII && byte < FIELD_END)) return entry
  const text = Buffer.from(entry.buffer, entry.byteOffset, entry.length)
  const fields: string[] = []
  for (let from = 0; from < text.length; ) {
    const isLast = fields.length === FIELDS - 1
    const end = text.indexOf(isLast ? TOKEN_END : FIELD_END, from)
    if (end < 0) throw new StateError('the texts of the search are not divided into fields')
    fields.push(text.toString('utf8', from, end))
    from = end + 1
  }
  return entryOf(fields)
}

const END_OF_FIELD = Buffer.of(FIELD_END)
const END_OF_TOKEN = Buffer.of(TOKEN_END)
