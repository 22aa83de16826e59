import type { Budget } from '../../base/budget.ts'
import { ROWS_MAX, U32List } from '../memory/rows.ts'
import {
  growingPart,
  type MemoryPart,
  StateError,
  type StatePart,
  sizesOf,
} from '../memory/state-part.ts'
import { PagedBytes, PLACE_MASK } from '../memory/views.ts'
import { ENTRIES_PER_BLOCK, GramFilter, NumberChains } from './search-candidates.ts'

/** Texts of an entry that are looked for by how they begin: its name, then its symbol. */
const CHAINED = 2
/** First bytes of a mint or symbol that choose its chain. */
const HASHED_BYTES = 16
/** A text that more than one token in 64 holds is common: it is found soon from the greatest market cap down. */
const COMMON_SHARE = 64
/** Entries put into the filter between two checks of the budget. */
const FILTERED_A_LOOK = 256
/**
 * Texts of a chain that are weighed, by the square root of all: with more of them, fifty tokens are found
 * sooner by walking all tokens from the greatest market cap down.
 */
const WEIGHED_A_ROOT = 24
/**
 * A chain that is so many times longer is compared with the query first: anybody can launch tokens that
 * share a chain with it, and weighing takes five times as long as comparing.
 */
const LONG_CHAIN = 2
/** Up to so many are never common. */
const COMMON_LEAST = 256

export const Rank = { mint: 0, symbol: 1, prefix: 2, substring: 3 } as const

/** Where an entry starts is a u32. */
const BYTES_MAX = 0xffffffff

/**
 * `engine/index` has data that is derived from the rows and can be made again: this search, the orders of tables, the largest
 * holders, columns of traders, tokens by creator and by X link. In: changes, noted by the fold or read from its logs. Out: rows
 * of tokens and positions. Only the texts of the search are part of a snapshot.
 *
 * Search over mint, name and symbol (contract section 3.1): all case-folded texts one behind the
 * other, scanned natively where a filter lets through. Renamed tokens are written again and their
 * old entry is blanked.
 *
 * A text that too many tokens hold is found by chains: names and symbols that begin with the same two,
 * three or eight bytes, mints and symbols with the same hash.
 */
export class SearchIndex {
  readonly #texts = new PagedBytes()
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
  /** Names and symbols by how they begin, of number entry × CHAINED + which. */
  readonly #beginnings = new BeginningChains()
  /** Entries by the hash of their mint, and of their symbol. */
  readonly #mintChains = new NumberChains()
  readonly #symbolChains = new NumberChains()

  readonly part: StatePart = {
    name: 'search',
    facts: () => [this.#texts.length, this.#starts.length, this.#entryOfToken.length],
    views: () => this.#views(),
    open: (facts) => {
      const [length, entries, tokens] = sizesOf('search', facts, [BYTES_MAX, ROWS_MAX, ROWS_MAX])
      this.#texts.reset(length)
      this.#starts.reset(entries)
      this.#tokens.reset(entries)
      this.#entryOfToken.reset(tokens)
      return this.#views()
    },
    settle: () => {
      this.#places.reset(0)
      for (const chains of this.#chains) chains.clear()
      // A start does not wait for the filter: `load` fills it.
      this.#grams.blocks.reset(0)
      this.#filtered = 0
      for (let entry = 0; entry < this.#starts.length; entry++) {
        const start = this.#starts.get(entry)
        const end = this.#endOf(entry)
        if (start >= end || end > this.#texts.length)
          throw new StateError(`entry ${entry} of the state's search lies outside of its texts`)
        this.#texts.join(start, end)
        this.#chain(entry)
      }
    },
  }

  get memory(): MemoryPart {
    const texts = [this.#texts, this.#starts, this.#tokens, this.#entryOfToken]
    return growingPart('search', ...texts, this.#grams.blocks, this.#places, ...this.#chains)
  }

  get #chains(): readonly NumberChains[] {
    return [...this.#beginnings.chains, this.#mintChains, this.#symbolChains]
  }

  /** Adds a token, or replaces what it is found by; the same again costs a comparison. */
  set(token: number, mint: string, name: string, symbol: string): void {
    const entry = entryOf([mint, name, symbol])
    const old = this.#entryOfToken.get(token) - 1
    if (old >= 0) {
      const start = this.#starts.get(old)
      const end = this.#endOf(old)
      const at = start & PLACE_MASK
      if (entry.equals(this.#texts.page(start).subarray(at, at + end - start))) return
      this.#texts.fill(TOKEN_END, start, end)
    }
    this.#entryOfToken.set(token, this.#starts.length + 1)
    this.#starts.push(this.#texts.length)
    this.#tokens.push(token)
    this.#texts.append(entry)
    this.#chain(this.#starts.length - 1)
    if (this.#filtered === this.#starts.length - 1) this.#filter()
  }

  /**
   * Fills the filter after a start. Searches before it is full find the same, only slower.
   * @throws OutOfTime before it is full
   */
  load(budget: Budget): void {
    while (this.#filtered < this.#starts.length) {
      const end = Math.min(this.#filtered + FILTERED_A_LOOK, this.#starts.length)
      while (this.#filtered < end) this.#filter()
      if (end < this.#starts.length) budget.throwIfSpent()
    }
  }

  /** Calls `found` once for each token whose mint the needle is. */
  mints(needle: Buffer, found: (token: number) => void): void {
    for (const entry of this.#mintChains.numbersOf([hashOf(needle, 0, needle.length)]))
      if (this.#rank(needle, entry) === Rank.mint) found(this.#tokens.get(entry))
  }

  /**
   * Texts, by number, with those that give a token the rank among them: all of a chain, or of a long one
   * those that begin with the needle; null when there are so many that a walk over all tokens is faster.
   */
  candidates(needle: Buffer, rank: typeof Rank.symbol | typeof Rank.prefix): Uint32Array | null {
    const most = Math.max(COMMON_LEAST, WEIGHED_A_ROOT * Math.sqrt(this.#starts.length))
    const texts =
      rank === Rank.prefix ? this.#beginnings.candidates(needle, most) : this.#symbols(needle)
    const isLong = texts !== null && texts.length > most * LONG_CHAIN
    return isLong ? this.#compared(needle, texts, most) : texts
  }

  /** Symbols, by number, among which are those that the needle is. */
  #symbols(needle: Buffer): Uint32Array {
    const entries = this.#symbolChains.numbersOf([hashOf(needle, 0, needle.length)])
    return entries.map((entry) => entry * CHAINED + 1)
  }

  /** Those of the texts that begin with the needle, in their place; null when more than `most` do. */
  #compared(needle: Buffer, texts: Uint32Array, most: number): Uint32Array | null {
    let count = 0
    for (const text of texts) {
      if (!this.#startsWith(needle, this.#places.get(text))) continue
      if (count >= most) return null
      texts[count++] = text
    }
    return texts.subarray(0, count)
  }

  /** Token of a candidate. */
  tokenOf(text: number): number {
    return this.#tokens.get(Math.floor(text / CHAINED))
  }

  /** Does this candidate give its token the rank? True of one text of each token that has it. */
  gives(needle: Buffer, text: number, rank: number): boolean {
    if (rank === Rank.prefix && !this.#isFirstBeginning(needle, text)) return false
    return this.#rank(needle, Math.floor(text / CHAINED)) === rank
  }

  /**
   * Calls `found` once for each token that holds the needle, and neither is it nor begins with it; false,
   * and not all are found, when they are many.
   */
  insides(needle: Buffer, found: (token: number) => void): boolean {
    const bits = this.#grams.bitsOf(needle)
    // One or two letters are in mints everywhere: the first entries show it. Other texts lie where their fashion was.
    const isEverywhere = bits.length === 0
    let count = 0
    for (const [first, last] of this.#runs(bits)) {
      const start = this.#starts.get(first)
      const from = start & PLACE_MASK
      const text = this.#texts.page(start).subarray(from, from + this.#endOf(last) - start)
      let entry = first
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

  /** The first and the last of entries that may hold a text with these bits and begin in one page; neighbours are looked through in one go. */
  *#runs(bits: readonly number[]): Generator<readonly [number, number]> {
    const blocks = Math.ceil(this.#starts.length / ENTRIES_PER_BLOCK)
    for (let block = 0; block < blocks; block++) {
      if (!this.#mayHold(block, bits)) continue
      let from = block * ENTRIES_PER_BLOCK
      while (block + 1 < blocks && this.#mayHold(block + 1, bits)) block++
      const last = Math.min((block + 1) * ENTRIES_PER_BLOCK, this.#starts.length) - 1
      while (from <= last) {
        const inPage = this.#entryAt((this.#starts.get(from) | PLACE_MASK) >>> 0, from, last)
        yield [from, inPage]
        from = inPage + 1
      }
    }
  }

  /** A test of single tokens for a rank. */
  rankTest(needle: Buffer, rank: number): (token: number) => boolean {
    const bits = this.#grams.bitsOf(needle)
    return (token) => {
      const entry = this.#entryOfToken.get(token) - 1
      // A text of old and cheap tokens alone is looked for in all others first.
      if (entry < 0 || !this.#mayHold(Math.floor(entry / ENTRIES_PER_BLOCK), bits)) return false
      // Higher ranks imply that the entry holds it; the lowest has to be checked.
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
      if (this.#startsWith(needle, at)) return true
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
    const start = this.#starts.get(entry)
    const page = this.#texts.page(start)
    const place = (start & PLACE_MASK) - start
    const name = this.#places.get(entry * CHAINED) + place
    const symbol = this.#places.get(entry * CHAINED + 1) + place
    this.#grams.add(entry, page, start + place, name - 1)
    this.#grams.add(entry, page, name, symbol - 1)
    this.#grams.add(entry, page, symbol, this.#endOf(entry) + place - 1)
  }

  /** Puts the fields of an entry into their chains; a blanked one has none. */
  #chain(entry: number): void {
    const mint = this.#starts.get(entry)
    const name = this.#fieldEnd(mint) + 1
    const symbol = this.#fieldEnd(name) + 1
    this.#mintChains.push(this.#wholeKey(mint))
    this.#symbolChains.push(this.#wholeKey(symbol))
    this.#places.push(name)
    this.#places.push(symbol)
    for (const from of [name, symbol])
      if (this.#isEmpty(from)) this.#beginnings.skip()
      else this.#beginnings.push(this.#texts.page(from), from & PLACE_MASK)
  }

  #wholeKey(from: number): number | null {
    if (this.#isEmpty(from)) return null
    const at = from & PLACE_MASK
    return hashOf(this.#texts.page(from), at, at + this.#fieldEnd(from) - from)
  }

  #isEmpty(from: number): boolean {
    return this.#texts.page(from)[from & PLACE_MASK] >= FIELD_END
  }

  #fieldEnd(from: number): number {
    const page = this.#texts.page(from)
    let at = from & PLACE_MASK
    while (page[at] < FIELD_END) at++
    return from + at - (from & PLACE_MASK)
  }

  #views(): Uint8Array[] {
    const lists = [this.#starts, this.#tokens, this.#entryOfToken]
    return [this.#texts, ...lists].flatMap((part) => part.views())
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
    const page = this.#texts.page(at)
    const from = at & PLACE_MASK
    for (let i = 0; i < needle.length; i++) if (page[from + i] !== needle[i]) return false
    return true
  }
}

/** A query in the form of the stored texts. */
export function needleOf(query: string): Buffer {
  return Buffer.from(foldCase(query))
}

function isCommon(count: number, entries: number): boolean {
  return count >= COMMON_LEAST && count * COMMON_SHARE > entries
}

/** FNV-1a of the first bytes and the length. */
function hashOf(bytes: Uint8Array, from: number, to: number): number {
  let hash = 0x811c9dc5 ^ (to - from)
  const end = Math.min(to, from + HASHED_BYTES)
  for (let at = from; at < end; at++) hash = Math.imul(hash ^ bytes[at], 0x01000193)
  return hash ^ (hash >>> 16)
}

/**
 * So many first bytes have a chain each: what is typed is looked for in the longest that it fills. Of
 * 13,083 recorded names and symbols a chain has 1.8, 0.7 and 0.08 in a hundred tokens.
 */
const BEGINNING_BYTES = [2, 3, 8] as const
const BYTE_VALUES = 1 << 8

/** Texts, numbered from 0 up, in chains of those that begin with the same bytes. */
class BeginningChains {
  readonly #levels = BEGINNING_BYTES.map((length) => ({ length, chains: new NumberChains() }))

  get chains(): readonly NumberChains[] {
    return this.#levels.map(({ chains }) => chains)
  }

  /** Adds the next text, of which no byte is missing: what stands behind it counts as well. */
  push(bytes: Uint8Array, from: number): void {
    for (const { length, chains } of this.#levels) chains.push(keyOf(bytes, from, length))
  }

  /** Numbers a text that is in no chain. */
  skip(): void {
    for (const { chains } of this.#levels) chains.push(null)
  }

  /**
   * Numbers of the texts that may begin with the needle, those that do among them, newest first; null
   * when it is so short that all of them do, and they are more than `most`.
   */
  candidates(needle: Uint8Array, most: number): Uint32Array | null {
    const [shortest] = this.#levels
    const { length, chains } =
      this.#levels.findLast((level) => level.length <= needle.length) ?? shortest
    const keys = needle.length < length ? keysOf(needle[0]) : [keyOf(needle, 0, length)]
    const haveAll = needle.length <= shortest.length
    return haveAll && chains.countOf(keys) > most ? null : chains.numbersOf(keys)
  }
}

/** Of two bytes the chain is their own, of more one that few others have. */
function keyOf(bytes: Uint8Array, from: number, length: number): number {
  let key = bytes[from] * BYTE_VALUES + bytes[from + 1]
  for (let at = from + 2; at < from + length; at++)
    key = (Math.imul(key ^ bytes[at], 0x9e3779b1) >>> 16) ^ key
  return key
}

/** Chains of the texts that begin with one byte, whatever stands behind it. */
function keysOf(byte: number): readonly number[] {
  return Array.from({ length: BYTE_VALUES }, (_, next) => byte * BYTE_VALUES + next)
}

/** Bytes that UTF-8 never has divide fields and tokens, so that a match never spans two. */
const FIELD_END = 0xfe
const TOKEN_END = 0xff

const END_OF_FIELD = Buffer.of(FIELD_END)
const END_OF_TOKEN = Buffer.of(TOKEN_END)
/** A letter of its own to case folding, though its capital is that of i. */
const DOTLESS_I = 'ı'
const ASCII_ONLY = /^[\0-\x7f]*$/

/** Case-folded fields, each with its end. */
function entryOf(fields: readonly string[]): Buffer {
  const parts = fields.flatMap((text, i) => [
    Buffer.from(foldCase(text)),
    i === fields.length - 1 ? END_OF_TOKEN : END_OF_FIELD,
  ])
  return Buffer.concat(parts)
}

/**
 * A text as it is compared when case does not count: Unicode's full case folding, in which ß is ss,
 * a ligature its letters, and a sigma at the end of a word a sigma. Folded again it stays the same.
 */
function foldCase(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase()
  // Capitals take ß and ligatures apart; small letters first, since ẞ is its own capital.
  const fold = (part: string) => part.toLowerCase().toUpperCase().toLowerCase()
  return text.split(DOTLESS_I).map(fold).join(DOTLESS_I).replaceAll('ς', 'σ')
}
