import { numberAt, readU64, wholeAt } from '../../base/u64.ts'
import { notOfThisRun, recordOf } from '../state/dormant.ts'
import { copyPosition } from '../state/lanes.ts'
import { PositionFlag, PositionLane, WalletFlag, WalletLane } from '../state/layout.ts'
import { percentOf } from '../state/money.ts'
import { PositionRecord } from '../state/position-rows.ts'
import type { State } from '../state/state.ts'
import type { TokenReader } from './token-reader.ts'

const MICRO = 1e6
const LAMPORTS = 1e9

/**
 * The values of a position in the units of the wire (contract section 5). `at` selects it for every method
 * after it, by its row or, below 0, its record on the dormant tape; values are at the current price.
 */
export class PositionReader {
  readonly token: TokenReader
  readonly #state: State
  /** A copy: rows say less, and the lanes of a dormant record are valid only until another is read. */
  readonly #record = new PositionRecord()

  constructor(state: State, token: TokenReader) {
    this.#state = state
    this.token = token
  }

  at(position: number): this {
    copyPosition(this.#state, position, this.#record)
    if (position < 0) this.#checkRun(recordOf(position))
    this.token.at(this.#lane(PositionLane.token))
    return this
  }

  #checkRun(record: number): void {
    const { tokens, wallets } = this.#state
    if (
      this.#lane(PositionLane.token) >= tokens.count ||
      this.#lane(PositionLane.wallet) >= wallets.count
    )
      throw notOfThisRun(record)
  }

  get wallet(): string {
    return this.#state.book.walletText(this.#lane(PositionLane.wallet))
  }

  /** Of two wallets the one whose text is less never has the greater number. */
  get walletOrder(): number {
    const { book } = this.#state
    return book.orderOf(book.addressOfWallet(this.#lane(PositionLane.wallet)))
  }

  get holding(): number {
    return this.#tokens(PositionLane.balanceLo)
  }

  get bought(): number {
    return this.#tokens(PositionLane.boughtLo)
  }

  get sold(): number {
    return this.#tokens(PositionLane.soldLo)
  }

  get untracked(): number {
    return this.#tokens(PositionLane.untrackedLo)
  }

  /** An amount (`PositionLane.…Lo`) to its last digit. */
  raw(lane: number): bigint {
    return readU64(this.#record.u32, lane)
  }

  /** Tokens that were bought and are not sold. */
  get inventory(): number {
    return this.#tokens(PositionLane.inventoryLo)
  }

  get holdingPercent(): number {
    return this.#percent(PositionLane.balanceLo)
  }

  /** Of the supply, like the next. */
  get boughtPercent(): number {
    return this.#percent(PositionLane.boughtLo)
  }

  get soldPercent(): number {
    return this.#percent(PositionLane.soldLo)
  }

  get isOpen(): boolean {
    return (this.#lane(PositionLane.balanceLo) | this.#lane(PositionLane.balanceLo + 1)) !== 0
  }

  get buys(): number {
    return this.#lane(PositionLane.buys)
  }

  get sells(): number {
    return this.#lane(PositionLane.sells)
  }

  get costUsd(): number {
    return this.#usd(PositionLane.costUsdF)
  }

  get costSol(): number {
    return this.#sol(PositionLane.costSolF)
  }

  get boughtUsd(): number {
    return this.#usd(PositionLane.boughtUsdF)
  }

  get soldUsd(): number {
    return this.#usd(PositionLane.soldUsdF)
  }

  get boughtSol(): number {
    return this.#sol(PositionLane.boughtSolF)
  }

  get soldSol(): number {
    return this.#sol(PositionLane.soldSolF)
  }

  get volumeUsd(): number {
    return (this.#laneF(PositionLane.boughtUsdF) + this.#laneF(PositionLane.soldUsdF)) / MICRO
  }

  get volumeSol(): number {
    return (this.#laneF(PositionLane.boughtSolF) + this.#laneF(PositionLane.soldSolF)) / LAMPORTS
  }

  get feesSol(): number {
    return this.#sol(PositionLane.feesF)
  }

  get realizedUsd(): number {
    return this.#usd(PositionLane.realizedUsdF)
  }

  get realizedSol(): number {
    return this.#sol(PositionLane.realizedSolF)
  }

  get unrealizedUsd(): number {
    return this.inventory * this.token.priceUsd - this.costUsd
  }

  get unrealizedSol(): number {
    return this.inventory * this.token.priceSol - this.costSol
  }

  get pnlUsd(): number {
    return this.realizedUsd + this.unrealizedUsd
  }

  get pnlSol(): number {
    return this.realizedSol + this.unrealizedSol
  }

  /** Of what was bought; 0 without buys. */
  get pnlPercent(): number {
    const bought = this.boughtUsd
    return bought > 0 ? (this.pnlUsd * 100) / bought : 0
  }

  /** Unix seconds, null when there was none. */
  get firstBuyAt(): number | null {
    return this.buys > 0 ? this.#lane(PositionLane.firstBuyAt) : null
  }

  get lastBuyAt(): number | null {
    return this.buys > 0 ? this.#lane(PositionLane.lastBuyAt) : null
  }

  get firstSellAt(): number | null {
    return this.sells > 0 ? this.#lane(PositionLane.firstSellAt) : null
  }

  get lastSellAt(): number | null {
    return this.sells > 0 ? this.#lane(PositionLane.lastSellAt) : null
  }

  /** Null for a wallet that was only handed tokens. */
  get firstActiveAt(): number | null {
    const never = Number.POSITIVE_INFINITY
    const first = Math.min(this.firstBuyAt ?? never, this.firstSellAt ?? never)
    return first === never ? null : first
  }

  /** For a wallet that was only handed tokens, the time of the last transfer that a feed reported. */
  get lastActiveAt(): number {
    if (this.buys + this.sells === 0) return this.#lane(PositionLane.lastBuyAt)
    return Math.max(this.lastBuyAt ?? 0, this.lastSellAt ?? 0)
  }

  /** From the first buy to the last sell, or to now while open. */
  get holdSeconds(): number {
    const from = this.firstBuyAt
    if (from === null) return 0
    const to = this.isOpen ? this.#state.now : (this.lastSellAt ?? from)
    return Math.max(0, to - from)
  }

  /** One of `PositionFlag`. */
  is(flag: number): boolean {
    const flags = this.#lane(PositionLane.flags)
    return (flags & flag) !== 0 && (flags & PositionFlag.excluded) === 0
  }

  get isPro(): boolean {
    const walletFlags = this.#state.wallets.get(this.#lane(PositionLane.wallet), WalletLane.flags)
    const isExcluded = (this.#lane(PositionLane.flags) & PositionFlag.excluded) !== 0
    return !isExcluded && (walletFlags & WalletFlag.pro) !== 0
  }

  #lane(lane: number): number {
    return this.#record.u32[lane]
  }

  #laneF(lane: number): number {
    return this.#record.f64[lane]
  }

  #percent(lane: number): number {
    return percentOf(numberAt(this.#record.u32, lane), this.token.supplyRaw)
  }

  #tokens(lane: number): number {
    return wholeAt(this.#record.u32, lane, this.token.decimals)
  }

  #usd(lane: number): number {
    return this.#laneF(lane) / MICRO
  }

  #sol(lane: number): number {
    return this.#laneF(lane) / LAMPORTS
  }
}
