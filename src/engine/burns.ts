import { addU64, copyU64, isLess, subtractU64 } from '../base/u64.ts'
import { Rows } from './memory/rows.ts'
import { rowsPart } from './memory/rows-part.ts'
import type { StatePart } from './memory/state-part.ts'
import type { State } from './state.ts'

/** The transaction that burned last: what of which mint, and a hash of its signature. */
const LANES = { token: 0, signatureHigh: 1, signatureLow: 2, burnedLo: 4 } as const
const LANE_COUNT = 6

/**
 * What the newest transaction that burned tokens took out of a supply: those that left a wallet of it so
 * were neither sold nor handed on (contract section 2, `devSoldAll`).
 */
export class Burns {
  readonly #state: State
  readonly #last = new Rows(LANE_COUNT)
  readonly #undo: number
  readonly part: StatePart = rowsPart('last burn', this.#last, 1)

  constructor(state: State) {
    this.#state = state
    this.#undo = state.undo.register(this.#last)
    this.#last.add()
  }

  /** The supply of a mint fell by the u64 in `burned`. */
  note(burned: Uint32Array, token: number, signatureHigh: number, signatureLow: number): void {
    this.#state.undo.save(this.#undo, 0)
    const [lanes] = this.#last.u32
    if (!this.#isOf(token, signatureHigh, signatureLow)) lanes.fill(0, 0, LANE_COUNT)
    lanes[LANES.token] = token
    lanes[LANES.signatureHigh] = signatureHigh
    lanes[LANES.signatureLow] = signatureLow
    addU64(lanes, LANES.burnedLo, burned, 0)
  }

  /** Takes off the u64 in `left` what the same transaction burned. */
  cover(left: Uint32Array, token: number, signatureHigh: number, signatureLow: number): void {
    if (!this.#isOf(token, signatureHigh, signatureLow)) return
    const [lanes] = this.#last.u32
    if (isLess(left, 0, lanes, LANES.burnedLo)) copyU64(left, 0, NOTHING, 0)
    else subtractU64(left, 0, lanes, LANES.burnedLo)
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

const NOTHING = new Uint32Array(2)
