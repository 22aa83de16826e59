import { ROWS_MAX } from './memory/rows.ts'
import { type StatePart, sizesOf } from './memory/state-part.ts'
import { U32List } from './memory/u32-list.ts'

/**
 * Search over mint, name and symbol (contract section 3.1): all case-folded texts in one byte
 * buffer, scanned natively. Bytes that UTF-8 never has divide fields and tokens, so a match never
 * spans two. Renamed tokens are written again and their old entry is blanked.
 */
export const SEARCH_RESULTS_MAX = 50

const FIELD_END = 0xfe
const TOKEN_END = 0xff
const FIRST_BYTES = 1 << 16

export const Rank = { mint: 0, symbol: 1, prefix: 2, substring: 3 } as const

/** Where an entry starts is a u32. */
const BYTES_MAX = 0xffffffff

export class SearchIndex {
  #bytes = Buffer.alloc(FIRST_BYTES)
  #length = 0
  /** Where each entry starts, and whose it is. */
  readonly #starts = new U32List()
  readonly #tokens = new U32List()
  /** Per token: its newest entry + 1. */
  readonly #entryOfToken = new U32List()

  readonly part: StatePart = {
    name: 'search',
    facts: () => [this.#length, this.#starts.length, this.#entryOfToken.length],
    views: () => this.#views(),
    open: (facts) => {
      const [length, entries, tokens] = sizesOf('search', facts, [BYTES_MAX, ROWS_MAX, ROWS_MAX])
      this.#bytes = Buffer.alloc(Math.max(length, FIRST_BYTES))
      this.#length = length
      this.#starts.reset(entries)
      this.#tokens.reset(entries)
      this.#entryOfToken.reset(tokens)
      return this.#views()
    },
    settle() {},
  }

  get bytes(): number {
    return this.#bytes.length + this.#starts.bytes + this.#tokens.bytes + this.#entryOfToken.bytes
  }

  /** Adds a token, or replaces what it is found by; the same again costs a comparison. */
  set(token: number, mint: string, name: string, symbol: string): void {
    const entry = entryOf([mint, name, symbol])
    const old = this.#entryOfToken.get(token) - 1
    if (old >= 0) {
      const start = this.#starts.get(old)
      const end = this.#endOf(old)
      if (entry.equals(this.#bytes.subarray(start, end))) return
      this.#bytes.fill(TOKEN_END, start, end)
    }
    this.#makeRoom(entry.length)
    this.#entryOfToken.set(token, this.#starts.length + 1)
    this.#starts.push(this.#length)
    this.#tokens.push(token)
    this.#length += entry.copy(this.#bytes, this.#length)
  }

  /** Calls `found` once for each token that matches, with its rank. */
  match(query: string, found: (token: number, rank: number) => void): void {
    if (query === '') return
    const needle = Buffer.from(query.toLowerCase())
    const corpus = this.#bytes.subarray(0, this.#length)
    let entry = 0
    let at = corpus.indexOf(needle, 0)
    while (at >= 0) {
      entry = this.#entryAt(at, entry)
      const end = this.#endOf(entry)
      found(this.#tokens.get(entry), this.#rank(needle, this.#starts.get(entry), end, at))
      at = corpus.indexOf(needle, end)
    }
  }

  #views(): Uint8Array[] {
    const lists = [this.#starts, this.#tokens, this.#entryOfToken]
    return [this.#bytes.subarray(0, this.#length), ...lists.map((list) => list.view())]
  }

  #endOf(entry: number): number {
    return entry + 1 < this.#starts.length ? this.#starts.get(entry + 1) : this.#length
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

  #rank(needle: Buffer, start: number, end: number, first: number): number {
    const name = this.#bytes.indexOf(FIELD_END, start) + 1
    const symbol = this.#bytes.indexOf(FIELD_END, name) + 1
    if (first === start && start + needle.length + 1 === name) return Rank.mint
    const isSymbol = this.#startsWith(needle, symbol)
    if (isSymbol && symbol + needle.length + 1 === end) return Rank.symbol
    return isSymbol || this.#startsWith(needle, name) ? Rank.prefix : Rank.substring
  }

  #startsWith(needle: Buffer, at: number): boolean {
    const end = at + needle.length
    // `compare` throws past the end of the buffer, where a short last entry may lie.
    return end <= this.#length && this.#bytes.compare(needle, 0, needle.length, at, end) === 0
  }

  #makeRoom(size: number): void {
    if (this.#length + size <= this.#bytes.length) return
    const wider = Buffer.alloc(Math.max(this.#bytes.length * 2, this.#length + size))
    this.#bytes.copy(wider, 0, 0, this.#length)
    this.#bytes = wider
  }
}

/** Case-folded fields, each with its end. */
function entryOf(fields: readonly string[]): Buffer {
  const parts = fields.flatMap((text, i) => [
    Buffer.from(text.toLowerCase()),
    i === fields.length - 1 ? END_OF_TOKEN : END_OF_FIELD,
  ])
  return Buffer.concat(parts)
}

const END_OF_FIELD = Buffer.of(FIELD_END)
const END_OF_TOKEN = Buffer.of(TOKEN_END)
