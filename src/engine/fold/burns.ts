import { copyU64, isLess, wholeAt } from '../../base/u64.ts'
import { ROW_MASK, ROW_SHIFT, Rows } from '../memory/rows.ts'
import type { Sized, StatePart } from '../memory/state-part.ts'
import { LifecycleLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'

/** The transaction that burned last: what of which mint, and a hash of its signature. */
const LANES = { token: 0, signatureHigh: 1, signatureLow: 2, burnedLo: 4 } as const
const LANE_COUNT = 6

/**
 * The largest burn of the newest transaction that burned tokens: what left a wallet of it so was neither
 * sold nor handed on (contract section 2, `devSoldAll`).
 */
export class Burns {
  readonly #state: State
  readonly #last = new Rows(LANE_COUNT)
  readonly #undo: number
  readonly part: StatePart = this.#last.part('last burn', 1)

  constructor(state: State) {
    this.#state = state
    this.#undo = state.undo.register(this.#last)
    this.#last.add()
  }

  get sized(): readonly Sized[] {
    return [this.#last]
  }

  /** The supply of a mint fell by the u64 in `burned`. */
  note(burned: Uint32Array, token: number, signatureHigh: number, signatureLow: number): void {
    this.#state.undo.save(this.#undo, 0)
    const [lanes] = this.#last.u32
    const isSame = this.#isOf(token, signatureHigh, signatureLow)
    if (isSame && isLess(burned, 0, lanes, LANES.burnedLo)) return
    lanes[LANES.token] = token
    lanes[LANES.signatureHigh] = signatureHigh
    lanes[LANES.signatureLow] = signatureLow
    copyU64(lanes, LANES.burnedLo, burned, 0)
  }

  /**
   * Was the u64 in `left`, which left a wallet without a sale, handed on? Next to nothing is not, nor what
   * the same transaction burned.
   */
  isHandedOn(
    left: Uint32Array,
    token: number,
    signatureHigh: number,
    signatureLow: number,
  ): boolean {
    const b = this.#state.births.u32[token >>> ROW_SHIFT]
    const decimals = b[(token & ROW_MASK) * LifecycleLane.lanes + LifecycleLane.decimals]
    if (wholeAt(left, 0, decimals) <= this.#state.rules.soldAllWhole) return false
    const [lanes] = this.#last.u32
    const isBurned = !isLess(lanes, LANES.burnedLo, left, 0)
    return !(isBurned && this.#isOf(token, signatureHigh, signatureLow))
  }

  #isOf(token: number, signatureHigh: number, signatureLow: number): boolean {
    const [lanes] = this.#last.u32
    return (
      lanes[LANES.token] === token &&
      lanes[LANES.signatureHigh] === signatureHigh >>> 0 &&
      lanes[LANES.signatureLow] === signatureLow >>> 0
    )
  }
}
