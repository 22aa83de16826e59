import { Known } from './holder-table.ts'
import type { MarketParts } from './parts.ts'
import { T, TOKEN_LANES, Trait } from './token-table.ts'

/** Wallets that a creator spreads its first buy to. */
const MIN_RECEIVERS = 2
const MAX_RECEIVERS = 5

/**
 * Tokens that change hands, or end, without a swap. Only holders whose balance is known whole do it, so
 * that the balances it emits are true.
 */
export class Holdings {
  readonly #parts: MarketParts

  constructor(parts: MarketParts) {
    this.#parts = parts
  }

  /** Spreads what the holder at `place` has to several new wallets; nearly always all of it. */
  spread(row: number, place: number): void {
    const receivers = this.#parts.random.between(MIN_RECEIVERS, MAX_RECEIVERS)
    const keeps = this.#parts.random.chance(0.3) ? 1 : 0
    const part = Math.floor(this.#parts.holders.baseAt(row, place) / (receivers + keeps))
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
    this.#parts.writer.reserves(row, 'burn')
    this.giveAway(row, place, baseRaw)
  }

  /** The holder at `place` has `baseRaw` less, which is emitted. */
  giveAway(row: number, place: number, baseRaw: number): void {
    const left = this.#parts.holders.baseAt(row, place) - baseRaw
    this.#parts.writer.balance(row, this.#parts.holders.addressAt(row, place), left)
    this.#parts.holders.take(row, place, baseRaw)
  }

  /** A new wallet has `baseRaw`, which is emitted. */
  receive(row: number, baseRaw: number): void {
    const address = this.#parts.wallets.outsider()
    this.#parts.writer.balance(row, address, baseRaw)
    const wallet = this.#parts.book.wallet(address)
    const place = this.#parts.holders.add(row, wallet, baseRaw, this.#parts.random.next() >>> 1)
    this.#parts.holders.know(row, place, Known.balance, address)
  }

  lowerSupply(row: number, baseRaw: number): void {
    this.#parts.tokens.lanes[row * TOKEN_LANES + T.supply] -= baseRaw
    this.#parts.tokens.add(row, Trait.supplyGiven)
  }
}
