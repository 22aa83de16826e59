import type { ToldTransaction } from './source.ts'

/** Transactions of slots already handed over that wait for the next slot; past it the oldest go. */
const STRAYS_MAX = 10_000

interface Stray {
  readonly transaction: ToldTransaction
  /** Whether a slot was handed over since it came. */
  readonly hasWaited: boolean
}

/**
 * Transactions that came after their slot. Each waits for one more slot: a peer that names a wrong slot
 * tells the right one meanwhile.
 */
export class Strays {
  readonly #strays = new Map<string, Stray>()

  has(signature: string): boolean {
    return this.#strays.has(signature)
  }

  /** Keeps one that is new; the answer is the oldest, where there is no room for both. */
  keep(transaction: ToldTransaction): ToldTransaction | null {
    this.#strays.set(transaction.signature, { transaction, hasWaited: false })
    if (this.#strays.size <= STRAYS_MAX) return null
    const [oldest] = this.#strays.values()
    return this.#remove(oldest.transaction)
  }

  /** One that is kept is told once more: with its index in the block it is the better one. */
  toldAgain(transaction: ToldTransaction): void {
    const known = this.#strays.get(transaction.signature)
    if (known !== undefined && transaction.isExact && !known.transaction.isExact)
      this.#strays.set(transaction.signature, { ...known, transaction })
  }

  /** A slot was handed over: takes out those that have waited for it, and `mayGo`. */
  takeWaited(mayGo: (transaction: ToldTransaction) => boolean): readonly ToldTransaction[] {
    const waited: ToldTransaction[] = []
    for (const [signature, { transaction, hasWaited }] of [...this.#strays]) {
      if (hasWaited && mayGo(transaction)) waited.push(this.#remove(transaction))
      else this.#strays.set(signature, { transaction, hasWaited: true })
    }
    return waited
  }

  takeAll(): readonly ToldTransaction[] {
    return [...this.#strays.values()].map(({ transaction }) => this.#remove(transaction))
  }

  #remove(transaction: ToldTransaction): ToldTransaction {
    this.#strays.delete(transaction.signature)
    return transaction
  }
}
