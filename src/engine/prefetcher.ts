import { SwapLane } from '../events/swap-record.ts'
import type { TradeWindows } from './history/trade-windows.ts'
import { ROW_MASK, ROW_SHIFT } from './memory/rows.ts'
import { type Identities, identify, identityKey } from './order/position-resolver.ts'
import { hashSignature } from './state/address-book.ts'
import {
  LifecycleLane,
  LinkLane,
  MetadataLane,
  PositionRowLane,
  TokenLane,
  WalletLane,
} from './state/layout.ts'
import type { State } from './state/state.ts'

/** Swaps whose rows are prefetched together; what they touch fits a core's own cache. */
export const PREFETCHED_SWAPS = 32

/** u32 lanes of a cache line. */
const LINE = 16

/**
 * Reads a word of every row that a swap will need, some swaps ahead of its fold: so the waits for memory
 * of many swaps overlap, where the fold would wait for one after the other.
 */
export class Prefetcher {
  readonly #state: State
  readonly #identities: Identities
  readonly #windows: TradeWindows
  /** A use of the reads, so that they are not optimised away; it means nothing. */
  sum = 0

  constructor(state: State, identities: Identities, windows: TradeWindows) {
    this.#state = state
    this.#identities = identities
    this.#windows = windows
  }

  /** The slots of its identity and position, and the rows that the record names. */
  touchIndex(u32: Uint32Array, at: number): void {
    const { tokens, births, wallets } = this.#state
    const token = u32[at + SwapLane.token]
    const wallet = u32[at + SwapLane.wallet]
    const signatureHash = hashSignature(u32, at + SwapLane.signature)
    identify(signatureHash[0], signatureHash[1], u32[at + SwapLane.ordinal])
    let sum = this.#identities.touch(identityKey[1]) + this.#state.touchPosition(token, wallet)
    if (token < tokens.count) {
      const page = tokens.u32[token >>> ROW_SHIFT]
      const lane = (token & ROW_MASK) * TokenLane.lanes
      sum += page[lane] + page[lane + LINE]
      sum += births.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * LifecycleLane.lanes]
      sum += this.#windows.touch(token)
    }
    if (wallet < wallets.count)
      sum += wallets.u32[wallet >>> ROW_SHIFT][(wallet & ROW_MASK) * WalletLane.lanes]
    this.sum = sum | 0
  }

  /** The row of its position, which the index has to find. */
  touchRow(u32: Uint32Array, at: number): void {
    this.#touchCrowd(u32[at + SwapLane.token])
    const position = this.#state.findPosition(u32[at + SwapLane.token], u32[at + SwapLane.wallet])
    if (position < 0) {
      this.#touchLink(u32[at + SwapLane.wallet])
      this.#touchCount(u32[at + SwapLane.token])
      return
    }
    const { positions } = this.#state
    const page = positions.u32[position >>> ROW_SHIFT]
    const lane = (position & ROW_MASK) * PositionRowLane.lanes
    const last = page[lane + PositionRowLane.lastSwapPlus1]
    const mark = last === 0 ? 0 : this.#windows.touchSwap(last - 1)
    const sales = page[lane + PositionRowLane.salesPlus1]
    this.sum = (mark + (sales === 0 ? 0 : positions.sales.get(sales - 1, 0))) | 0
  }

  /** A new position is counted in its token's row. */
  #touchCount(token: number): void {
    const { metadata } = this.#state
    if (token >= metadata.count) return
    const lane = (token & ROW_MASK) * MetadataLane.lanes + MetadataLane.positions
    this.sum = metadata.u32[token >>> ROW_SHIFT][lane] | 0
  }

  /** The rows that its token has, as few do. */
  #touchCrowd(token: number): void {
    const { crowds, tokens, windows } = this.#state
    if (token >= tokens.count) return
    const crowd = crowds.classes.rows.get(crowds.classes.rowOf(token), 0)
    this.sum = (this.sum + crowd + windows.rows.get(windows.rowOf(token), 0)) | 0
  }

  /** A new position is linked before the newest of its wallet. */
  #touchLink(wallet: number): void {
    const { wallets, links } = this.#state
    if (wallet >= wallets.count) return
    const lane = (wallet & ROW_MASK) * WalletLane.lanes + WalletLane.positionsPlus1
    const row = wallets.u32[wallet >>> ROW_SHIFT][lane] - 1
    if (row >= 0) this.sum = links.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * LinkLane.lanes] | 0
  }
}
