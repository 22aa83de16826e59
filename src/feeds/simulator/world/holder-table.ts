import { I, TOKEN_INTS, type TokenTable } from './token-table.ts'

/** Recent holders remembered for each token. */
export const HOLDERS_PER_TOKEN = 16

/** What is known of a holder beside what it bought. Only a balance that is known whole can be emitted. */
export const Known = {
  nothing: 0,
  /** Its entry is all that it holds of the token. */
  balance: 1,
  /** That, and that it holds nothing of the coin that the token is quoted in. */
  noQuote: 2,
} as const

/** Bits of an entry that hold the wallet: there are fewer of them than addresses. */
const WALLET_BITS = 29
const WALLET_MASK = 2 ** WALLET_BITS - 1

/**
 * Who can sell: for each token its recent buyers and what they hold. A full row forgets one of them
 * for each new buyer; the forgotten hold their tokens for good, so nobody ever sells more than was
 * bought. Row 0 is the creator as long as it holds, and is not forgotten.
 */
export class HolderTable {
  /** Wallets, and one of `Known` in the upper bits: a lane of its own would be one more miss of the cache. */
  readonly #wallets: Int32Array
  readonly #baseRaw: Float64Array
  /** Addresses of the known holders that are no creators, by entry: no more than there are entries. */
  readonly #addresses = new Map<number, string>()
  readonly #ints: Int32Array
  readonly #creators: readonly string[]

  constructor(capacity: number, tokens: TokenTable) {
    this.#wallets = new Int32Array(capacity * HOLDERS_PER_TOKEN)
    this.#baseRaw = new Float64Array(capacity * HOLDERS_PER_TOKEN)
    this.#ints = tokens.ints
    this.#creators = tokens.creators
  }

  walletAt(row: number, place: number): number {
    return this.#wallets[row * HOLDERS_PER_TOKEN + place] & WALLET_MASK
  }

  baseAt(row: number, place: number): number {
    return this.#baseRaw[row * HOLDERS_PER_TOKEN + place]
  }

  knownAt(row: number, place: number): number {
    return this.#wallets[row * HOLDERS_PER_TOKEN + place] >> WALLET_BITS
  }

  /** Of a holder of whom something is known. */
  addressAt(row: number, place: number): string {
    return this.#addresses.get(row * HOLDERS_PER_TOKEN + place) ?? this.#creators[row]
  }

  /** Returns the place; `random` picks who is forgotten. */
  add(row: number, wallet: number, baseRaw: number, random: number): number {
    const countAt = row * TOKEN_INTS + I.holders
    const count = this.#ints[countAt]
    let place = count
    if (count === HOLDERS_PER_TOKEN) place = 1 + (random % (HOLDERS_PER_TOKEN - 1))
    else this.#ints[countAt] = count + 1
    const at = row * HOLDERS_PER_TOKEN + place
    if (this.#wallets[at] > WALLET_MASK) this.#addresses.delete(at)
    this.#wallets[at] = wallet
    this.#baseRaw[at] = baseRaw
    return place
  }

  /** The creator at `place` never buys again: its entry is all that it has. */
  knowCreator(row: number, place: number): void {
    this.#wallets[row * HOLDERS_PER_TOKEN + place] |= Known.balance << WALLET_BITS
  }

  /** Says what is known of the holder at `place`, who is not the creator. */
  know(row: number, place: number, known: number, address: string): void {
    const at = row * HOLDERS_PER_TOKEN + place
    this.#wallets[at] = (this.#wallets[at] & WALLET_MASK) | (known << WALLET_BITS)
    this.#addresses.set(at, address)
  }

  /** More for the holder at `place`. */
  give(row: number, place: number, baseRaw: number): void {
    this.#baseRaw[row * HOLDERS_PER_TOKEN + place] += baseRaw
  }

  /** Takes `baseRaw` from the holder at `place`; one with nothing left is removed. */
  take(row: number, place: number, baseRaw: number): void {
    const at = row * HOLDERS_PER_TOKEN + place
    const left = this.#baseRaw[at] - baseRaw
    this.#baseRaw[at] = left
    if (left > 0) return
    const countAt = row * TOKEN_INTS + I.holders
    const last = this.#ints[countAt] - 1
    this.#ints[countAt] = last
    const lastAt = row * HOLDERS_PER_TOKEN + last
    const wallet = this.#wallets[lastAt]
    if (this.#wallets[at] > WALLET_MASK || wallet > WALLET_MASK) this.#moveAddress(lastAt, at)
    this.#wallets[at] = wallet
    this.#baseRaw[at] = this.#baseRaw[lastAt]
    this.#wallets[lastAt] = 0
  }

  /** The entry no longer is all that its wallet holds. */
  lose(row: number, place: number): void {
    const at = row * HOLDERS_PER_TOKEN + place
    this.#wallets[at] &= WALLET_MASK
    this.#addresses.delete(at)
  }

  #moveAddress(from: number, to: number): void {
    const address = from === to ? undefined : this.#addresses.get(from)
    this.#addresses.delete(from)
    if (address === undefined) this.#addresses.delete(to)
    else this.#addresses.set(to, address)
  }
}
