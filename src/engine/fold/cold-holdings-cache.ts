import { Budget } from '../../base/budget.ts'
import { TapeDamage } from '../../base/damage.ts'
import { walletLane } from '../state/lanes.ts'
import { ColdPositionLane, ColdWalletLane, PositionLane, WalletLane } from '../state/layout.ts'
import { isDormant } from '../state/position-lists.ts'
import type { State } from '../state/state.ts'
import { type VisitHolding, WalletHoldings } from '../state/wallet-holdings.ts'

/** Wallets that traded fewer mints have so little that rests that it is read where it lies. */
const NEARED_FROM_MINTS = 128
/** Wallets that traded and wait to be brought near; the sweep, or their next trade, comes by those that find no room. */
const DUE_MAX = 4_096
/**
 * Holdings of all wallets that are kept, of 16 bytes each and room for as many; of more, those of the wallets
 * used longest ago go, and are read where they lie.
 */
const HOLDINGS_MAX = 1 << 21
/** Wallets looked at between two questions whether there is time for more. */
const WALLETS_A_LOOK = 256

/**
 * What wallets of many mints hold of those that rest. When one turns pro, or no longer is, each of its mints
 * counts it anew in that very moment, and to read the disk for each would hold the loop for 5 to 20
 * microseconds: 20,000 of them took 100 to 400 ms. So the few numbers that it takes are brought near in
 * pieces, before. They are derived, and no part of the state: what is not near yet is read as it lies.
 */
export class ColdHoldingsCache {
  readonly #state: State
  readonly #nearedFromMints: number
  readonly #holdingsMax: number
  /** The one used longest ago comes first. */
  readonly #wallets = new Map<number, WalletHoldings>()
  readonly #due = new Set<number>()
  /** Wallets before this one were come by. */
  #swept = 0
  #kept = 0
  /** Wallets had to go: others come near only when they trade. */
  #isFull = false

  constructor(state: State, nearedFromMints = NEARED_FROM_MINTS, holdingsMax = HOLDINGS_MAX) {
    this.#state = state
    this.#nearedFromMints = nearedFromMints
    this.#holdingsMax = holdingsMax
  }

  get bytes(): number {
    let sum = 0
    for (const { bytes } of this.#wallets.values()) sum += bytes
    return sum
  }

  /** Forgets all: the tape is another one. */
  drop(): void {
    this.#wallets.clear()
    this.#due.clear()
    this.#swept = 0
    this.#kept = 0
    this.#isFull = false
  }

  /** A wallet traded that has something on the dormant tape: its judgement may turn soon. */
  traded(wallet: number, mints: number): void {
    if (mints >= this.#nearedFromMints && this.#due.size < DUE_MAX) this.#due.add(wallet)
  }

  /**
   * Reads what wallets hold, those that traded first.
   * @throws OutOfTime before all of them are read
   */
  load(budget: Budget): void {
    for (const wallet of this.#due) {
      this.#tryRead(wallet, budget)
      this.#due.delete(wallet)
    }
    const { wallets } = this.#state
    while (!this.#isFull && this.#swept < wallets.count) {
      this.#tryRead(this.#swept, budget)
      this.#swept += 1
      if (this.#swept % WALLETS_A_LOOK === 0) budget.throwIfSpent()
    }
  }

  /**
   * Visits what a wallet holds of mints that rest, in the order of its chain: the newest record first.
   * @throws TapeDamage when something that is not near cannot be read
   */
  visit(wallet: number, visit: VisitHolding): void {
    this.#read(wallet, Budget.unlimited)
    const holdings = this.#wallets.get(wallet)
    if (holdings === undefined) this.#visitWhereTheyLie(wallet, visit)
    else holdings.visit(visit)
  }

  #visitWhereTheyLie(wallet: number, visit: VisitHolding): void {
    const { dormant } = this.#state
    for (let next = this.#newestPlus1(wallet); next !== 0; ) {
      const record = next - 1
      const p = dormant.tape.u32Of(record)
      const pAt = dormant.tape.at(record)
      const token = p[pAt + PositionLane.token]
      const lo = p[pAt + PositionLane.balanceLo]
      const hi = p[pAt + PositionLane.balanceLo + 1]
      next = dormant.previous(record, ColdPositionLane.previousHolderPlus1)
      if (isDormant(this.#state, token, record)) visit(token, lo, hi)
    }
  }

  /** As `#read`; what cannot be read is told when somebody needs it. */
  #tryRead(wallet: number, budget: Budget): void {
    try {
      this.#read(wallet, budget)
    } catch (error) {
      if (!(error instanceof TapeDamage)) throw error
    }
  }

  /** Reads all that a wallet holds, unless it is not to be kept. */
  #read(wallet: number, budget: Budget): void {
    const newestPlus1 = this.#newestPlus1(wallet)
    const holdings = this.#used(wallet) ?? this.#begin(wallet, newestPlus1)
    while (holdings !== null && !holdings.reaches(newestPlus1)) {
      const before = holdings.count
      holdings.takeNext(newestPlus1)
      this.#kept += holdings.count - before
      if (this.#kept > this.#holdingsMax && !this.#hasRoomFor(wallet)) return
      budget.throwIfSpent()
    }
  }

  /** What is kept of a wallet, which is now the one used last. */
  #used(wallet: number): WalletHoldings | undefined {
    const holdings = this.#wallets.get(wallet)
    if (holdings === undefined) return undefined
    this.#wallets.delete(wallet)
    this.#wallets.set(wallet, holdings)
    return holdings
  }

  /** Lets the wallets go that were used longest ago; false: the one that was used last is gone too. */
  #hasRoomFor(lastUsed: number): boolean {
    this.#isFull = true
    for (const [wallet, { count }] of this.#wallets) {
      if (this.#kept <= this.#holdingsMax) break
      this.#kept -= count
      this.#wallets.delete(wallet)
    }
    return this.#wallets.has(lastUsed)
  }

  /** Null: it is not to be kept. */
  #begin(wallet: number, newestPlus1: number): WalletHoldings | null {
    const mints = walletLane(this.#state, wallet, WalletLane.mints)
    // One that may find no room even alone would have all others go.
    if (newestPlus1 === 0 || mints < this.#nearedFromMints || mints > this.#holdingsMax) return null
    const holdings = new WalletHoldings(this.#state)
    this.#wallets.set(wallet, holdings)
    return holdings
  }

  /** Its newest record with a balance + 1; 0 for none. */
  #newestPlus1(wallet: number): number {
    const row = walletLane(this.#state, wallet, WalletLane.dormantPlus1) - 1
    return row < 0 ? 0 : this.#state.dormant.walletLane(row, ColdWalletLane.newestHolderPlus1)
  }
}
