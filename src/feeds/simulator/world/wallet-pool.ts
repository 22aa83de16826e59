import type { Random } from '../../../base/random.ts'
import { randomAddress } from './token-text.ts'

/** What the simulator needs of the address book: dense ids for the addresses it invents. */
export interface Interner {
  token(mint: string): number
  wallet(address: string): number
  address(text: string): number
}

const MAX_WALLETS = 200_000
const MIN_WALLETS = 4_000
const WALLETS_PER_TOKEN = 20
/** Bots that trade all day: 93 of the 100 most active wallets of the platform are bots. */
const BOTS = 300
/** One trade in 64 is by a wallet nobody has seen. */
const FRESH_MASK = 63
const UNMADE = -1

/** The wallets that trade: few very active ones, many quiet ones, some new ones all the time. */
export class WalletPool {
  readonly #ids: Int32Array
  readonly #book: Interner
  readonly #random: Random
  /** Whether the wallet returned last was made for that call: its balances are known to be zero. */
  isNew = false

  constructor(tokens: number, book: Interner, random: Random) {
    const size = Math.min(MAX_WALLETS, Math.max(MIN_WALLETS, tokens * WALLETS_PER_TOKEN))
    this.#ids = new Int32Array(size).fill(UNMADE)
    this.#book = book
    this.#random = random
  }

  /** Wallets of an earlier run, the most active first: they are the first to trade again. */
  takeUp(wallets: readonly number[]): void {
    this.#ids.set(wallets.slice(0, this.#ids.length))
  }

  /** Any trader. */
  trader(): number {
    const bits = this.#random.next()
    if ((bits & FRESH_MASK) === 0) return this.fresh()
    if (((bits >>> 6) & 3) === 0) return this.bot()
    // The cube bends a uniform draw into a power law over ranks.
    const unit = (bits >>> 8) * 2 ** -24
    return this.#at(Math.floor(unit * unit * unit * this.#ids.length))
  }

  /** One of the bots. */
  bot(): number {
    const unit = this.#random.unit()
    return this.#at(Math.floor(unit * unit * BOTS))
  }

  /** Address of a wallet that no draw gives: its holder entries are all that it holds. */
  outsider(): string {
    return randomAddress(this.#random)
  }

  /** A wallet never seen before; it takes the place of a quiet one. */
  fresh(): number {
    const place = BOTS + this.#random.below(this.#ids.length - BOTS)
    return this.#make(place)
  }

  #at(place: number): number {
    const id = this.#ids[place]
    if (id === UNMADE) return this.#make(place)
    this.isNew = false
    return id
  }

  #make(place: number): number {
    const id = this.#book.wallet(randomAddress(this.#random))
    this.#ids[place] = id
    this.isNew = true
    return id
  }
}
