import type { Random } from '../../../base/random.ts'
import { type HolderTable, Known } from './holder-table.ts'
import type { Interner } from './interner.ts'
import type { MarketParts } from './parts.ts'
import type { StateWriter } from './swap-writer.ts'
import { T, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'
import type { WalletPool } from './wallet-pool.ts'

/** Wallets that a creator spreads its first buy to. */
const MIN_RECEIVERS = 2
const MAX_RECEIVERS = 5

type HoldingsParts = Pick<
  MarketParts,
  'tokens' | 'holders' | 'wallets' | 'state' | 'book' | 'random'
>

/**
 * Tokens that change hands, or end, without a swap. Only holders whose balance is known whole do it, so
 * that what is told of them is the truth.
 */
export class Holdings {
  readonly #tokens: TokenTable
  readonly #holders: HolderTable
  readonly #wallets: WalletPool
  readonly #state: StateWriter
  readonly #book: Interner
  readonly #random: Random

  constructor(parts: HoldingsParts) {
    this.#tokens = parts.tokens
    this.#holders = parts.holders
    this.#wallets = parts.wallets
    this.#state = parts.state
    this.#book = parts.book
    this.#random = parts.random
  }

  /** Spreads what the holder at `place` has to several new wallets; nearly always all of it. */
  spread(row: number, place: number): void {
    const receivers = this.#random.between(MIN_RECEIVERS, MAX_RECEIVERS)
    const keeps = this.#random.chance(0.3) ? 1 : 0
    const part = Math.floor(this.#holders.baseAt(row, place) / (receivers + keeps))
    if (part === 0) return
    this.giveAway(row, place, receivers * part)
    for (let i = 0; i < receivers; i++) this.receive(row, part)
  }

  /** Hands `baseRaw` of the holder at `place` on to one new wallet. */
  handOn(row: number, place: number, baseRaw: number): void {
    this.giveAway(row, place, baseRaw)
    this.receive(row, baseRaw)
  }

  /** The holder at `place` burns `baseRaw`. */
  burn(row: number, place: number, baseRaw: number): void {
    this.lowerSupply(row, baseRaw)
    this.#state.reserves(row, 'burn')
    this.giveAway(row, place, baseRaw)
  }

  /** The holder at `place` has `baseRaw` less, which is told. */
  giveAway(row: number, place: number, baseRaw: number): void {
    const left = this.#holders.baseAt(row, place) - baseRaw
    this.#state.balance(row, this.#holders.addressAt(row, place), left)
    this.#holders.take(row, place, baseRaw)
  }

  /** A new wallet has `baseRaw`, which is told. */
  receive(row: number, baseRaw: number): void {
    const address = this.#wallets.outsider()
    this.#state.balance(row, address, baseRaw)
    const wallet = this.#book.wallet(address)
    const place = this.#holders.add(row, wallet, baseRaw, this.#random.next() >>> 1)
    this.#holders.know(row, place, Known.balance, address)
  }

  lowerSupply(row: number, baseRaw: number): void {
    this.#tokens.lanes[row * TOKEN_LANES + T.supply] -= baseRaw
    this.#tokens.add(row, Trait.supplyTold)
  }
}
