import { positionsOf, tokenLane } from '../state/lanes.ts'
import { DORMANT_TRADERS_MAX, TokenLane } from '../state/layout.ts'
import type { State } from '../state/state.ts'
import { MintTraders, type TraderPart } from './mint-traders.ts'

/** Lists of more traders than this are read in one go. */
const TRADERS_MAX = 1 << 20
/** Bytes of all mints; beyond it those that were asked for longest ago are forgotten. */
const KEPT_BYTES = 1 << 26

interface Kept {
  readonly traders: MintTraders
  /** Was all found that was looked for? */
  isFound: boolean
}

/**
 * Columns of mints with so many traders that a list of them takes more than a turn: read in pieces when
 * first they are asked for, then kept up to date. Such a mint never rests, so that its rows stay its own.
 */
export class TraderColumns {
  readonly #state: State
  readonly #keptBytes: number
  /** By token, the one asked for longest ago first. */
  readonly #kept = new Map<number, Kept>()
  /** Tokens forgotten before all was found: they are read in one go, or several might push each other out for ever. */
  readonly #pushedOut = new Set<number>()

  constructor(state: State, keptBytes = KEPT_BYTES) {
    this.#state = state
    this.#keptBytes = keptBytes
  }

  get bytes(): number {
    let bytes = 0
    for (const { traders } of this.#kept.values()) bytes += traders.bytes
    return bytes
  }

  /** The rows are other ones. */
  drop(): void {
    this.#kept.clear()
    this.#pushedOut.clear()
  }

  /**
   * Looks for parts of a mint's traders for as long as `mayGoOn` says; false: to be called again in a later
   * turn. True: `of` has them, as of that moment, or they are read in one go.
   */
  areNear(token: number, parts: readonly TraderPart[], mayGoOn: () => boolean): boolean {
    if (!this.#isKept(token) || this.#pushedOut.delete(token)) return true
    const kept = this.#of(token)
    kept.isFound = kept.traders.areNear(parts, mayGoOn)
    if (kept.isFound) this.#makeRoom()
    return kept.isFound
  }

  /** The columns of a mint with these parts, good until the next event; null: they are not near. */
  of(token: number, parts: readonly TraderPart[]): MintTraders | null {
    const kept = this.#isKept(token) ? this.#kept.get(token) : undefined
    if (kept?.isFound !== true || kept.traders.isOutgrown) return null
    return kept.traders.areNear(parts, () => false) ? kept.traders : null
  }

  #isKept(token: number): boolean {
    const traders = positionsOf(this.#state, token)
    // Folders of old may have one at rest all the same.
    const isAwake = tokenLane(this.#state, token, TokenLane.dormantPlus1) === 0
    return traders > DORMANT_TRADERS_MAX && traders <= TRADERS_MAX && isAwake
  }

  #of(token: number): Kept {
    let kept = this.#kept.get(token)
    if (kept === undefined || kept.traders.isOutgrown)
      kept = { traders: new MintTraders(this.#state, token), isFound: false }
    this.#kept.delete(token)
    this.#kept.set(token, kept)
    return kept
  }

  #makeRoom(): void {
    let { bytes } = this
    for (const [token, { traders, isFound }] of this.#kept) {
      if (bytes <= this.#keptBytes || this.#kept.size === 1) return
      bytes -= traders.bytes
      this.#kept.delete(token)
      if (!isFound) this.#pushedOut.add(token)
    }
  }
}
