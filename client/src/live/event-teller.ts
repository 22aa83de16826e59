import { isCount, isText } from '../shape.ts'
import { timestampMs } from '../timestamp.ts'
import type { ChannelFrame } from './frames.ts'
import type { Mailbox } from './mailbox.ts'
import { SeenEvents } from './seen-events.ts'
import type { LiveJournal } from './status.ts'
import type { EventUpdate, LostUpdate } from './updates.ts'

/** What every event has. */
export interface ToldEvent {
  readonly signature?: string
  readonly mint?: string
  /** Of an alert. */
  readonly id?: string
  readonly timestamp: string
}

/** Hands events and losses to the reader of one subscription, whichever of its follows they are of. */
export class EventTeller<E extends ToldEvent> {
  readonly #mailbox: Pick<Mailbox<EventUpdate<E> | LostUpdate>, 'put'>
  readonly #journal: LiveJournal
  readonly #seen = new SeenEvents()

  constructor(mailbox: Pick<Mailbox<EventUpdate<E> | LostUpdate>, 'put'>, journal: LiveJournal) {
    this.#mailbox = mailbox
    this.#journal = journal
  }

  /**
   * An event of `key`; one that was told before is a repeat. A swap is known by signature and ordinal, what
   * has no ordinal by its mint too: one transaction may migrate several. An alert has an id.
   */
  tell(key: string, data: E, { seq, epoch, fields }: ChannelFrame): void {
    const ordinal = isCount(fields.ordinal) ? fields.ordinal : null
    if (!this.#seen.add(`${key}/${data.signature ?? ''}/${ordinal ?? data.mint ?? data.id}`)) {
      this.#journal.count('repeats')
      return
    }
    const timeMs = timestampMs(data.timestamp)
    const lagMs = timeMs === null ? null : Date.now() - timeMs
    this.#journal.lagMs = lagMs
    const pool = isText(fields.pool) ? fields.pool : ''
    this.#mailbox.put({ kind: 'event', key, seq, epoch, ordinal, pool, lagMs, data })
  }

  tellLoss(loss: Omit<LostUpdate, 'kind'>): void {
    this.#journal.count('losses')
    this.#mailbox.put({ kind: 'lost', ...loss })
  }
}
