import type { Engine } from './engine.ts'
import { ROWS_MAX } from './memory/rows.ts'
import { LinkLane, MetadataLane, PositionLane, TokenLane } from './state/layout.ts'

/** Bytes of a position in memory: its row, its links, and its slot in a table that is part empty. */
const POSITION_BYTES = (PositionLane.lanes + LinkLane.lanes) * 4 + 16
/** Positions that leave memory before one batch, some more when the last token has many. */
const POSITIONS_PER_BATCH = 2_048
/** Tokens looked at before one batch. */
const TOKENS_PER_BATCH = 4_096
/** Share of the limit that is cleared at once, so that not every batch begins anew. */
const CLEARED_SHARE = 1 / 32

const NOBODY: readonly number[] = []

/**
 * Chooses the tokens that are put to rest when positions take more memory than POSITIONS_MEMORY:
 * those without a swap for longest. A hand goes round all tokens and takes those whose last swap is
 * further back than so many swaps; after a round that was not enough it is content with half of that.
 *
 * It decides before the journal, which says who rests and where: a replay asks nobody.
 */
export class EvictionPolicy {
  readonly #engine: Engine
  readonly #positionsMax: number
  /** Told once, when the limit is passed first. */
  readonly #onFirst: () => void
  #hasBegun = false
  #isClearing = false
  #hand = 0
  /** Swaps since its last one that make a token quiet. */
  #quietSwaps = 0
  #foundInRound = 0
  #pauseUntilSwaps = 0

  constructor(engine: Engine, memoryBytes: number, onFirst: () => void = () => {}) {
    this.#engine = engine
    this.#positionsMax = Math.floor(memoryBytes / POSITION_BYTES)
    this.#onFirst = onFirst
  }

  /** The tokens to put to rest before the next batch of so many events. */
  choose(events: number): readonly number[] {
    const { positions, tape } = this.#engine.state
    const held = positions.count - positions.free
    const least = this.#positionsMax * (1 - CLEARED_SHARE)
    if (held <= (this.#isClearing ? least : this.#positionsMax)) {
      this.#isClearing = false
      return NOBODY
    }
    if (tape.count < this.#pauseUntilSwaps) return NOBODY
    if (!this.#isClearing) this.#begin()
    // A batch may bring a position with each of its swaps.
    return this.#pick(Math.min(held - least, POSITIONS_PER_BATCH + events))
  }

  #begin(): void {
    this.#isClearing = true
    this.#foundInRound = 0
    this.#quietSwaps = Math.max(this.#quietSwaps * 2, Math.floor(this.#engine.settledSwaps / 2))
    if (this.#hasBegun) return
    this.#hasBegun = true
    this.#onFirst()
  }

  #pick(wanted: number): readonly number[] {
    const { state, coldStore } = this.#engine
    const reach = coldStore.reach()
    const picked: number[] = []
    const most = Math.min(TOKENS_PER_BATCH, state.tokens.count)
    const room = ROWS_MAX - state.dormant.tape.count
    let positions = 0
    for (let looked = 0; looked < most && positions < wanted; looked++) {
      if (this.#hand >= state.tokens.count) this.#endRound()
      const token = this.#hand++
      if (!coldStore.mayEvict(token, reach)) continue
      if (state.tokens.get(token, TokenLane.lastSwapPlus1) > reach.swap - this.#quietSwaps) continue
      const traders = state.metadata.get(token, MetadataLane.positions)
      if (positions + traders > room) continue
      picked.push(token)
      positions += traders
    }
    this.#foundInRound += picked.length
    return picked
  }

  #endRound(): void {
    this.#hand = 0
    const { tape, tokens } = this.#engine.state
    // Nobody could rest: the next round costs no more than a look for each swap until then.
    if (this.#quietSwaps === 0 && this.#foundInRound === 0)
      this.#pauseUntilSwaps = tape.count + tokens.count
    this.#quietSwaps = Math.floor(this.#quietSwaps / 2)
    this.#foundInRound = 0
  }
}
