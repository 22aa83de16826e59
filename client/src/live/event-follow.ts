import { type Problem, problem } from '../problem.ts'
import { isCount, type Shape } from '../shape.ts'
import { Behind } from './behind.ts'
import type { EventTeller, ToldEvent } from './event-teller.ts'
import type { Follow, Line, Words } from './follow.ts'
import type { Acknowledgement, Channel, ChannelFrame, Resync } from './frames.ts'
import type { Mailbox } from './mailbox.ts'
import type { LiveJournal } from './status.ts'
import type { Cursor, Update } from './updates.ts'

export interface EventFollowParts<S, E extends ToldEvent> {
  readonly channel: Channel
  readonly key: string
  readonly name: 'mint' | 'wallet' | null
  readonly isSnapshot: Shape<S>
  readonly isEvent: Shape<E>
  readonly mailbox: Pick<Mailbox<Update<S, E>>, 'hasRoom' | 'put' | 'putLast'>
  readonly teller: EventTeller<E>
  readonly journal: LiveJournal
  readonly wantsSnapshot: boolean
  /** With the optional keys of swaps and records. */
  readonly extra?: boolean
  /** Where a reader stopped earlier. */
  readonly from: Cursor | null
}

/**
 * - `idle`: not asked for; `asked`: until the acknowledgement comes, what comes belongs to the
 *   subscription before; `behind`: the replica has not yet what was read, nothing of it counts;
 *   `snapshot`: it comes next; `live`: the next message has the next seq; `held`: left until the reader has room; `refused`: over.
 */
type Phase = 'idle' | 'asked' | 'behind' | 'snapshot' | 'live' | 'held' | 'refused'

/** A stream of numbered messages: hands on each once and in order, whatever happens to the connection. */
export class EventFollow<S, E extends ToldEvent> implements Follow {
  readonly channel: Channel
  readonly key: string
  readonly leaveWords = {}
  readonly #parts: EventFollowParts<S, E>
  #line: Line | null = null
  #phase: Phase = 'idle'
  #cursor: Cursor | null
  #resync: Resync | null = null
  /** Nothing has come since the subscription began: a gap here would come again and again. */
  #isFresh = false
  readonly #behind = new Behind()

  constructor(parts: EventFollowParts<S, E>) {
    this.#parts = parts
    this.channel = parts.channel
    this.key = parts.key
    this.#cursor = parts.from
  }

  connected(line: Line): void {
    this.#line = line
    if (this.#phase === 'idle') this.#ask()
  }

  disconnected(): void {
    this.#line = null
    this.#resync = null
    if (!this.#isLeft) this.#phase = 'idle'
  }

  words(): Words {
    const { name, extra, wantsSnapshot } = this.#parts
    const from = this.#cursor
    const more = extra === true ? { extra } : {}
    return { name, from, snapshot: wantsSnapshot || from !== null, more }
  }

  acknowledged({ seq, seqs, epoch }: Acknowledgement): void {
    if (this.#phase === 'behind') this.#behind.wait(this, this.#line, () => this.#ask())
    if (this.#phase !== 'asked') return
    this.#isFresh = true
    const isResumed = this.#cursor !== null && this.#resync === null
    if (isResumed) {
      this.#phase = 'live'
      this.#behind.ended()
    } else if (this.#cursor !== null || this.#parts.wantsSnapshot) this.#phase = 'snapshot'
    else {
      const first = seqs === null ? seq : seqs[this.key]
      if (!isCount(first) || epoch === null) {
        this.#line?.fail(problem('invalid_frame', `${this.channel} begins without seq or epoch.`))
        return
      }
      this.#cursor = { seq: first, epoch }
      this.#phase = 'live'
    }
  }

  refused(problem: Problem): void {
    this.#phase = 'refused'
    this.#parts.mailbox.putLast({ kind: 'refused', key: this.key, problem })
    this.#line?.drop(this)
  }

  resync(frame: Resync): void {
    if (this.#isLeft || this.#phase === 'behind') return
    if (this.#phase === 'asked' && this.#isBehind(frame)) {
      this.#phase = 'behind'
      return
    }
    this.#resync = frame
    if (this.#phase === 'live') this.#phase = 'snapshot'
  }

  take(frame: ChannelFrame): void {
    if (frame.kind === 'snapshot' && this.#phase === 'snapshot') this.#takeSnapshot(frame)
    else if (frame.kind === 'event' && this.#phase === 'live') this.#takeEvent(frame)
  }

  resume(): void {
    if (this.#phase !== 'held') return
    this.#phase = 'idle'
    this.#ask()
  }

  /** In one epoch a stream never ends before what was told of it: this replica has not come so far. */
  #isBehind({ reason, seq, epoch }: Resync): boolean {
    const cursor = this.#cursor
    if (reason !== 'seq_ahead' || cursor === null) return false
    return epoch === cursor.epoch && seq < cursor.seq && this.#behind.isPatient
  }

  get #isLeft(): boolean {
    return this.#phase === 'held' || this.#phase === 'refused'
  }

  #ask(): void {
    if (this.#line === null) return
    this.#phase = 'asked'
    this.#resync = null
    this.#line.ask(this)
  }

  #takeSnapshot({ seq, epoch, fields }: ChannelFrame): void {
    const { mailbox, isSnapshot } = this.#parts
    const { data, position } = fields
    if (!mailbox.hasRoom(2)) {
      this.#hold()
      return
    }
    const lost = this.#resync
    if (lost !== null) {
      const { reason, message } = lost
      this.#tellLoss(reason, message, this.#cursor?.seq ?? null, seq)
    }
    this.#cursor = { seq, epoch }
    this.#resync = null
    this.#phase = 'live'
    this.#behind.ended()
    if (isSnapshot(data) && isCount(position))
      mailbox.put({ kind: 'snapshot', key: this.key, seq, epoch, position, data })
    else this.#tellLoss('invalid_event', 'The snapshot could not be read.', seq, seq)
  }

  #takeEvent(frame: ChannelFrame): void {
    const { mailbox, isEvent, teller, journal } = this.#parts
    const { seq, epoch, fields } = frame
    const cursor = this.#cursor
    if (cursor === null) return
    if (epoch === cursor.epoch && seq <= cursor.seq) {
      journal.count('repeats')
      return
    }
    if (epoch !== cursor.epoch || seq !== cursor.seq + 1) {
      journal.count('gaps')
      if (this.#isFresh) this.#line?.fail(badResume(this.channel, cursor.seq, seq))
      else this.#ask()
      return
    }
    this.#isFresh = false
    if (!mailbox.hasRoom(1)) {
      this.#hold()
      return
    }
    this.#cursor = { seq, epoch }
    const { data } = fields
    if (!isEvent(data)) {
      this.#tellLoss('invalid_event', `Message ${seq} could not be read.`, seq - 1, seq)
      return
    }
    teller.tell(this.key, data, frame)
  }

  #tellLoss(reason: string, message: string, fromSeq: number | null, toSeq: number): void {
    this.#parts.teller.tellLoss({ key: this.key, reason, message, fromSeq, toSeq })
  }

  #hold(): void {
    this.#phase = 'held'
    this.#parts.journal.count('holds')
    this.#line?.pause(this)
  }
}

function badResume(channel: Channel, asked: number, came: number): Problem {
  const message = `${channel} was asked for behind ${asked}, but ${came} came.`
  return problem('invalid_frame', message)
}
