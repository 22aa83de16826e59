import { isSwap, type Swap } from '../resources/swap.ts'
import type { Tables } from '../resources/tables.ts'
import { isDetailOrNull, type TokenDetail } from '../resources/token.ts'
import { EventFollow } from './event-follow.ts'
import { EventTeller } from './event-teller.ts'
import type { Follow } from './follow.ts'
import type { Mailbox } from './mailbox.ts'
import type { StateMoment } from './state-follow.ts'
import type { LiveJournal } from './status.ts'
import type { TableTradeUpdate } from './updates.ts'

export interface TableTradesParts {
  readonly mailbox: Mailbox<TableTradeUpdate>
  readonly journal: LiveJournal
  readonly add: (follow: Follow) => void
  readonly remove: (follow: Follow) => void
}

type TradesFollow = EventFollow<TokenDetail | null, Swap>

/**
 * Follows the trades of the tokens that a live table has: of those that stay each stream goes on as it
 * was, those that enter begin, those that left are left.
 */
export class TableTrades {
  readonly #parts: TableTradesParts
  readonly #teller: EventTeller<Swap>
  readonly #follows = new Map<string, TradesFollow>()
  #isTold = false

  constructor(parts: TableTradesParts) {
    this.#parts = parts
    this.#teller = new EventTeller(parts.mailbox, parts.journal)
  }

  /** Takes in what the table is now; false when the reader has no room to be told. */
  changed(tables: Tables, moment: StateMoment): boolean {
    const { mailbox, add, remove } = this.#parts
    const groups = [tables.new, tables.completing, tables.graduated]
    const mints = new Set(groups.flatMap((rows) => (rows ?? []).map(({ mint }) => mint)))
    const entered = [...mints].filter((mint) => !this.#follows.has(mint))
    const left = [...this.#follows.keys()].filter((mint) => !mints.has(mint))
    if (this.#isTold && entered.length + left.length === 0) return true
    if (!mailbox.hasRoom(1)) return false
    this.#isTold = true
    mailbox.put({ kind: 'tokens', entered, left, tables, ...moment })
    for (const mint of left) {
      const follow = this.#follows.get(mint)
      this.#follows.delete(mint)
      if (follow !== undefined) remove(follow)
    }
    for (const mint of entered) {
      // A connection that goes with its last token is told of, and who is told may close the subscription.
      if (mailbox.isClosed) break
      const follow = this.#followOf(mint)
      this.#follows.set(mint, follow)
      add(follow)
    }
    return true
  }

  resume(): void {
    for (const follow of this.#follows.values()) follow.resume()
  }

  leave(): void {
    for (const follow of this.#follows.values()) this.#parts.remove(follow)
    this.#follows.clear()
  }

  #followOf(key: string): TradesFollow {
    const { mailbox, journal } = this.#parts
    return new EventFollow({
      channel: 'update_mint_info',
      key,
      name: 'mint',
      isSnapshot: isDetailOrNull,
      isEvent: isSwap,
      // One token that is refused ends nothing.
      mailbox: {
        hasRoom: (count) => mailbox.hasRoom(count),
        put: (update) => mailbox.put(update),
        putLast: (update) => mailbox.put(update),
      },
      teller: this.#teller,
      journal,
      wantsSnapshot: false,
      from: null,
    })
  }
}
