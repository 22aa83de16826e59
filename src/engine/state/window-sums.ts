import { ROW_MASK, ROW_SHIFT, Rows, U32List } from '../memory/rows.ts'
import { copiedPart, StateError, type StatePart } from '../memory/state-part.ts'
import { lanesIn } from '../memory/views.ts'
import { TOKEN_ROWS_APART, WindowLane } from './layout.ts'

/** Lanes of a token's sums in a snapshot: the token, then those of its row. */
const SAVED_LANES = 1 + WindowLane.lanes

/**
 * The sums of the rolling window, of tokens that have a swap in it: a token without one has 4 bytes that name row 0, which is
 * nobody's and all zeros. At most a row for each token. Which row a token has depends on when the clock was moved, so a
 * snapshot has the sums by token.
 */
export class WindowSums {
  readonly rows = new Rows(WindowLane.lanes)
  readonly #rowOf = new U32List()

  readonly #tokens: Rows

  constructor(tokens: Rows) {
    this.#tokens = tokens
    this.#reset()
  }

  get bytes(): number {
    return this.rows.bytes + this.#rowOf.bytes
  }

  get untouchedBytes(): number {
    return this.rows.untouchedBytes + this.#rowOf.untouchedBytes
  }

  /** The row of a token; 0: it has no swap in the window. */
  rowOf(token: number): number {
    return this.#rowOf.get(token)
  }

  /** The row of a token, a new one where it has none. */
  take(token: number): number {
    const known = this.#rowOf.get(token)
    if (known !== 0) return known
    const row = this.rows.add()
    this.#rowOf.set(token, row)
    return row
  }

  /** The last swap of a token left the window. */
  giveBack(token: number): void {
    this.rows.giveBack(this.#rowOf.get(token))
    this.#rowOf.set(token, 0)
  }

  /** The sums as a part of the state; before version 14 each token had a row. */
  part(name: string): StatePart {
    const part = copiedPart(
      name,
      () => this.#written(),
      (bytes) => this.#load(name, bytes),
    )
    const formerPart = () => {
      const rows = new Rows(WindowLane.lanes)
      return { ...rows.part(name), settle: () => this.#takeAll(rows) }
    }
    return { ...part, former: (version) => (version < TOKEN_ROWS_APART ? formerPart() : null) }
  }

  #written(): Uint8Array {
    const written = new Uint32Array((this.rows.count - this.rows.free - 1) * SAVED_LANES)
    let at = 0
    for (let token = 0; token < this.#rowOf.length; token++) {
      const row = this.#rowOf.get(token)
      if (row === 0) continue
      written[at] = token
      const from = atOf(row)
      const lanes = this.rows.u32[row >>> ROW_SHIFT]
      written.set(lanes.subarray(from, from + WindowLane.lanes), at + 1)
      at += SAVED_LANES
    }
    return new Uint8Array(written.buffer)
  }

  #load(name: string, bytes: Uint8Array): void {
    if (bytes.length % (SAVED_LANES * 4) !== 0)
      throw new StateError(`the state's ${name} have ${bytes.length} bytes`)
    this.#reset()
    const lanes = lanesIn(bytes)
    for (let at = 0; at < lanes.length; at += SAVED_LANES) {
      if (lanes[at] >= this.#tokens.count)
        throw new StateError(
          `the state's ${name} are of token ${lanes[at]}, which it does not have`,
        )
      this.#put(lanes[at], lanes.subarray(at + 1, at + SAVED_LANES))
    }
  }

  #takeAll(former: Rows): void {
    this.#reset()
    for (let token = 0; token < former.count; token++) {
      const at = atOf(token)
      const lanes = former.u32[token >>> ROW_SHIFT].subarray(at, at + WindowLane.lanes)
      if (lanes[WindowLane.buys] + lanes[WindowLane.sells] > 0) this.#put(token, lanes)
    }
  }

  #put(token: number, lanes: Uint32Array): void {
    const row = this.take(token)
    this.rows.u32[row >>> ROW_SHIFT].set(lanes, atOf(row))
  }

  #reset(): void {
    this.rows.reset(0)
    this.rows.add()
    this.#rowOf.reset(0)
  }
}

/** The lane that a row begins at in its page. */
function atOf(row: number): number {
  return (row & ROW_MASK) * WindowLane.lanes
}
