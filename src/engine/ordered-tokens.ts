/** Order of two tokens by keys that stay as they are while both are listed; never 0 for two tokens. */
export type CompareTokens = (a: number, b: number) => number

/** Tokens of a block at most: moving half of one costs less than finding the place. */
const BLOCK_TOKENS_MAX = 512

/**
 * Tokens in order, least first, as blocks of a few hundred: one that comes, goes or moves costs a
 * search and the shift of a part of a block, however many there are.
 */
export class OrderedTokens {
  readonly #compare: CompareTokens
  /** Never empty ones. */
  #blocks: number[][] = []
  #count = 0

  constructor(compare: CompareTokens) {
    this.#compare = compare
  }

  get count(): number {
    return this.#count
  }

  /** All tokens, least first. */
  get tokens(): number[] {
    return this.#blocks.flat()
  }

  /** The tokens as they lie, a few hundred behind one another; good until the next change. */
  get blocks(): readonly (readonly number[])[] {
    return this.#blocks
  }

  /** Makes it these tokens, in any order. */
  reset(tokens: number[]): void {
    tokens.sort(this.#compare)
    this.#count = tokens.length
    this.#blocks = []
    const step = BLOCK_TOKENS_MAX / 2
    for (let at = 0; at < tokens.length; at += step) this.#blocks.push(tokens.slice(at, at + step))
  }

  /** Adds a token that is not listed. */
  add(token: number): void {
    this.#count += 1
    const place = this.#blockOf(token)
    if (place < 0) {
      this.#blocks.push([token])
      return
    }
    const block = this.#blocks[place]
    const at = this.#placeIn(block, token)
    if (at === block.length) block.push(token)
    else block.splice(at, 0, token)
    if (block.length > BLOCK_TOKENS_MAX)
      this.#blocks.splice(place + 1, 0, block.splice(BLOCK_TOKENS_MAX / 2))
  }

  /** Takes out a token that is listed, by the keys that it was added with. */
  remove(token: number): void {
    this.#count -= 1
    const place = this.#blockOf(token)
    const block = this.#blocks[place]
    block.splice(this.#placeIn(block, token), 1)
    if (block.length === 0) this.#blocks.splice(place, 1)
  }

  /** The last block whose first token is not behind this one, else the first; -1 without blocks. */
  #blockOf(token: number): number {
    let low = 0
    let high = this.#blocks.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(this.#blocks[middle][0], token) <= 0) low = middle + 1
      else high = middle
    }
    return low === 0 && this.#blocks.length > 0 ? 0 : low - 1
  }

  /** The first place in a block whose token is not before this one. */
  #placeIn(block: readonly number[], token: number): number {
    let low = 0
    let high = block.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (this.#compare(block[middle], token) < 0) low = middle + 1
      else high = middle
    }
    return low
  }
}
