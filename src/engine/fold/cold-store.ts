import { Budget } from '../../base/budget.ts'
import { stepped, TapeDamage } from '../../base/errors.ts'
import { copyU64 } from '../../base/u64.ts'
import type { TopHolders } from '../index/top-holders.ts'
import { ROW_MASK, ROW_SHIFT, ROWS_MAX } from '../memory/rows.ts'
import { firstOfTransaction } from '../order/position-resolver.ts'
import type { ReorderWindow } from '../order/reorder-window.ts'
import { type ChainCopy, CopiedChains } from '../state/copied-chains.ts'
import { notOfThisRun } from '../state/dormant.ts'
import { isHolderAt, positionFlagsAt, positionsOf, tokenLane, walletLane } from '../state/lanes.ts'
import {
  COLD_RUN_LANES,
  ColdPositionLane,
  ColdRunLane,
  ColdWalletLane,
  DORMANT_TRADERS_MAX,
  LINK_LANES,
  POSITION_LANES,
  PositionFlag,
  PositionLane,
  TOKEN_LANES,
  TokenLane,
  WALLET_LANES,
  WalletLane,
} from '../state/layout.ts'
import { isDormant } from '../state/position-lists.ts'
import type { State } from '../state/state.ts'

/** What a late event can still reach, and with it who may not be put to rest. */
interface Reach {
  /** First swap of the oldest transaction that one may touch. */
  readonly swap: number
  /** Has a token other events that may be taken back? */
  readonly tells: (token: number) => boolean
}

/**
 * Puts tokens to rest and wakes them: moves their positions from rows to the dormant tape and back.
 * Nothing that is known of them changes by it, and neither is ever taken back.
 */
export class ColdStore {
  readonly #state: State
  readonly #top: TopHolders
  readonly #ring: ReorderWindow
  /** Records of a run on their way back. */
  #run = new Uint32Array(64 * POSITION_LANES)

  constructor(state: State, top: TopHolders, ring: ReorderWindow) {
    this.#state = state
    this.#top = top
    this.#ring = ring
  }

  /** Swaps from the first that no late event can take back any more. */
  get settledSwaps(): number {
    return this.#state.tape.count - this.#ring.swaps
  }

  /** What late events can reach: it changes with every event. */
  reach(): Reach {
    const { tape } = this.#state
    return {
      swap: firstOfTransaction(tape, this.settledSwaps),
      tells: (token) => this.#ring.tells(token),
    }
  }

  /** Has it positions in memory, and nothing that a late event could take back? */
  mayEvict(token: number, reach: Reach): boolean {
    const { tokens } = this.#state
    if (token >= tokens.count) return false
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TOKEN_LANES
    return (
      t[tAt + TokenLane.positionsPlus1] !== 0 &&
      t[tAt + TokenLane.lastSwapPlus1] <= reach.swap &&
      positionsOf(this.#state, token) <= DORMANT_TRADERS_MAX &&
      !reach.tells(token)
    )
  }

  /**
   * Puts tokens to rest: their positions leave memory for the tape. Those that a late event could
   * still touch stay.
   */
  evict(tokens: Iterable<number>): void {
    const reach = this.reach()
    for (const token of tokens) if (this.mayEvict(token, reach)) this.#evict(token)
  }

  #evict(token: number): void {
    const { dormant, positions, tokens } = this.#state
    const run = dormant.runs.add()
    const r = dormant.runs.u32[run >>> ROW_SHIFT]
    const rAt = (run & ROW_MASK) * COLD_RUN_LANES
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TOKEN_LANES
    r[rAt + ColdRunLane.first] = dormant.tape.count
    dormant.runs.f64[run >>> ROW_SHIFT][(rAt >>> 1) + ColdRunLane.topSumF] =
      this.#top.scannedSum(token)
    for (let next = t[tAt + TokenLane.positionsPlus1], steps = 0; next !== 0; ) {
      steps = stepped(steps, positions.count, 'positions of a mint')
      const row = next - 1
      const p = positions.u32[row >>> ROW_SHIFT]
      const pAt = (row & ROW_MASK) * POSITION_LANES
      next = p[pAt + PositionLane.nextInMintPlus1]
      if (p[pAt + PositionLane.flags] & PositionFlag.creator) {
        r[rAt + ColdRunLane.creatorFlags] = positionFlagsAt(p, pAt)
        copyU64(r, rAt + ColdRunLane.creatorBalanceLo, p, pAt + PositionLane.balanceLo)
      }
      const isHolder = isHolderAt(p, pAt)
      dormant.append(this.#dormantRow(p[pAt + PositionLane.wallet]), p, pAt, isHolder)
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

  /**
   * Brings a token's positions back into rows if it is dormant: before anything that may change them.
   * @throws TapeDamage when they cannot be read; nothing has changed then
   */
  restore(token: number): void {
    if (tokenLane(this.#state, token, TokenLane.dormantPlus1) !== 0) this.#restore(token)
  }

  #restore(token: number): void {
    const { dormant, positions, tokens } = this.#state
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TOKEN_LANES
    const run = t[tAt + TokenLane.dormantPlus1] - 1
    const count = dormant.runLane(run, ColdRunLane.count)
    this.#read(token, dormant.runLane(run, ColdRunLane.first), count)
    t[tAt + TokenLane.dormantPlus1] = 0
    this.#state.forgetPositions(token)
    // From the oldest on, so that the chain of the mint is in its order again.
    for (let i = count - 1; i >= 0; i--) {
      const from = i * POSITION_LANES
      const row = this.#state.addPosition(token, this.#run[from + PositionLane.wallet])
      const p = positions.u32[row >>> ROW_SHIFT]
      const pAt = (row & ROW_MASK) * POSITION_LANES
      for (let lane = 0; lane < POSITION_LANES; lane++)
        if (
          lane !== ColdPositionLane.previousHolderPlus1 &&
          lane !== ColdPositionLane.previousOfWalletPlus1
        )
          p[pAt + lane] = this.#run[from + lane]
      if (p[pAt + PositionLane.flags] & PositionFlag.creator)
        t[tAt + TokenLane.creatorPositionPlus1] = row + 1
    }
    dormant.runs.giveBack(run)
    dormant.tokens -= 1
    dormant.positions -= count
    dormant.wakings += 1
    this.#top.invalidate(token)
  }

  #read(token: number, first: number, count: number): void {
    if (this.#run.length < count * POSITION_LANES)
      this.#run = new Uint32Array(count * POSITION_LANES)
    const { dormant, wallets } = this.#state
    for (let i = 0; i < count; i++) {
      const at = i * POSITION_LANES
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
    const lAt = (wallet & ROW_MASK) * WALLET_LANES
    if (l[lAt + WalletLane.dormantPlus1] === 0)
      l[lAt + WalletLane.dormantPlus1] = dormant.wallets.add() + 1
    return l[lAt + WalletLane.dormantPlus1] - 1
  }
}

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
    this.#wallets = new CopiedChains({
      width: HOLDING_LANES / 2,
      records: holdingsMax,
      chains: WALLETS_MAX,
      read: (record, copy) => this.#read(record, copy),
    })
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
    const mints = walletLane(this.#state, wallet, WalletLane.mints)
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
    const row = walletLane(this.#state, wallet, WalletLane.dormantPlus1) - 1
    return row < 0 ? 0 : this.#state.dormant.walletLane(row, ColdWalletLane.newestHolderPlus1)
  }
}

/** Bytes of a position in memory: its row, its links, and its slot in a table that is part empty. */
const POSITION_BYTES = (POSITION_LANES + LINK_LANES) * 4 + 16
/** Positions that leave memory before one batch, some more when the last token has many. */
const POSITIONS_PER_BATCH = 2_048
/** Tokens looked at before one batch. */
const TOKENS_PER_BATCH = 4_096
/** Share of the limit that is cleared at once, so that not every batch begins anew. */
const CLEARED_SHARE = 1 / 32

/**
 * Chooses the tokens that are put to rest when positions take more memory than POSITIONS_MEMORY:
 * those without a swap for longest. A hand goes round all tokens and takes those whose last swap is
 * further back than so many swaps; after a round that was not enough it is content with half of that.
 *
 * It decides before the journal, which says who rests and where: a replay asks nobody.
 */
export class EvictionPolicy {
  readonly #store: ColdStore
  readonly #state: State
  readonly #positionsMax: number
  /** Called once, when the limit is passed first. */
  readonly #onFirst: () => void
  #hasBegun = false
  #isClearing = false
  #hand = 0
  /** Swaps since its last one that make a token quiet. */
  #quietSwaps = 0
  #foundInRound = 0
  #pauseUntilSwaps = 0

  constructor(state: State, store: ColdStore, memoryBytes: number, onFirst: () => void = () => {}) {
    this.#state = state
    this.#store = store
    this.#positionsMax = Math.floor(memoryBytes / POSITION_BYTES)
    this.#onFirst = onFirst
  }

  /** The tokens to put to rest before the next batch of so many events. */
  choose(events: number): readonly number[] {
    const { positions, tape } = this.#state
    const held = positions.count - positions.free
    const least = this.#positionsMax * (1 - CLEARED_SHARE)
    if (held <= (this.#isClearing ? least : this.#positionsMax)) {
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
      if (tokenLane(state, token, TokenLane.lastSwapPlus1) > reach.swap - this.#quietSwaps) continue
      const traders = positionsOf(state, token)
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
    // Nobody could rest: the next round costs no more than a look for each swap until then.
    if (this.#quietSwaps === 0 && this.#foundInRound === 0)
      this.#pauseUntilSwaps = tape.count + tokens.count
    this.#quietSwaps = Math.floor(this.#quietSwaps / 2)
    this.#foundInRound = 0
  }
}
