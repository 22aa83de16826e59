import { foldCase } from './fold-case.ts'
import { ENTRIES_PER_BLOCK, GramFilter } from './gram-filter.ts'
import { GrowingBytes } from './memory/growing-bytes.ts'
import { CHAINS, NumberChains } from './memory/number-chains.ts'
import { ROWS_MAX } from './memory/rows.ts'
import { type StatePart, sizesOf } from './memory/state-part.ts'
import { U32List } from './memory/u32-list.ts'
import { entryOf, FIELD_END, FIELDS, TOKEN_END } from './search-entry.ts'

/** Tokens that one search gives at most (contract section 3.1). */
export const SEARCH_RESULTS_MAX = 50

/** Fields of an entry in chains of beginnings (name, symbol) and of whole texts (mint, symbol). */
const CHAINED = 2
const BYTE_VALUES = 1 << 8
const FIRST_BYTES = 1 << 16
/** By so many of its first bytes a mint or symbol has its chain. */
const HASHED_BYTES = 16
/** What more than one token in so many holds is common: it is found soon from the greatest market cap down. */
const COMMON_SHARE = 64
/** The same of a symbol: to weigh an eighth of all takes less than to go down the market caps. */
const COMMON_SYMBOL_SHARE = 8
/** Entries put into the filter between two questions whether there is time for more. */
const FILTERED_A_LOOK = 256
/** So few are never too many to look at. */
const COMMON_LEAST = 256

export const Rank = { mint: 0, symbol: 1, prefix: 2, substring: 3 } as const
/** Ranks of tokens that hold a text, but not as the whole of a field. */
export type InnerRank = typeof Rank.prefix | typeof Rank.substring
/** Ranks that many tokens may have. */
export type SharedRank = InnerRank | typeof Rank.symbol

/** Where an entry starts is a u32. */
const BYTES_MAX = 0xffffffff

/**
 * Search over mint, name and symbol (contract section 3.1): all case-folded texts in one byte
 * buffer, scanned natively where a filter lets through. Renamed tokens are written again and their
 * old entry is blanked.
 *
 * What too many tokens hold to look at them all is found by chains: names and symbols that begin with
 * the same two bytes, mints and symbols with the same hash.
 */
export class SearchIndex {
  readonly #texts = new GrowingBytes(FIRST_BYTES)
  /** The buffer of the texts. */
  #bytes = this.#texts.buffer
  /** Where each entry starts, and whose it is. */
  readonly #starts = new U32List()
  readonly #tokens = new U32List()
  /** Per token: its newest entry + 1. */
  readonly #entryOfToken = new U32List()
  readonly #grams = new GramFilter()
  /** Entries that the filter knows, the oldest; blocks behind them may hold anything. */
  #filtered = 0
  /** Where the name and the symbol of each entry begin. */
  readonly #places = new U32List()
  /** Names and symbols by their first two bytes, of number entry × CHAINED + which. */
  readonly #beginningChains = new NumberChains()
  /** Mints and symbols by their hash, of number entry × CHAINED + which. */
  readonly #wholeChains = new NumberChains()

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
      this.#places.reset(0)
      this.#beginningChains.clear()
      this.#wholeChains.clear()
      // A start does not wait for the filter: `isNear` fills it.
      this.#grams.clear()
      this.#filtered = 0
      for (let entry = 0; entry < this.#starts.length; entry++) this.#chain(entry)
    },
  }

  get bytes(): number {
    return this.#memory.reduce((sum, { bytes }) => sum + bytes, 0)
  }

  get untouchedBytes(): number {
    return this.#memory.reduce((sum, { untouchedBytes }) => sum + untouchedBytes, 0)
  }

  get #memory(): readonly { readonly bytes: number; readonly untouchedBytes: number }[] {
    const kept = [this.#texts, this.#starts, this.#tokens, this.#entryOfToken]
    return [...kept, this.#grams, this.#places, this.#beginningChains, this.#wholeChains]
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
    if (this.#filtered === this.#starts.length - 1) this.#filter()
  }

  /**
   * Fills the filter after a load for as long as `mayGoOn` says; false: to be called again in a later
   * turn. What is asked before it is found too, only later.
   */
  isNear(mayGoOn: () => boolean): boolean {
    while (this.#filtered < this.#starts.length) {
      const end = Math.min(this.#filtered + FILTERED_A_LOOK, this.#starts.length)
      while (this.#filtered < end) this.#filter()
      if (end < this.#starts.length && !mayGoOn()) return false
    }
    return true
  }

  /**
   * Calls `found` once for each token whose mint or symbol the needle is, with its rank; false, and not
   * all symbols are found, when they are many.
   */
  alike(needle: Buffer, found: (token: number, rank: number) => void): boolean {
    const chain = hashOf(needle, 0, needle.length)
    const chains = this.#wholeChains
    let symbols = 0
    let areMany = false
    for (let next = chains.newestOf(chain); next !== 0; next = chains.olderThan(next)) {
      const entry = Math.floor((next - 1) / CHAINED)
      const own = (next - 1) % CHAINED === 0 ? Rank.mint : Rank.symbol
      if ((areMany && own === Rank.symbol) || this.#rank(needle, entry) !== own) continue
      if (own === Rank.symbol)
        areMany = isCommon(++symbols, this.#starts.length, COMMON_SYMBOL_SHARE)
      found(this.#tokens.get(entry), own)
    }
    return !areMany
  }

  /**
   * Calls `found` once for each token of a rank; false, and not all are found, when they are many.
   */
  ofRank(needle: Buffer, rank: InnerRank, found: (token: number) => void): boolean {
    return rank === Rank.prefix ? this.#beginnings(needle, found) : this.#insides(needle, found)
  }

  #beginnings(needle: Buffer, found: (token: number) => void): boolean {
    const first = needle[0] * BYTE_VALUES
    const keys = needle.length > 1 ? [first + needle[1]] : range(first, first + BYTE_VALUES)
    const chains = this.#beginningChains
    let count = 0
    for (const key of keys)
      for (let next = chains.newestOf(key); next !== 0; next = chains.olderThan(next)) {
        if (!this.#isFirstBeginning(needle, next - 1)) continue
        const entry = Math.floor((next - 1) / CHAINED)
        if (this.#rank(needle, entry) !== Rank.prefix) continue
        found(this.#tokens.get(entry))
        count += 1
        if (isCommon(count, this.#starts.length)) return false
      }
    return true
  }

  #insides(needle: Buffer, found: (token: number) => void): boolean {
    const bits = this.#grams.bitsOf(needle)
    // One or two letters are in mints everywhere: a beginning tells. Other texts lie where their fashion was.
    const isEverywhere = bits.length === 0
    const blocks = Math.ceil(this.#starts.length / ENTRIES_PER_BLOCK)
    let count = 0
    for (let block = 0; block < blocks; block++) {
      if (!this.#mayHold(block, bits)) continue
      const from = block * ENTRIES_PER_BLOCK
      // Neighbours are looked through in one go.
      while (block + 1 < blocks && this.#mayHold(block + 1, bits)) block++
      const last = Math.min((block + 1) * ENTRIES_PER_BLOCK, this.#starts.length) - 1
      const start = this.#starts.get(from)
      const text = this.#bytes.subarray(start, this.#endOf(last))
      let entry = from
      for (let at = text.indexOf(needle); at >= 0; ) {
        entry = this.#entryAt(start + at, entry, last)
        if (this.#rank(needle, entry) === Rank.substring) {
          found(this.#tokens.get(entry))
          count += 1
          if (isCommon(count, isEverywhere ? entry + 1 : this.#starts.length)) return false
        }
        at = entry === last ? -1 : text.indexOf(needle, this.#endOf(entry) - start)
      }
    }
    return true
  }

  /** A test of single tokens for a rank. */
  rankTest(needle: Buffer, rank: SharedRank): (token: number) => boolean {
    const bits = this.#grams.bitsOf(needle)
    return (token) => {
      const entry = this.#entryOfToken.get(token) - 1
      // What only old and cheap tokens hold is looked for in all others first.
      if (entry < 0 || !this.#mayHold(Math.floor(entry / ENTRIES_PER_BLOCK), bits)) return false
      // Whatever stands lower has to hold it; to begin with it says that it does.
      if (rank === Rank.substring && !this.#holds(needle, entry)) return false
      return this.#rank(needle, entry) === rank
    }
  }

  /** May an entry of the block hold a text with these bits, by the filter as far as it is filled? */
  #mayHold(block: number, bits: readonly number[]): boolean {
    const filtered = Math.floor(this.#filtered / ENTRIES_PER_BLOCK)
    return block >= filtered || this.#grams.mayHold(block, bits)
  }

  /** One entry is too short for a native search to pay. */
  #holds(needle: Buffer, entry: number): boolean {
    const end = this.#endOf(entry) - needle.length
    for (let at = this.#starts.get(entry); at < end; at++)
      if (this.#bytes[at] === needle[0] && this.#startsWith(needle, at)) return true
    return false
  }

  /** Begins this name or symbol with the needle, and no name before it of the same entry? */
  #isFirstBeginning(needle: Buffer, place: number): boolean {
    if (!this.#startsWith(needle, this.#places.get(place))) return false
    const isName = place % CHAINED === 0
    return isName || !this.#startsWith(needle, this.#places.get(place - 1))
  }

  /** Puts the next entry into the filter. */
  #filter(): void {
    const entry = this.#filtered++
    const name = this.#places.get(entry * CHAINED)
    const symbol = this.#places.get(entry * CHAINED + 1)
    this.#grams.add(entry, this.#bytes, this.#starts.get(entry), name - 1)
    this.#grams.add(entry, this.#bytes, name, symbol - 1)
    this.#grams.add(entry, this.#bytes, symbol, this.#endOf(entry) - 1)
  }

  /** Puts the fields of an entry into their chains; a blanked one has none. */
  #chain(entry: number): void {
    let at = this.#starts.get(entry)
    for (let field = 0; field < FIELDS; field++) {
      const from = at
      while (this.#bytes[at] < FIELD_END) at++
      const isEmpty = at === from
      const beginning = this.#bytes[from] * BYTE_VALUES + this.#bytes[from + 1]
      const hash = hashOf(this.#bytes, from, at)
      // Of the three, mint and symbol are looked for whole, name and symbol by how they begin.
      if (field !== 0) {
        this.#places.push(from)
        this.#beginningChains.push(isEmpty ? null : beginning)
      }
      if (field !== 1) this.#wholeChains.push(isEmpty ? null : hash)
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

  /** Index of the entry that holds byte `at`, from entry `from` to `last`. */
  #entryAt(at: number, from: number, last: number): number {
    let low = from
    let high = last + 1
    while (high - low > 1) {
      const middle = (low + high) >>> 1
      if (this.#starts.get(middle) <= at) low = middle
      else high = middle
    }
    return low
  }

  /** Rank of an entry, `substring` when it holds the needle elsewhere or not at all. */
  #rank(needle: Buffer, entry: number): number {
    const mint = this.#starts.get(entry)
    const name = this.#places.get(entry * CHAINED)
    const symbol = this.#places.get(entry * CHAINED + 1)
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

/** A query as the texts are kept. */
export function needleOf(query: string): Buffer {
  return Buffer.from(foldCase(query))
}

function isCommon(count: number, entries: number, share = COMMON_SHARE): boolean {
  return count >= COMMON_LEAST && count * share > entries
}

/** FNV-1a of the first bytes and the length, folded to the number of chains. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5 ^ (to - from)
  const end = Math.min(to, from + HASHED_BYTES)
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
  return (hash ^ (hash >>> 16)) & (CHAINS - 1)
}

function range(from: number, to: number): number[] {
  return Array.from({ length: to - from }, (_, i) => from + i)
}
