import type { Engine } from '../../engine/engine.ts'
import { flagsOf } from '../../engine/state/lanes.ts'
import { TokenFlag } from '../../engine/state/layout.ts'
import type { HydrationMarket } from '../../feeds/hydration/hydration-feed.ts'

/** First tokens of each table that count as read. */
const TABLE_ROWS = 50
/** Mints that clients follow and that are looked at. */
const FOLLOWED_MAX = 1_000

/** What clients read, in the order of need (contract section 9). */
export interface ClientReads {
  /** Mints that are followed, `most` at most. */
  readonly followed: (most: number) => readonly string[]
  /** Mints whose creation is unknown and that were asked for, the newest first; bounded. */
  readonly asked: () => readonly string[]
}

/** Reads an engine for the questions to the chain. */
export class EngineHydration implements HydrationMarket {
  readonly #engine: () => Engine
  readonly #reads: ClientReads

  constructor(engine: () => Engine, reads: ClientReads) {
    this.#engine = engine
    this.#reads = reads
  }

  isUnknown(mint: string): boolean {
    const { state } = this.#engine()
    const token = state.book.findToken(mint)
    if (token < 0 || token >= state.tokens.count) return false
    const flags = flagsOf(state, token)
    const isTold = (flags & (TokenFlag.creationKnown | TokenFlag.holdersTold)) !== 0
    return (flags & TokenFlag.exists) !== 0 && !isTold
  }

  wanted(): readonly string[] {
    const { order, state } = this.#engine()
    const tables = [order.new, order.completing, order.graduated].flatMap(({ tokens }) =>
      tokens.slice(-TABLE_ROWS).reverse(),
    )
    return [
      ...this.#reads.followed(FOLLOWED_MAX),
      ...this.#reads.asked(),
      ...tables.map((token) => state.book.mintOf(token)),
    ]
  }
}
