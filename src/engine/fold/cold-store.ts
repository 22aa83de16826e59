import { Budget } from '../../base/budget.ts'
import { stepped, TapeDamage } from '../../base/errors.ts'
import { copyU64 } from '../../base/u64.ts'
import type { TopHolders } from '../index/top-holders.ts'
import { ROW_MASK, ROW_SHIFT, ROWS_MAX } from '../memory/rows.ts'
import { firstOfTransaction } from '../order/position-resolver.ts'
import type { ReorderWindow } from '../order/reorder-window.ts'
import { type ChainCopy, CopiedChains, notOfThisRun } from '../state/dormant.ts'
import { flagsOfRow, isHolderRow } from '../state/lanes.ts'
import {
  ColdPositionLane,
  ColdRunLane,
  ColdWalletLane,
  DORMANT_TRADERS_MAX,
  LinkLane,
  MetadataLane,
  PositionFlag,
  PositionLane,
  PositionRowLane,
  TokenLane,
  WalletLane,
} from '../state/layout.ts'
import { isDormant } from '../state/position-lists.ts'
import { PositionRecord } from '../state/position-rows.ts'
import type { State } from '../state/state.ts'

/** Bytes of a position in memory beside its rows: its links, and its slot in a table that is part empty. */
const INDEX_BYTES = LinkLane.lanes * 4 + 16
/** Positions that leave memory before one batch, and some more when the last token has many. */
const POSITIONS_PER_BATCH = 2_048
/** Tokens looked at before one batch. */
const TOKENS_PER_BATCH = 4_096
/** Share of the limit that is cleared at once, so that not every batch starts a new round. */
const CLEARED_SHARE = 1 / 32

/** Wallets that traded fewer mints have few holdings of cold tokens: these are read off the tape. */
const CACHED_FROM_MINTS = 128
/** Wallets that traded and wait to be copied; the others are copied by the sweep, or after their next trade. */
const DUE_MAX = 4_096
/** Copied holdings of all wallets, of 16 bytes each and room for as many; past it those used longest ago go. */
const HOLDINGS_MAX = 1 << 21
/** Each has many holdings: there is room for a wallet as long as there is room for these. */
const WALLETS_MAX = HOLDINGS_MAX / CACHED_FROM_MINTS
/** Wallets between two looks at the budget. */
const WALLETS_A_LOOK = 256
/** u32 lanes of a holding: its record on the dormant tape, its mint, its balance. */
const HOLDING = { record: 0, token: 1, balanceLo: 2, balanceHi: 3 } as const
const HOLDING_LANES = 4

/**
 * Evicts and restores tokens: moves their positions from rows to the dormant tape and back. No answer
 * changes by it, and neither move is ever undone.
 */
export class ColdStore {
  readonly #state: State
  readonly #top: TopHolders
  readonly #order: { readonly reorder: ReorderWindow; catchUp(): void }
  /** Called before positions leave their rows, which may be those of others before the log of changes is read again. */
  readonly beforeEvicted: (() => void)[] = []
  /** Records of a run on their way back. */
  #run = new Uint32Array(64 * PositionLane.lanes)
  readonly #record = new PositionRecord()

  constructor(
    state: State,
    top: TopHolders,
    order: { readonly reorder: ReorderWindow; catchUp(): void },
  ) {
    this.#order = order
    this.#state = state
    this.#top = top
  }

  /** Swaps from the first that no late event can take back any more. */
  get settledSwaps(): number {
    return this.#state.tape.count - this.#order.reorder.swaps
  }

  /** First swap of the oldest transaction that a late event can reach: it changes with every event. */
  reach(): number {
    return firstOfTransaction(this.#state.tape, this.settledSwaps)
  }

  /** Has the token positions in memory, and no event that a late one could take back? */
  mayEvict(token: number, reach: number): boolean {
    const { tokens } = this.#state
    if (token >= tokens.count) return false
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    return (
      t[tAt + TokenLane.positionsPlus1] !== 0 &&
      t[tAt + TokenLane.lastSwapPlus1] <= reach &&
      this.#state.metadata.get(token, MetadataLane.positions) <= DORMANT_TRADERS_MAX &&
      !this.#order.reorder.hasEntryOf(token)
    )
  }

  /** Moves the positions of tokens from memory to the tape. A token that a late event could touch stays. */
  evict(tokens: Iterable<number>): void {
    // By all of its events, those too that late ones have taken back.
    this.#order.catchUp()
    const reach = this.reach()
    for (const note of this.beforeEvicted) note()
    for (const token of tokens) if (this.mayEvict(token, reach)) this.#evict(token)
  }

  #evict(token: number): void {
    const { dormant, positions, tokens } = this.#state
    const run = dormant.runs.add()
    const r = dormant.runs.u32[run >>> ROW_SHIFT]
    const rAt = (run & ROW_MASK) * ColdRunLane.lanes
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    r[rAt + ColdRunLane.first] = dormant.tape.count
    dormant.runs.f64[run >>> ROW_SHIFT][(rAt >>> 1) + ColdRunLane.topSumF] =
      this.#top.scannedSum(token)
    for (let next = t[tAt + TokenLane.positionsPlus1], steps = 0; next !== 0; ) {
      steps = stepped(steps, positions.count, 'positions of a mint')
      const row = next - 1
      const p = positions.u32[row >>> ROW_SHIFT]
      const pAt = (row & ROW_MASK) * PositionRowLane.lanes
      next = p[pAt + PositionRowLane.nextInMintPlus1]
      if (p[pAt + PositionRowLane.flags] & PositionFlag.creator) {
        r[rAt + ColdRunLane.creatorFlags] = flagsOfRow(this.#state, row)
        copyU64(r, rAt + ColdRunLane.creatorBalanceLo, p, pAt + PositionRowLane.balanceLo)
      }
      positions.copy(row, this.#record)
      const dormantRow = this.#dormantRow(p[pAt + PositionRowLane.wallet])
      dormant.append(dormantRow, this.#record.u32, 0, isHolderRow(p, pAt))
      this.#state.dropPosition(row)
      r[rAt + ColdRunLane.count] += 1
    }
    t[tAt + TokenLane.positionsPlus1] = 0
    t[tAt + TokenLane.creatorPositionPlus1] = 0
    t[tAt + TokenLane.dormantPlus1] = run + 1
    dormant.tokens += 1
    dormant.positions += r[rAt + ColdRunLane.count]
    this.#top.invalidate(token)
  }

  /** Have its positions left memory? */
  isCold(token: number): boolean {
    return this.#state.tokens.get(token, TokenLane.dormantPlus1) !== 0
  }

  /**
   * Moves a dormant token's positions back into rows, before anything may change them.
   * @throws TapeDamage when they cannot be read, before any change
   */
  restore(token: number): void {
    if (!this.isCold(token)) return
    const { dormant, positions, tokens } = this.#state
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    const run = t[tAt + TokenLane.dormantPlus1] - 1
    const count = dormant.runs.get(run, ColdRunLane.count)
    this.#read(token, dormant.runs.get(run, ColdRunLane.first), count)
    t[tAt + TokenLane.dormantPlus1] = 0
    this.#state.forgetPositions(token)
    // Oldest first, so that the chain of the mint has its order again.
    for (let i = count - 1; i >= 0; i--) {
      const from = i * PositionLane.lanes
      const row = this.#state.addPosition(token, this.#run[from + PositionLane.wallet])
      this.#record.u32.set(this.#run.subarray(from, from + PositionLane.lanes))
      positions.put(row, this.#record)
      if (this.#run[from + PositionLane.flags] & PositionFlag.creator)
        t[tAt + TokenLane.creatorPositionPlus1] = row + 1
    }
    dormant.runs.giveBack(run)
    dormant.tokens -= 1
    dormant.positions -= count
    dormant.wakings += 1
    this.#top.invalidate(token)
  }

  #read(token: number, first: number, count: number): void {
    if (this.#run.length < count * PositionLane.lanes)
      this.#run = new Uint32Array(count * PositionLane.lanes)
    const { dormant, wallets } = this.#state
    for (let i = 0; i < count; i++) {
      const at = i * PositionLane.lanes
      dormant.copy(first + i, this.#run, at)
      if (
        this.#run[at + PositionLane.token] !== token ||
        this.#run[at + PositionLane.wallet] >= wallets.count
      )
        throw notOfThisRun(first + i)
    }
  }

  /** Row of a wallet among those with something on the dormant tape. */
  #dormantRow(wallet: number): number {
    const { dormant, wallets } = this.#state
    const l = wallets.u32[wallet >>> ROW_SHIFT]
    const lAt = (wallet & ROW_MASK) * WalletLane.lanes
    if (l[lAt + WalletLane.dormantPlus1] === 0)
      l[lAt + WalletLane.dormantPlus1] = dormant.wallets.add() + 1
    return l[lAt + WalletLane.dormantPlus1] - 1
  }
}

/**
 * Holdings of cold tokens, by wallets of many mints. When such a wallet becomes a pro or stops to be one,
 * each of its mints counts it anew at once, and one read of the disk takes 5 to 20 microseconds: 20,000 held
 * the loop for 100 to 400 ms. So the few numbers it takes are copied in pieces, before. They are derived and
 * no part of the state: a holding that is not copied yet is read off the tape.
 */
export class ColdHoldingsCache {
  readonly #state: State
  readonly #fromMints: number
  readonly #holdingsMax: number
  readonly #wallets: CopiedChains
  readonly #due = new Set<number>()
  /** Wallets before this one were copied. */
  #swept = 0

  constructor(state: State, fromMints = CACHED_FROM_MINTS, holdingsMax = HOLDINGS_MAX) {
    this.#state = state
    this.#fromMints = fromMints
    this.#holdingsMax = holdingsMax
    this.#wallets = new CopiedChains(
      HOLDING_LANES / 2,
      { records: holdingsMax, chains: WALLETS_MAX },
      (record, copy) =>
        this.#read(record, (token, balanceLo, balanceHi) => {
          const at = copy.add() * 2
          copy.u32[at + HOLDING.record] = record
          copy.u32[at + HOLDING.token] = token
          copy.u32[at + HOLDING.balanceLo] = balanceLo
          copy.u32[at + HOLDING.balanceHi] = balanceHi
        }),
    )
  }

  get bytes(): number {
    return this.#wallets.bytes
  }

  /** Forgets all: the tape was replaced. */
  drop(): void {
    this.#wallets.drop()
    this.#due.clear()
    this.#swept = 0
  }

  /** A wallet with positions on the dormant tape traded: it may soon become a pro, or stop to be one. */
  traded(wallet: number, mints: number): void {
    if (mints >= this.#fromMints && this.#due.size < DUE_MAX) this.#due.add(wallet)
  }

  /**
   * Copies the holdings of wallets; those that traded are first.
   * @throws OutOfTime before all of them are copied
   */
  load(budget: Budget): void {
    for (const wallet of this.#due) {
      this.#tryCopy(wallet, budget)
      this.#due.delete(wallet)
    }
    const { wallets } = this.#state
    // A full cache takes further wallets only when they trade.
    while (!this.#wallets.isFull && this.#swept < wallets.count) {
      this.#tryCopy(this.#swept, budget)
      this.#swept += 1
      if (this.#swept % WALLETS_A_LOOK === 0) budget.throwIfSpent()
    }
  }

  /**
   * Visits a wallet's holdings of cold tokens in the order of its chain, the newest record first.
   * @throws TapeDamage when one that is not copied cannot be read
   */
  visit(
    wallet: number,
    visit: (token: number, balanceLo: number, balanceHi: number) => void,
  ): void {
    const copy = this.#copy(wallet, Budget.unlimited)
    if (copy === null) {
      for (let next = this.#newestPlus1(wallet); next !== 0; ) next = this.#read(next - 1, visit)
      return
    }
    const lanes = copy.u32
    for (let at = (copy.count - 1) * HOLDING_LANES; at >= 0; at -= HOLDING_LANES) {
      const token = lanes[at + HOLDING.token]
      // The token may be restored by now.
      if (isDormant(this.#state, token, lanes[at + HOLDING.record]))
        visit(token, lanes[at + HOLDING.balanceLo], lanes[at + HOLDING.balanceHi])
    }
  }

  /** As `#copy`; damage is reported when the holding is used. */
  #tryCopy(wallet: number, budget: Budget): void {
    try {
      this.#copy(wallet, budget)
    } catch (error) {
      if (!(error instanceof TapeDamage)) throw error
    }
  }

  /** All holdings of a wallet; null: it is not to be cached. */
  #copy(wallet: number, budget: Budget): ChainCopy | null {
    const newestPlus1 = this.#newestPlus1(wallet)
    const mints = this.#state.wallets.get(wallet, WalletLane.mints)
    // A wallet that fills the cache alone would remove all others.
    if (newestPlus1 === 0 || mints < this.#fromMints || mints > this.#holdingsMax) return null
    return this.#wallets.copy(wallet, newestPlus1, budget)
  }

  /** Visits the holding of a record, unless its token was restored; returns the next record of the wallet + 1. */
  #read(record: number, visit: Parameters<ColdHoldingsCache['visit']>[1]): number {
    const { dormant } = this.#state
    const p = dormant.tape.u32Of(record)
    const pAt = dormant.tape.at(record)
    const token = p[pAt + PositionLane.token]
    const lo = p[pAt + PositionLane.balanceLo]
    const hi = p[pAt + PositionLane.balanceLo + 1]
    const nextPlus1 = dormant.previous(record, ColdPositionLane.previousHolderPlus1)
    if (isDormant(this.#state, token, record)) visit(token, lo, hi)
    return nextPlus1
  }

  /** Its newest record with a balance + 1; 0 for none. */
  #newestPlus1(wallet: number): number {
    const row = this.#state.wallets.get(wallet, WalletLane.dormantPlus1) - 1
    return row < 0 ? 0 : this.#state.dormant.wallets.get(row, ColdWalletLane.newestHolderPlus1)
  }
}

/**
 * Chooses the tokens to evict when positions take more memory than POSITIONS_MEMORY: those without a swap
 * for longest, by a CLOCK. Its hand goes round all tokens and takes those whose last swap is older than so
 * many swaps; a round that frees too little halves that number.
 *
 * It decides before the journal, which records the choice: a replay needs no policy.
 */
export class EvictionPolicy {
  readonly #store: ColdStore
  readonly #state: State
  readonly #memoryBytes: number
  /** Called once, when the limit is passed first. */
  readonly #onFirst: () => void
  #hasBegun = false
  #isClearing = false
  #hand = 0
  /** A token is quiet after so many swaps without one of its own. */
  #quietSwaps = 0
  #foundInRound = 0
  #pauseUntilSwaps = 0

  constructor(state: State, store: ColdStore, memoryBytes: number, onFirst: () => void = () => {}) {
    this.#state = state
    this.#store = store
    this.#memoryBytes = memoryBytes
    this.#onFirst = onFirst
  }

  /** The tokens to evict before the next batch of so many events. */
  choose(events: number): readonly number[] {
    const { positions, tape } = this.#state
    const held = positions.count - positions.free
    const bytesEach = INDEX_BYTES + positions.usedBytes / Math.max(1, held)
    const most = Math.floor(this.#memoryBytes / bytesEach)
    const least = most * (1 - CLEARED_SHARE)
    if (held <= (this.#isClearing ? least : most)) {
      this.#isClearing = false
      return []
    }
    if (tape.count < this.#pauseUntilSwaps) return []
    if (!this.#isClearing) this.#begin()
    // A batch may bring a position with each of its swaps.
    return this.#pick(Math.min(held - least, POSITIONS_PER_BATCH + events))
  }

  #begin(): void {
    this.#isClearing = true
    this.#foundInRound = 0
    this.#quietSwaps = Math.max(this.#quietSwaps * 2, Math.floor(this.#store.settledSwaps / 2))
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#onFirst()
  }

  #pick(wanted: number): readonly number[] {
    const state = this.#state
    const reach = this.#store.reach()
    const picked: number[] = []
    const most = Math.min(TOKENS_PER_BATCH, state.tokens.count)
    const room = ROWS_MAX - state.dormant.tape.count
    let positions = 0
    for (let looked = 0; looked < most && positions < wanted; looked++) {
      if (this.#hand >= state.tokens.count) this.#endRound()
      const token = this.#hand++
      if (!this.#store.mayEvict(token, reach)) continue
      if (state.tokens.get(token, TokenLane.lastSwapPlus1) > reach - this.#quietSwaps) continue
      const traders = state.metadata.get(token, MetadataLane.positions)
      if (positions + traders > room) continue
      picked.push(token)
      positions += traders
    }
    this.#foundInRound += picked.length
    return picked
  }

  #endRound(): void {
    this.#hand = 0
    const { tape, tokens } = this.#state
    // No token could be evicted: until the next round there is a swap for each look.
    if (this.#quietSwaps === 0 && this.#foundInRound === 0)
      this.#pauseUntilSwaps = tape.count + tokens.count
    this.#quietSwaps = Math.floor(this.#quietSwaps / 2)
    this.#foundInRound = 0
  }
}
