import type { Answer } from '../answer.ts'
import { type Problem, problem } from '../problem.ts'
import { isSwap, type Swap } from '../resources/swap.ts'
import type { Tables } from '../resources/tables.ts'
import { isMarketData, type TokenMarketData } from '../resources/token.ts'
import { isCount, isObject, listOf } from '../shape.ts'
import type { EventTeller } from './event-teller.ts'
import type { Follow, Line, Words } from './follow.ts'
import type { ChannelFrame } from './frames.ts'
import type { Mailbox } from './mailbox.ts'
import type { LiveJournal } from './status.ts'
import type { TableTradeUpdate } from './updates.ts'

export interface PoolsFollowParts {
  readonly mailbox: Mailbox<TableTradeUpdate>
  readonly teller: EventTeller<Swap>
  readonly journal: LiveJournal
  /** Reads the table for the connection of this id, which binds its trades to it. */
  readonly readTable: (socketId: string) => Promise<Answer<Tables>>
}

const isMarket = listOf(isMarketData)

/**
 * Trades of the tokens of a table. The channel cannot be resumed: after a break the table is read
 * anew, a snapshot follows, and what was missed of a mint is told as lost.
 */
export class PoolsFollow implements Follow {
  readonly channel = 'update_pools_info'
  readonly key = ''
  readonly leaveWords = {}
  readonly #parts: PoolsFollowParts
  #line: Line | null = null
  #phase: 'idle' | 'asked' | 'snapshot' | 'live' | 'held' = 'idle'
  /** Newest seq by mint; the mints of one table. */
  #seqs = new Map<string, number>()
  #epoch: string | null = null

  constructor(parts: PoolsFollowParts) {
    this.#parts = parts
  }

  connected(line: Line): void {
    this.#line = line
    if (this.#phase === 'idle') void this.#begin(line)
  }

  disconnected(): void {
    this.#line = null
    if (this.#phase !== 'held') this.#phase = 'idle'
  }

  words(): Words {
    return { name: null, from: null, snapshot: true, more: {} }
  }

  acknowledged(): void {
    if (this.#phase === 'asked') this.#phase = 'snapshot'
  }

  refused(why: Problem): void {
    this.#phase = 'held'
    this.#parts.mailbox.putLast({ kind: 'refused', key: '', problem: why })
    this.#line?.drop(this)
  }

  resync(): void {
    // The channel has none: it always begins with a snapshot.
  }

  take(frame: ChannelFrame): void {
    if (frame.kind === 'snapshot' && this.#phase === 'snapshot') this.#takeSnapshot(frame)
    else if (frame.kind === 'event' && this.#phase === 'live') this.#takeEvent(frame)
  }

  resume(): void {
    if (this.#phase !== 'held') return
    this.#phase = 'idle'
    if (this.#line !== null) void this.#begin(this.#line)
  }

  async #begin(line: Line): Promise<void> {
    this.#phase = 'asked'
    const table = await this.#parts.readTable(line.id)
    if (this.#line !== line || this.#phase !== 'asked') return
    if (table.ok) line.ask(this)
    else if (table.problem.status === 400) this.refused(table.problem)
    else line.fail(table.problem)
  }

  #takeSnapshot({ epoch, fields }: ChannelFrame): void {
    const { mailbox } = this.#parts
    const { data, seqs: told, position } = fields
    const seqs = seqsOf(told)
    if (!isMarket(data) || seqs === null || !isCount(position)) {
      const message = 'A snapshot of update_pools_info cannot be read.'
      this.#line?.fail(problem('invalid_frame', message))
      return
    }
    if (!mailbox.hasRoom(seqs.size + 1)) {
      this.#hold()
      return
    }
    this.#tellLosses(epoch, seqs)
    this.#seqs = seqs
    this.#epoch = epoch
    this.#phase = 'live'
    mailbox.put({ ...snapshot(epoch, position, data), seqs: Object.fromEntries(seqs) })
  }

  /** What the new snapshot has and the reader was not told, by mint. */
  #tellLosses(epoch: string, seqs: ReadonlyMap<string, number>): void {
    const isSame = epoch === this.#epoch
    for (const [key, fromSeq] of this.#seqs) {
      const toSeq = seqs.get(key)
      if (toSeq === undefined || (isSame && toSeq <= fromSeq)) continue
      this.#lost(key, isSame ? 'too_old' : 'epoch_changed', fromSeq, toSeq)
    }
  }

  #takeEvent(frame: ChannelFrame): void {
    const { mailbox, teller, journal } = this.#parts
    const { seq, epoch, fields } = frame
    const { data } = fields
    if (!isSwap(data)) {
      journal.count('unreadable')
      journal.report(problem('invalid_event', 'A trade of a table cannot be read.'))
      return
    }
    const before = this.#seqs.get(data.mint)
    if (epoch === this.#epoch && before !== undefined && seq <= before) {
      journal.count('repeats')
      return
    }
    if (!mailbox.hasRoom(2)) {
      this.#hold()
      return
    }
    if (before !== undefined && seq !== before + 1) {
      journal.count('gaps')
      this.#lost(data.mint, 'table_changed', before, seq - 1)
    }
    this.#seqs.set(data.mint, seq)
    teller.tell(data.mint, data, frame)
  }

  #lost(key: string, reason: string, fromSeq: number, toSeq: number): void {
    const message = 'The trades of a table cannot be resumed.'
    this.#parts.teller.tellLoss({ key, reason, message, fromSeq, toSeq })
  }

  #hold(): void {
    this.#phase = 'held'
    this.#parts.journal.count('holds')
    this.#line?.pause(this)
  }
}

function snapshot(epoch: string, position: number, data: readonly TokenMarketData[]) {
  return { kind: 'snapshot', key: '', seq: 0, epoch, position, data } as const
}

function seqsOf(told: unknown): Map<string, number> | null {
  if (!isObject(told)) return null
  const seqs = new Map<string, number>()
  for (const [mint, seq] of Object.entries(told)) {
    if (!isCount(seq)) return null
    seqs.set(mint, seq)
  }
  return seqs
}
