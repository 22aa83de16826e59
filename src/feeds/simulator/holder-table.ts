import { I, TOKEN_INTS, type TokenTable } from './token-table.ts'

/** Recent holders remembered for each token. */
export const HOLDERS_PER_TOKEN = 16

/**
 * Who can sell: for each token its recent buyers and what they hold. A full row forgets one of them
 * for each new buyer; the forgotten keep their tokens for good, so nobody ever sells more than was
 * bought. Row 0 is the creator as long as it holds, and is not forgotten.
 */
export class HolderTable {
  readonly wallets: Int32Array
  readonly baseRaw: Float64Array
  readonly #ints: Int32Array

  constructor(capacity: number, tokens: TokenTable) {
    this.wallets = new Int32Array(capacity * HOLDERS_PER_TOKEN)
    this.baseRaw = new Float64Array(capacity * HOLDERS_PER_TOKEN)
    this.#ints = tokens.ints
  }

  walletAt(row: number, place: number): number {
    return this.wallets[row * HOLDERS_PER_TOKEN + place]
  }

  /** Returns the place; `random` picks who is forgotten. */
  add(row: number, wallet: number, baseRaw: number, random: number): number {
    const countAt = row * TOKEN_INTS + I.holders
    const count = this.#ints[countAt]
    let place = count
    if (count === HOLDERS_PER_TOKEN) place = 1 + (random % (HOLDERS_PER_TOKEN - 1))
    else this.#ints[countAt] = count + 1
    const at = row * HOLDERS_PER_TOKEN + place
    this.wallets[at] = wallet
    this.baseRaw[at] = baseRaw
    return place
  }

  /** Takes `baseRaw` from the holder at `place`; one with nothing left is removed. */
  take(row: number, place: number, baseRaw: number): void {
    const at = row * HOLDERS_PER_TOKEN + place
    const left = this.baseRaw[at] - baseRaw
    this.baseRaw[at] = left
    if (left > 0) return
    const countAt = row * TOKEN_INTS + I.holders
    const last = this.#ints[countAt] - 1
    this.#ints[countAt] = last
    this.wallets[at] = this.wallets[row * HOLDERS_PER_TOKEN + last]
    this.baseRaw[at] = this.baseRaw[row * HOLDERS_PER_TOKEN + last]
  }
}
