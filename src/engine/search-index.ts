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

export class SearchIndex {
  #bytes = Buffer.alloc(FIRST_BYTES)
  #length = 0
  /** Where each entry starts, and whose it is. */
  readonly #starts: number[] = []
  readonly #tokens: number[] = []
  readonly #entryOfToken: number[] = []

  get bytes(): number {
    return this.#bytes.length + this.#starts.length * 24
  }

  /** Adds a token, or replaces what it is found by; the same again costs a comparison. */
  set(token: number, mint: string, name: string, symbol: string): void {
    const entry = entryOf([mint, name, symbol])
    const old = this.#entryOfToken[token]
    if (old !== undefined) {
      const start = this.#starts[old]
      const end = this.#starts[old + 1] ?? this.#length
      if (entry.equals(this.#bytes.subarray(start, end))) return
      this.#bytes.fill(TOKEN_END, start, end)
    }
    this.#makeRoom(entry.length)
    this.#entryOfToken[token] = this.#starts.length
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
      const end = this.#starts[entry + 1] ?? this.#length
      found(this.#tokens[entry], this.#rank(needle, this.#starts[entry], end, at))
      at = corpus.indexOf(needle, end)
    }
  }

  /** Index of the entry that holds byte `at`, which lies at or after entry `from`. */
  #entryAt(at: number, from: number): number {
    let low = from
    let high = this.#starts.length
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#starts[middle] <= at) low = middle
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
    return this.#bytes.compare(needle, 0, needle.length, at, at + needle.length) === 0
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
