import { SwapLane } from '../../events/swap-record.ts'
import { ROW_MASK, ROW_SHIFT } from '../memory/rows.ts'
import { type Identities, identify, identityKey } from '../order/position-resolver.ts'
import {
  LIFECYCLE_LANES,
  LINK_LANES,
  METADATA_LANES,
  MetadataLane,
  POSITION_LANES,
  TOKEN_LANES,
  WALLET_LANES,
  WalletLane,
  WINDOW_LANES,
} from '../state/layout.ts'
import { hashSignature, signatureHash } from '../state/signature.ts'
import type { State } from '../state/state.ts'

/** Swaps whose rows are brought near together; what they touch fits a core's own cache. */
export const PREFETCHED_SWAPS = 32

/** u32 lanes of a cache line. */
const LINE = 16

/**
 * Reads a word of every row that a swap will need, some swaps ahead of its fold: the waits for
 * memory of many swaps then pass together, where the fold would wait for one after the other.
 */
export class Prefetcher {
  readonly #state: State
  readonly #identities: Identities
  /** Keeps the reads from being left out; it means nothing. */
  sum = 0

  constructor(state: State, identities: Identities) {
    this.#state = state
    this.#identities = identities
  }

  /** Where its identity is looked for, and rows that the record itself names. */
  touchIndex(u32: Uint32Array, at: number): void {
    const { tokens, births, windows, wallets } = this.#state
    const token = u32[at + SwapLane.token]
    const wallet = u32[at + SwapLane.wallet]
    hashSignature(u32, at + SwapLane.signature)
    identify(signatureHash[0], signatureHash[1], u32[at + SwapLane.ordinal])
    let sum = this.#identities.near(identityKey[1]) + this.#state.nearPosition(token, wallet)
    if (token < tokens.count) {
      const page = tokens.u32[token >>> ROW_SHIFT]
      const lane = (token & ROW_MASK) * TOKEN_LANES
      sum += page[lane] + page[lane + LINE] + page[lane + 2 * LINE] + page[lane + 3 * LINE]
      sum += births.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * LIFECYCLE_LANES]
      sum += windows.u32[token >>> ROW_SHIFT][(token & ROW_MASK) * WINDOW_LANES]
    }
    if (wallet < wallets.count)
      sum += wallets.u32[wallet >>> ROW_SHIFT][(wallet & ROW_MASK) * WALLET_LANES]
    this.sum = sum | 0
  }

  /** The position, whose row has to be looked for. */
  touchRow(u32: Uint32Array, at: number): void {
    const position = this.#state.findPosition(u32[at + SwapLane.token], u32[at + SwapLane.wallet])
    if (position < 0) {
      this.#touchLink(u32[at + SwapLane.wallet])
      this.#touchCount(u32[at + SwapLane.token])
      return
    }
    const page = this.#state.positions.u32[position >>> ROW_SHIFT]
    const lane = (position & ROW_MASK) * POSITION_LANES
    this.sum = (page[lane] + page[lane + LINE] + page[lane + 2 * LINE]) | 0
  }

  /** A new position is counted in its token's row. */
  #touchCount(token: number): void {
    const { metadata } = this.#state
    if (token >= metadata.count) return
    const lane = (token & ROW_MASK) * METADATA_LANES + MetadataLane.positions
    this.sum = metadata.u32[token >>> ROW_SHIFT][lane] | 0
  }

  /** A new position is linked before the newest of its wallet. */
  #touchLink(wallet: number): void {
    const { wallets, links } = this.#state
    if (wallet >= wallets.count) return
    const lane = (wallet & ROW_MASK) * WALLET_LANES + WalletLane.positionsPlus1
    const row = wallets.u32[wallet >>> ROW_SHIFT][lane] - 1
    if (row >= 0) this.sum = links.u32[row >>> ROW_SHIFT][(row & ROW_MASK) * LINK_LANES] | 0
  }
}
