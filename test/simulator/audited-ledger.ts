import { must } from './must.ts'

/** A route through two coins may leave this much of the middle one behind, in raw units. */
const DUST_MAX = 2n

/** Who holds how much of one token, and what is locked in curves and pools that are quoted in it. */
export class AuditedLedger {
  /** Tokens that are neither in the token's own reserves nor burned. */
  out = 0n
  /** Of these: reserves and fees of tokens that are quoted in this one, and the dust of routes. */
  locked = 0n
  #held = 0n
  /** On its way through a route: nobody holds it. */
  #onItsWay = 0n
  #traveller = ''
  readonly #holdings = new Map<string, bigint>()
  /** Balances that swaps of other tokens changed: the transaction has to tell them. */
  readonly #untold = new Set<string>()

  of(wallet: string): bigint {
    return this.#holdings.get(wallet) ?? 0n
  }

  add(wallet: string, amount: bigint): void {
    const balance = this.of(wallet) + amount
    must(balance >= 0n, 'a balance below zero')
    this.#held += amount
    this.#holdings.set(wallet, balance)
  }

  /** Paid for a token that is quoted in this one, or fetched by it: no swap of this token says so. */
  addUntold(wallet: string, amount: bigint): void {
    this.add(wallet, amount)
    this.#untold.add(wallet)
    this.locked -= amount
  }

  /** A `balance` event. */
  tell(wallet: string, balance: bigint): void {
    if (this.#untold.delete(wallet)) must(this.of(wallet) === balance, 'balance told')
    this.add(wallet, balance - this.of(wallet))
  }

  /** The first hop of a route hands it on. */
  send(wallet: string, amount: bigint): void {
    must(this.#onItsWay === 0n, 'a route in a route')
    this.#onItsWay = amount
    this.#traveller = wallet
  }

  /** The second hop of a route takes it; returns what is left over. */
  receive(wallet: string, amount: bigint): bigint {
    must(this.#traveller === wallet, 'a route of two signers')
    const dust = this.#onItsWay - amount
    must(dust >= 0n && dust <= DUST_MAX, 'a second hop of more, or less, than the first gave')
    this.#onItsWay = 0n
    return dust
  }

  /** At the end of a transaction all tokens are somewhere. */
  close(): void {
    must(this.#onItsWay === 0n, 'a route without an end')
    must(this.#untold.size === 0, 'a balance that no event tells')
    must(this.#held + this.locked === this.out, 'tokens out of nothing, or lost')
  }
}
