/** Order of two tokens by keys that stay as they are while both are listed; never 0 for two tokens. */
type CompareTokens = (a: number, b: number) => number

/** Tokens of a block at most: moving half of one costs less than finding the place. */
const BLOCK_TOKENS_MAX = 512

/** Some tokens in order, the first `count` of an array that has room for more. */
export interface TokenBlock {
  readonly tokens: Uint32Array
  readonly count: number
}

/**
 * Tokens in order, least first, as blocks of a few hundred: one that comes, goes or moves costs a
 * search and the shift of a part of a block, however many there are.
 */
export class OrderedTokens {
  readonly #compare: CompareTokens
  /** Never empty ones. */
  #blocks: Block[] = []
  #count = 0

  constructor(compare: CompareTokens) {
    this.#compare = compare
  }

  get count(): number {
    return this.#count
  }

  get bytes(): number {
    return this.#blocks.length * BLOCK_TOKENS_MAX * Uint32Array.BYTES_PER_ELEMENT
  }

  /** All tokens, least first. */
  get tokens(): number[] {
    return this.#blocks.flatMap(({ tokens, count }) => [...tokens.subarray(0, count)])
  }

  /** The tokens as they lie, a few hundred behind one another; good until the next change. */
  get blocks(): readonly TokenBlock[] {
    return this.#blocks
  }

  /** Makes it these tokens, in any order. */
  reset(tokens: number[]): void {
    tokens.sort(this.#compare)
    this.#count = tokens.length
    this.#blocks = []
    for (let at = 0; at < tokens.length; at += BLOCK_TOKENS_MAX)
      this.#blocks.push(new Block(tokens.slice(at, at + BLOCK_TOKENS_MAX)))
  }

  /** Adds a token that is not listed. */
  add(token: number): void {
    this.#count += 1
    const place = this.#blockOf(token)
    if (place < 0) {
      this.#blocks.push(new Block([token]))
      return
    }
    const block = this.#blocks[place]
    const at = this.#placeIn(block, token)
    if (block.count < BLOCK_TOKENS_MAX) block.insert(at, token)
    else if (at === block.count && place === this.#blocks.length - 1)
      // The newest come last: what they leave behind stays full, for who reads on and on.
      this.#blocks.push(new Block([token]))
    else {
      const other = block.split()
      this.#blocks.splice(place + 1, 0, other)
      if (at <= block.count) block.insert(at, token)
      else other.insert(at - block.count, token)
    }
  }

  /** Takes out a token that is listed, by the keys that it was added with. */
  remove(token: number): void {
    this.#count -= 1
    const place = this.#blockOf(token)
    const block = this.#blocks[place]
    block.remove(this.#placeIn(block, token))
    if (block.count === 0) this.#blocks.splice(place, 1)
  }

  /** The last block whose first token is not behind this one, else the first; -1 without blocks. */
  #blockOf(token: number): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.#blocks[middle].tokens[0], token) <= 0) low = middle + 1
      else high = middle
    }
    return low === 0 && this.#blocks.length > 0 ? 0 : low - 1
  }

  /** The first place in a block whose token is not before this one. */
  #placeIn({ tokens, count }: TokenBlock, token: number): number {
    let low = 0
    let high = count
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(tokens[middle], token) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}

/** Some hundred tokens: integers side by side, as a scan reads them. */
class Block implements TokenBlock {
  readonly tokens = new Uint32Array(BLOCK_TOKENS_MAX)
  count: number

  /** BLOCK_TOKENS_MAX tokens at most. */
  constructor(tokens: ArrayLike<number>) {
    this.tokens.set(tokens)
    this.count = tokens.length
  }

  insert(at: number, token: number): void {
    this.tokens.copyWithin(at + 1, at, this.count)
    this.tokens[at] = token
    this.count += 1
  }

  remove(at: number): void {
    this.tokens.copyWithin(at, at + 1, this.count)
    this.count -= 1
  }

  /** Keeps the first half; returns the other. */
  split(): Block {
    const half = this.count >>> 1
    const other = new Block(this.tokens.subarray(half, this.count))
    this.count = half
    return other
  }
}
