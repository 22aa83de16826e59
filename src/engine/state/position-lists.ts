import { LRUCache } from 'lru-cache'
import type { Budget } from '../../base/budget.ts'
import { stepped } from '../../base/errors.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { widened } from '../memory/views.ts'
import { COPIED_RECORD, CopiedChains, notOfThisRun } from './dormant.ts'
import { isListedAt, isListedRow } from './lanes.ts'
import {
  ColdPositionLane,
  ColdRunLane,
  ColdWalletLane,
  PositionLane,
  PositionRowLane,
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
   * Copies of the cold positions of wallets: the order of a wallet's page is known only when all of them
   * have been read.
   */
  readonly #cold: CopiedChains

  constructor(state: State, rememberedFrom?: number, copiedMax = COPIED_MAX) {
    this.#state = state
    const nextInMint = (row: number) => state.positions.get(row, PositionRowLane.nextInMintPlus1)
    const rows = () => state.positions.count
    this.#ofToken = new FollowedChains(nextInMint, rows, rememberedFrom)
    this.#ofWallet = new FollowedChains((row) => state.nextInWallet(row), rows, rememberedFrom)
    this.#cold = new CopiedChains(
      COPIED_RECORD.width,
      { records: copiedMax, chains: WALLETS_MAX },
      (record, copy) => state.dormant.copyTo(record, copy),
    )
  }

  get bytes(): number {
    return this.#ofToken.bytes + this.#ofWallet.bytes + this.#cold.bytes
  }

  /** The rows are other ones: drops the copies. Remembered chains are compared in any case. */
  drop(): void {
    this.#cold.drop()
    this.#state.dormant.cached = null
  }

  /** Listed positions of a mint (`isListedAt`), the newest first; good until the next call. */
  ofToken(token: number): Positions {
    const run = runOf(this.#state, token)
    if (run === null) return this.#listed(this.rowsOfToken(token))
    const found: number[] = []
    for (let record = run.first; record < run.end; record++)
      if (isListedRecord(this.#state, record)) found.push(positionOf(record))
    return found
  }

  /** The listed ones of some rows: nearly always all of them. */
  #listed(rows: Uint32Array): Uint32Array {
    const { positions } = this.#state
    const isOne = (row: number) =>
      isListedRow(positions.u32[row >>> ROW_SHIFT], (row & ROW_MASK) * PositionRowLane.lanes)
    return rows.every(isOne) ? rows : rows.filter(isOne)
  }

  /** Rows of a mint's positions, the newest first; none while it is dormant. Good until the next call. */
  rowsOfToken(token: number): Uint32Array {
    return this.#ofToken.rows(token, this.#state.tokens.get(token, TokenLane.positionsPlus1))
  }

  /**
   * Listed positions of a wallet in all mints, in no order; good until the next call.
   * @throws OutOfTime while its cold positions are copied from the disk
   */
  ofWallet(wallet: number, budget: Budget): Positions {
    const state = this.#state
    let recordPlus1 = newestRecordPlus1(state, wallet)
    const copied = recordPlus1 === 0 ? null : this.#cold.copy(wallet, recordPlus1, budget)
    const chain = this.#ofWallet.rows(wallet, state.wallets.get(wallet, WalletLane.positionsPlus1))
    const rows = this.#listed(chain)
    const { dormant } = state
    if (recordPlus1 === 0) return rows
    const found = [...rows]
    if (copied !== null) {
      dormant.cached = copied
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
      const token = dormant.lane(record, PositionLane.token)
      if (isDormant(state, token, record) && isListedRecord(state, record))
        found.push(positionOf(record))
      recordPlus1 = dormant.previous(record, ColdPositionLane.previousOfWalletPlus1)
    }
    return found
  }
}

/** Is the position of a record of the dormant tape listed? */
function isListedRecord({ dormant: { tape } }: State, record: number): boolean {
  return isListedAt(tape.u32Of(record), tape.at(record))
}

/** How reads name a record of the dormant tape as a position: below 0 (`recordOf`). Good until the next event. */
function positionOf(record: number): number {
  return -1 - record
}

/** The newest record of a wallet on the dormant tape + 1; 0 for none. */
function newestRecordPlus1(state: State, wallet: number): number {
  const row = state.wallets.get(wallet, WalletLane.dormantPlus1) - 1
  return row < 0 ? 0 : state.dormant.wallets.get(row, ColdWalletLane.newestPlus1)
}

/** Is a record of the present run of its mint? The mint may have been restored since, and evicted again. */
export function isDormant(state: State, token: number, record: number): boolean {
  if (token >= state.tokens.count) throw notOfThisRun(record)
  const run = state.tokens.get(token, TokenLane.dormantPlus1) - 1
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

/** Records of a dormant token on the tape; null for any other token. */
function runOf(state: State, token: number): { first: number; end: number } | null {
  const run = state.tokens.get(token, TokenLane.dormantPlus1) - 1
  if (run < 0) return null
  const first = state.dormant.runs.get(run, ColdRunLane.first)
  return { first, end: first + state.dormant.runs.get(run, ColdRunLane.count) }
}

/** Shorter chains are followed each time. */
const REMEMBERED_FROM = 256
/** Rows of all remembered chains, of 4 bytes each; beyond it the chains read longest ago are dropped. */
const REMEMBERED_ROWS_MAX = 1 << 22
/** Consecutive rows that may have left a chain without its list being given up. */
const LEFT_MAX = 64

const NO_ROWS = new Uint32Array(0)

/**
 * Rows of long chains, by the chain. Following a chain waits for memory at each link: 100 ns each when its
 * rows lie far apart. A list of the rows that it had last lets these waits overlap. The list is a guess and
 * the chain the truth: every link is compared, so that a change of the chain needs no notice.
 */
export class FollowedChains {
  readonly #next: (row: number) => number
  readonly #rowsMax: () => number
  readonly #rememberedFrom: number
  readonly #lists = new LRUCache<number, Uint32Array>({
    maxSize: REMEMBERED_ROWS_MAX,
    sizeCalculation: (rows) => rows.length,
  })
  #found = new Uint32Array(REMEMBERED_FROM)
  #count = 0

  /** `next` gives the row behind a row + 1, or 0; no chain has more rows than `rowsMax`. */
  constructor(
    next: (row: number) => number,
    rowsMax: () => number,
    rememberedFrom = REMEMBERED_FROM,
  ) {
    this.#rowsMax = rowsMax
    this.#next = next
    this.#rememberedFrom = rememberedFrom
  }

  get bytes(): number {
    return this.#lists.calculatedSize * Uint32Array.BYTES_PER_ELEMENT + this.#found.byteLength
  }

  /** Rows of a chain from its first row (+ 1; 0: it is empty) on; not to be changed, good until the next call. */
  rows(chain: number, firstPlus1: number): Uint32Array {
    const known = this.#lists.get(chain) ?? NO_ROWS
    if (this.#isWhole(known, firstPlus1)) return known
    this.#count = 0
    let place = 0
    let nextPlus1 = firstPlus1
    const rowsMax = this.#rowsMax()
    while (nextPlus1 !== 0) {
      stepped(this.#count, rowsMax, 'positions of a mint or wallet')
      const row = nextPlus1 - 1
      const found = placeOf(known, row, place)
      if (found < 0) {
        this.#add(row)
        nextPlus1 = this.#next(row)
      } else {
        const last = this.#agreeing(known, found)
        this.#addAll(known.subarray(found, last + 1))
        nextPlus1 = this.#next(known[last])
        place = last + 1
      }
    }
    const rows = this.#found.subarray(0, this.#count)
    if (rows.length >= this.#rememberedFrom) this.#lists.set(chain, rows.slice())
    else if (known.length > 0) this.#lists.delete(chain)
    return rows
  }

  /** Is a list all of its chain, as it is now? */
  #isWhole(known: Uint32Array, firstPlus1: number): boolean {
    if (known.length === 0 || known[0] + 1 !== firstPlus1) return false
    const last = this.#agreeing(known, 0)
    return last === known.length - 1 && this.#next(known[last]) === 0
  }

  /** Last place of a list up to which each link from `from` on is still that of the chain. */
  #agreeing(known: Uint32Array, from: number): number {
    let place = from
    while (place + 1 < known.length && this.#next(known[place]) === known[place + 1] + 1) place++
    return place
  }

  #add(row: number): void {
    if (this.#count === this.#found.length) this.#widen(this.#count + 1)
    this.#found[this.#count++] = row
  }

  #addAll(rows: Uint32Array): void {
    if (this.#count + rows.length > this.#found.length) this.#widen(this.#count + rows.length)
    this.#found.set(rows, this.#count)
    this.#count += rows.length
  }

  #widen(count: number): void {
    this.#found = widened(new Uint32Array(Math.max(count, this.#found.length * 2)), this.#found)
  }
}

/** Place of a row in a list, from a place on as far as rows may have left; -1 when it is not there. */
function placeOf(known: Uint32Array, row: number, from: number): number {
  const end = Math.min(known.length, from + LEFT_MAX)
  for (let place = from; place < end; place++) if (known[place] === row) return place
  return -1
}
