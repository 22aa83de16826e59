import { stepped } from '../../base/errors.ts'
import { copyU64 } from '../../base/u64.ts'
import type { TopHolders } from '../index/top-holders.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import type { ReorderWindow } from '../order/reorder-window.ts'
import { firstOfTransaction } from '../order/tape-slots.ts'
import { notOfThisRun } from '../state/dormant.ts'
import { isHolderAt, positionFlagsAt } from '../state/lanes.ts'
import {
  ColdPositionLane,
  ColdRunLane,
  DORMANT_TRADERS_MAX,
  MetadataLane,
  PositionFlag,
  PositionLane,
  TokenLane,
  WalletLane,
} from '../state/layout.ts'
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
  #run = new Uint32Array(64 * PositionLane.lanes)

  constructor(state: State, top: TopHolders, ring: ReorderWindow) {
    this.#state = state
    this.#top = top
    this.#ring = ring
  }

  /** What late events can reach: it changes with every event. */
  reach(): Reach {
    const { tape } = this.#state
    return {
      swap: firstOfTransaction(tape, tape.count - this.#ring.swaps),
      tells: (token) => this.#ring.tells(token),
    }
  }

  /** Has it positions in memory, and nothing that a late event could take back? */
  mayEvict(token: number, reach: Reach): boolean {
    const { tokens } = this.#state
    if (token >= tokens.count) return false
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    return (
      t[tAt + TokenLane.positionsPlus1] !== 0 &&
      t[tAt + TokenLane.lastSwapPlus1] <= reach.swap &&
      this.#state.metadata.get(token, MetadataLane.positions) <= DORMANT_TRADERS_MAX &&
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
      const pAt = (row & ROW_MASK) * PositionLane.lanes
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
    if (this.#state.tokens.get(token, TokenLane.dormantPlus1) !== 0) this.#restore(token)
  }

  #restore(token: number): void {
    const { dormant, positions, tokens } = this.#state
    const t = tokens.u32[token >>> ROW_SHIFT]
    const tAt = (token & ROW_MASK) * TokenLane.lanes
    const run = t[tAt + TokenLane.dormantPlus1] - 1
    const count = dormant.runs.get(run, ColdRunLane.count)
    this.#read(token, dormant.runs.get(run, ColdRunLane.first), count)
    t[tAt + TokenLane.dormantPlus1] = 0
    this.#state.forgetPositions(token)
    // From the oldest on, so that the chain of the mint is in its order again.
    for (let i = count - 1; i >= 0; i--) {
      const from = i * PositionLane.lanes
      const row = this.#state.addPosition(token, this.#run[from + PositionLane.wallet])
      const p = positions.u32[row >>> ROW_SHIFT]
      const pAt = (row & ROW_MASK) * PositionLane.lanes
      for (let lane = 0; lane < PositionLane.lanes; lane++)
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
