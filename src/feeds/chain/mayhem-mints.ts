import { LRUCache } from 'lru-cache'
import type { Reserves, Swap } from '../../events/event.ts'
import { mayhemCurve } from './reserves-events.ts'

/** Mints remembered; of one that is forgotten it is told once more. */
const MINTS_MAX = 50_000
/** Creation or re-pricing said it: no trade has to. */
const BY_EVENT = ''

/** Mayhem curves whose creation was not seen: the first trade tells what they are. */
export class MayhemMints {
  /** By mint, the signature that told it. */
  readonly #told = new LRUCache<string, string>({ max: MINTS_MAX })

  /** A creation or a re-pricing has told it. */
  learn(mint: string): void {
    this.#told.set(mint, BY_EVENT)
  }

  /**
   * Once for each mint, and whenever its transaction is told again: what was told first may not have come through.
   * @param trades of one transaction on mayhem curves, in order
   */
  events(trades: readonly Swap[], ordinal: number): readonly Reserves[] {
    const last = new Map(trades.map((trade) => [trade.mint, trade]))
    const untold = [...last.values()].filter(({ mint, signature }) => {
      const teller = this.#told.get(mint)
      if (teller !== undefined) return teller === signature
      this.#told.set(mint, signature)
      return true
    })
    return untold.map((trade, k) => mayhemCurve(trade, ordinal + k))
  }
}
