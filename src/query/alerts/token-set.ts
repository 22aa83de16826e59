/** Tokens of one word. */
export const WORD_BITS = 32
/** Tokens whose bits are stored together. */
const PAGE_TOKENS = 4_096
const PAGE_WORDS = PAGE_TOKENS / WORD_BITS
/** From the number of a word to that of its page. */
const PAGE_SHIFT = 7
/** Changes that are told one by one; past it the pages are. */
const FLIPS_MAX = 4_096

/** Words of a set that are not empty, ascending, and their bits. */
export interface UsedWords {
  readonly words: readonly number[]
  readonly bits: readonly number[]
}

/** Their tokens, ascending. */
export function tokensOf({ words, bits: used }: UsedWords): Uint32Array {
  const tokens = new Uint32Array(words.length * WORD_BITS)
  let count = 0
  for (let i = 0; i < words.length; i++) {
    const first = (words[i] ?? 0) * WORD_BITS
    for (let bits = used[i] ?? 0; bits !== 0; bits &= bits - 1)
      tokens[count++] = first + 31 - Math.clz32(bits & -bits)
  }
  return tokens.subarray(0, count)
}

/** A set of tokens, a bit each, in pages that are stored one by one. */
export class TokenSet {
  #words = new Uint32Array(PAGE_WORDS)
  /** By page: 1 where it changed. */
  #changed = new Uint8Array(1)
  /** Changes in their order: twice the token, and 1 more where it came in; null: there were too many. */
  #flips: number[] | null = []

  get bytes(): number {
    return this.#words.byteLength
  }

  has(token: number): boolean {
    return (((this.#words[token >>> 5] ?? 0) >>> (token & 31)) & 1) === 1
  }

  set(token: number, isIn: boolean): void {
    const word = token >>> 5
    if (word >= this.#words.length) this.#widen(word)
    const bit = 1 << (token & 31)
    const before = this.#words[word] ?? 0
    this.#words[word] = isIn ? before | bit : before & ~bit
    this.#changed[word >>> PAGE_SHIFT] = 1
  }

  /** Puts a token in or takes it out, which `takeFlips` tells. */
  flip(token: number, isIn: boolean): void {
    this.set(token, isIn)
    if (this.#flips?.length === FLIPS_MAX) this.#flips = null
    this.#flips?.push(token * 2 + Number(isIn))
  }

  /** Puts changes that were told back, as changes. */
  flipAgain(flips: readonly number[]): void {
    for (const flip of flips) this.flip(flip >>> 1, flip % 2 === 1)
  }

  /** The changes since the last call, or since the pages were taken; null: too many, which only the pages tell. */
  takeFlips(): readonly number[] | null {
    const flips = this.#flips
    if (flips !== null && flips.length > 0) this.#flips = []
    return flips
  }

  /** The words that have tokens. */
  get used(): UsedWords {
    const used = { words: [] as number[], bits: [] as number[] }
    for (let word = 0; word < this.#words.length; word++) {
      const bits = this.#words[word] ?? 0
      if (bits === 0) continue
      used.words.push(word)
      used.bits.push(bits)
    }
    return used
  }

  /** The tokens that only one of both has, ascending; of some alone. */
  differences(other: TokenSet, { words, bits }: UsedWords): number[] {
    const differing = { words: [] as number[], bits: [] as number[] }
    for (let i = 0; i < words.length; i++) {
      const word = words[i] ?? 0
      const left = ((this.#words[word] ?? 0) ^ (other.#words[word] ?? 0)) & (bits[i] ?? 0)
      if (left === 0) continue
      differing.words.push(word)
      differing.bits.push(left)
    }
    return Array.from(tokensOf(differing))
  }

  /** The pages that changed since the last call, as they are now. */
  *takeChanged(): Generator<readonly [page: number, bits: Uint8Array]> {
    for (const [page, isChanged] of this.#changed.entries()) {
      if (isChanged === 0) continue
      const words = this.#words.slice(page * PAGE_WORDS, (page + 1) * PAGE_WORDS)
      yield [page, new Uint8Array(words.buffer)]
    }
    this.#changed.fill(0)
    this.#flips = []
  }

  /** Puts tokens of one word in, by number of the word. */
  setWord(word: number, bits: number): void {
    if (word >= this.#words.length) this.#widen(word)
    this.#words[word] = (this.#words[word] ?? 0) | bits
  }

  /** Takes all tokens out; nothing of it is stored. */
  clear(): void {
    this.#words.fill(0)
  }

  /** Puts a stored page back. */
  load(page: number, bits: Uint8Array): void {
    const last = (page + 1) * PAGE_WORDS - 1
    if (last >= this.#words.length) this.#widen(last)
    const words = new Uint32Array(bits.slice().buffer)
    this.#words.set(words.subarray(0, PAGE_WORDS), page * PAGE_WORDS)
  }

  #widen(word: number): void {
    const pages = Math.ceil((word + 1) / PAGE_WORDS)
    const words = new Uint32Array(Math.max(pages * PAGE_WORDS, this.#words.length * 2))
    words.set(this.#words)
    this.#words = words
    const changed = new Uint8Array(words.length / PAGE_WORDS)
    changed.set(this.#changed)
    this.#changed = changed
  }
}
