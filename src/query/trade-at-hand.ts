import type { Engine } from '../engine/engine.ts'
import { tokenLane, walletLane } from '../engine/state/lanes.ts'
import { L, T } from '../engine/state/layout.ts'
import { U, walletOf } from '../events/swap-record.ts'
import type { TradeTold } from '../protocol/streams.ts'
import { swapExtras } from './json/extra-json.ts'

/** The trade that is being told: its numbers are counts of the state, which holds it already. */
export class TradeAtHand implements TradeTold {
  index = 0
  readonly #engine: Engine

  constructor(engine: Engine) {
    this.#engine = engine
  }

  get seq(): number {
    return tokenLane(this.#engine.state, this.#lane(U.token), T.swaps)
  }

  get ordinal(): number {
    return this.#lane(U.ordinal)
  }

  get timestamp(): number {
    return this.#lane(U.timestamp)
  }

  get wallet(): string {
    return this.#engine.state.book.walletText(this.#walletRow)
  }

  get walletSeq(): number {
    return walletLane(this.#engine.state, this.#walletRow, L.trades)
  }

  get tradeSeq(): number {
    return this.#engine.counts.swaps
  }

  get extras(): string {
    return swapExtras(this.#engine.state, this.index)
  }

  get #walletRow(): number {
    const { tape } = this.#engine.state
    return walletOf(tape.u32Of(this.index), tape.at(this.index))
  }

  #lane(lane: number): number {
    const { tape } = this.#engine.state
    return tape.u32Of(this.index)[tape.at(this.index) + lane]
  }
}
