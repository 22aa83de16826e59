import { Budget } from '../../base/budget.ts'
import { TapeDamage } from '../../base/errors.ts'
import { type ChainCopy, CopiedChains } from '../state/dormant.ts'
import { ColdPositionLane, ColdWalletLane, PositionLane, WalletLane } from '../state/layout.ts'
import { isDormant } from '../state/position-lists.ts'
import type { State } from '../state/state.ts'

/** Wallets that traded fewer mints hold so little of cold tokens that it is read where it lies. */
const CACHED_FROM_MINTS = 128
/** Wallets that traded and wait to be read; those that find no room are read by the sweep, or at their next trade. */
const DUE_MAX = 4_096
/**
 * Holdings of all wallets that are kept, of 16 bytes each and room for as many; of more, those of the wallets
 * used longest ago go, and are read where they lie.
 */
const HOLDINGS_MAX = 1 << 21
/** Each of them has many: as long as there is room for their holdings there is room for them. */
const WALLETS_MAX = HOLDINGS_MAX / CACHED_FROM_MINTS
/** Wallets looked at between two questions whether there is time for more. */
const WALLETS_A_LOOK = 256
/** u32 lanes of a holding: its record on the dormant tape, its mint, its balance. */
const HOLDING = { record: 0, token: 1, balanceLo: 2, balanceHi: 3 } as const
const HOLDING_LANES = 4

/** Is given a holding of a cold token: its mint and its balance. */
type VisitHolding = (token: number, balanceLo: number, balanceHi: number) => void

/**
 * What wallets of many mints hold of cold tokens. When one turns pro, or no longer is, each of its mints
 * counts it anew in that very moment, and to read the disk for each would hold the loop for 5 to 20
 * microseconds: 20,000 of them took 100 to 400 ms. So the few numbers that it takes are copied in pieces,
 * before. They are derived, and no part of the state: what is not copied yet is read where it lies.
 */
export class ColdHoldingsCache {
  readonly #state: State
  readonly #fromMints: number
  readonly #holdingsMax: number
  readonly #wallets: CopiedChains
  readonly #due = new Set<number>()
  /** Wallets before this one were read. */
  #swept = 0

  constructor(state: State, fromMints = CACHED_FROM_MINTS, holdingsMax = HOLDINGS_MAX) {
    this.#state = state
    this.#fromMints = fromMints
    this.#holdingsMax = holdingsMax
    this.#wallets = new CopiedChains(
      HOLDING_LANES / 2,
      { records: holdingsMax, chains: WALLETS_MAX },
      (record, copy) => this.#read(record, copy),
    )
  }

  get bytes(): number {
    return this.#wallets.bytes
  }

  /** Forgets all: the tape is another one. */
  drop(): void {
    this.#wallets.drop()
    this.#due.clear()
    this.#swept = 0
  }

  /** A wallet traded that has something on the dormant tape: its judgement may turn soon. */
  traded(wallet: number, mints: number): void {
    if (mints >= this.#fromMints && this.#due.size < DUE_MAX) this.#due.add(wallet)
  }

  /**
   * Reads what wallets hold, those that traded first.
   * @throws OutOfTime before all of them are read
   */
  load(budget: Budget): void {
    for (const wallet of this.#due) {
      this.#tryCopy(wallet, budget)
      this.#due.delete(wallet)
    }
    const { wallets } = this.#state
    // Where wallets had to go, others are read only when they trade.
    while (!this.#wallets.isFull && this.#swept < wallets.count) {
      this.#tryCopy(this.#swept, budget)
      this.#swept += 1
      if (this.#swept % WALLETS_A_LOOK === 0) budget.throwIfSpent()
    }
  }

  /**
   * Visits what a wallet holds of cold tokens, in the order of its chain: the newest record first.
   * @throws TapeDamage when something that is not copied cannot be read
   */
  visit(wallet: number, visit: VisitHolding): void {
    const copy = this.#copy(wallet, Budget.unlimited)
    if (copy === null) {
      this.#visitWhereTheyLie(wallet, visit)
      return
    }
    const lanes = copy.u32
    for (let at = (copy.count - 1) * HOLDING_LANES; at >= 0; at -= HOLDING_LANES) {
      const token = lanes[at + HOLDING.token]
      // It may be awake by now.
      if (isDormant(this.#state, token, lanes[at + HOLDING.record]))
        visit(token, lanes[at + HOLDING.balanceLo], lanes[at + HOLDING.balanceHi])
    }
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

  /** As `#copy`; what cannot be read is told when somebody needs it. */
  #tryCopy(wallet: number, budget: Budget): void {
    try {
      this.#copy(wallet, budget)
    } catch (error) {
      if (!(error instanceof TapeDamage)) throw error
    }
  }

  /** All that a wallet holds; null: it is not to be kept. */
  #copy(wallet: number, budget: Budget): ChainCopy | null {
    const newestPlus1 = this.#newestPlus1(wallet)
    const mints = this.#state.wallets.get(wallet, WalletLane.mints)
    // One that may find no room even alone would have all others go.
    if (newestPlus1 === 0 || mints < this.#fromMints || mints > this.#holdingsMax) return null
    return this.#wallets.copy(wallet, newestPlus1, budget)
  }

  /** What left its run is never again what it was: it is passed over. */
  #read(record: number, copy: ChainCopy): number {
    const { dormant } = this.#state
    const p = dormant.tape.u32Of(record)
    const pAt = dormant.tape.at(record)
    const token = p[pAt + PositionLane.token]
    const lo = p[pAt + PositionLane.balanceLo]
    const hi = p[pAt + PositionLane.balanceLo + 1]
    const nextPlus1 = dormant.previous(record, ColdPositionLane.previousHolderPlus1)
    if (!isDormant(this.#state, token, record)) return nextPlus1
    const at = copy.add() * 2
    copy.u32[at + HOLDING.record] = record
    copy.u32[at + HOLDING.token] = token
    copy.u32[at + HOLDING.balanceLo] = lo
    copy.u32[at + HOLDING.balanceHi] = hi
    return nextPlus1
  }

  /** Its newest record with a balance + 1; 0 for none. */
  #newestPlus1(wallet: number): number {
    const row = this.#state.wallets.get(wallet, WalletLane.dormantPlus1) - 1
    return row < 0 ? 0 : this.#state.dormant.wallets.get(row, ColdWalletLane.newestHolderPlus1)
  }
}
