import type { Budget } from '../../base/budget.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { CopiedChains } from './copied-chains.ts'
import { COPIED_RECORD, notOfThisRun, positionOf } from './dormant.ts'
import { FollowedChains } from './followed-chains.ts'
import { isListed, isListedAt, positionLane, tokenLane, walletLane } from './lanes.ts'
import {
  ColdPositionLane,
  ColdRunLane,
  ColdWalletLane,
  POSITION_LANES,
  PositionLane,
  TokenLane,
  WalletLane,
} from './layout.ts'
import type { State } from './state.ts'

/** Copied records of all wallets, of 160 bytes each. */
const COPIED_MAX = 1 << 19
const WALLETS_MAX = 1 << 12
/** Positions as reads name them: rows, or below 0 records of the dormant tape. */
export type Positions = Uint32Array | readonly number[]

/** All positions of a mint or of a wallet, for reads. */
export class PositionLists {
  readonly #state: State
  readonly #ofToken: FollowedChains
  readonly #ofWallet: FollowedChains
  /**
   * Copies of the cold positions of wallets that are asked for: what a wallet's page is ordered by is known
   * only when all of them have been read.
   */
  readonly #cold: CopiedChains

  constructor(state: State, rememberedFrom?: number, copiedMax = COPIED_MAX) {
    this.#state = state
    const nextInMint = (row: number) => rowLane(state, row, PositionLane.nextInMintPlus1)
    const rows = () => state.positions.count
    this.#ofToken = new FollowedChains(nextInMint, rows, rememberedFrom)
    this.#ofWallet = new FollowedChains((row) => state.nextInWallet(row), rows, rememberedFrom)
    this.#cold = new CopiedChains({
      width: COPIED_RECORD.width,
      records: copiedMax,
      chains: WALLETS_MAX,
      read: (record, copy) => state.dormant.copyTo(record, copy),
    })
  }

  get bytes(): number {
    return this.#ofToken.bytes + this.#ofWallet.bytes + this.#cold.bytes
  }

  /** The rows are other ones: what was remembered of them is forgotten. Chains are compared as it is. */
  drop(): void {
    this.#cold.drop()
    this.#state.dormant.near = null
  }

  /** Positions of a mint that stand in lists, the newest first; good until the next call. */
  ofToken(token: number): Positions {
    const run = runOf(this.#state, token)
    if (run === null) return this.#listed(this.rowsOfToken(token))
    const found: number[] = []
    for (let record = run.first; record < run.end; record++)
      if (standsInLists(this.#state, positionOf(record))) found.push(positionOf(record))
    return found
  }

  /** Those rows that stand in lists: nearly always all of them. */
  #listed(rows: Uint32Array): Uint32Array {
    const { positions } = this.#state
    const isOne = (row: number) =>
      isListedAt(positions.u32[row >>> ROW_SHIFT], (row & ROW_MASK) * POSITION_LANES)
    return rows.every(isOne) ? rows : rows.filter(isOne)
  }

  /** Rows of a mint's positions, the newest first; none while it is dormant. Good until the next call. */
  rowsOfToken(token: number): Uint32Array {
    return this.#ofToken.rows(token, tokenLane(this.#state, token, TokenLane.positionsPlus1))
  }

  /**
   * Positions of a wallet in all mints that stand in lists, in no order; good until the next call.
   * @throws OutOfTime while its cold positions are copied from the disk
   */
  ofWallet(wallet: number, budget: Budget): Positions {
    const state = this.#state
    let recordPlus1 = newestRecordPlus1(state, wallet)
    const copied = recordPlus1 === 0 ? null : this.#cold.copy(wallet, recordPlus1, budget)
    const chain = this.#ofWallet.rows(wallet, walletLane(state, wallet, WalletLane.positionsPlus1))
    const rows = this.#listed(chain)
    const { dormant } = state
    if (recordPlus1 === 0) return rows
    const found = [...rows]
    if (copied !== null) {
      dormant.near = copied
      for (let place = copied.count - 1; place >= 0; place--) {
        const record = copied.f64[place * COPIED_RECORD.width + COPIED_RECORD.number]
        const at = place * COPIED_RECORD.width * 2
        if (
          isDormant(state, copied.u32[at + PositionLane.token], record) &&
          isListedAt(copied.u32, at)
        )
          found.push(positionOf(record))
      }
      return found
    }
    while (recordPlus1 !== 0) {
      const record = recordPlus1 - 1
      if (
        isDormant(state, dormant.lane(record, PositionLane.token), record) &&
        standsInLists(state, positionOf(record))
      )
        found.push(positionOf(record))
      recordPlus1 = dormant.previous(record, ColdPositionLane.previousOfWalletPlus1)
    }
    return found
  }
}

/** Does a position, or a record of the dormant tape, stand in lists? */
function standsInLists(state: State, position: number): boolean {
  const lane = (name: number) => positionLane(state, position, name)
  return isListed(lane(PositionLane.buys) + lane(PositionLane.sells), lane(PositionLane.flags))
}

/** The newest record of a wallet on the dormant tape + 1; 0 for none. */
function newestRecordPlus1(state: State, wallet: number): number {
  const row = walletLane(state, wallet, WalletLane.dormantPlus1) - 1
  return row < 0 ? 0 : state.dormant.walletLane(row, ColdWalletLane.newestPlus1)
}

function rowLane({ positions }: State, row: number, lane: number): number {
  return positions.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * positions.lanes + lane]
}

/** Does a record hold what is so now? Its mint may have been traded since, and dormant again. */
export function isDormant(state: State, token: number, record: number): boolean {
  if (token >= state.tokens.count) throw notOfThisRun(record)
  const run = tokenLane(state, token, TokenLane.dormantPlus1) - 1
  return run >= 0 && state.dormant.holds(run, record)
}

/** The position of a wallet in a mint for reads, dormant or not; null when there is none. */
export function positionIn(state: State, token: number, wallet: number): number | null {
  const run = runOf(state, token)
  if (run === null) {
    const row = state.findPosition(token, wallet)
    return row < 0 ? null : row
  }
  for (let record = run.first; record < run.end; record++)
    if (state.dormant.lane(record, PositionLane.wallet) === wallet) return positionOf(record)
  return null
}

/** Records of a dormant token on the tape; null when it is awake. */
function runOf(state: State, token: number): { first: number; end: number } | null {
  const run = tokenLane(state, token, TokenLane.dormantPlus1) - 1
  if (run < 0) return null
  const first = state.dormant.runLane(run, ColdRunLane.first)
  return { first, end: first + state.dormant.runLane(run, ColdRunLane.count) }
}
