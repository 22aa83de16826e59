import { type Problem, problem } from '../problem.ts'
import { isCount } from '../shape.ts'
import { Behind } from './behind.ts'
import type { Follow, Line, Words } from './follow.ts'
import type { Channel, ChannelFrame } from './frames.ts'
import type { LiveJournal } from './status.ts'

export interface StateMoment {
  readonly seq: number
  readonly epoch: string
  readonly step: number
  readonly time: number
}

export interface StateFollowParts {
  readonly channel: Channel
  readonly key: string
  readonly subscribeWords: Readonly<Record<string, unknown>>
  readonly leaveWords: Readonly<Record<string, unknown>>
  readonly journal: LiveJournal
  /**
   * Takes a frame's content in and tells the reader; false when it does not fit what was there, or
   * when there is no room: then a snapshot is asked for, in the second case once there is.
   */
  readonly apply: (frame: ChannelFrame, moment: StateMoment) => 'applied' | 'unfit' | 'full'
  readonly refused: (problem: Problem) => void
}

/** A channel that shows a state: a snapshot, then deltas, each one step later. */
export class StateFollow implements Follow {
  readonly channel: Channel
  readonly key: string
  readonly leaveWords: Readonly<Record<string, unknown>>
  readonly #parts: StateFollowParts
  #line: Line | null = null
  /** Of the newest frame; null: a snapshot is to come. */
  #step: number | null = null
  #isAsked = false
  #isHeld = false
  /** Of what was shown last. */
  #place: { readonly seq: number; readonly epoch: string } | null = null
  readonly #behind = new Behind()

  constructor(parts: StateFollowParts) {
    this.#parts = parts
    this.channel = parts.channel
    this.key = parts.key
    this.leaveWords = parts.leaveWords
  }

  connected(line: Line): void {
    this.#line = line
    if (!this.#isHeld) this.#ask()
  }

  disconnected(): void {
    this.#line = null
    this.#step = null
    this.#isAsked = false
  }

  words(): Words {
    return { name: null, from: null, snapshot: true, more: this.#parts.subscribeWords }
  }

  acknowledged(): void {
    this.#isAsked = false
  }

  refused(problem: Problem): void {
    this.#parts.refused(problem)
    this.#line?.drop(this)
  }

  resync(): void {
    this.#ask()
  }

  take(frame: ChannelFrame): void {
    if (this.#isAsked || this.#isHeld || frame.kind === 'event') return
    const { step, time } = frame.fields
    const isNext = frame.kind === 'snapshot' || this.#step === null || step === this.#step + 1
    if (frame.kind === 'delta' && this.#step === null) return
    const { seq, epoch } = frame
    if (this.#isBehind(frame)) {
      this.#step = null
      this.#isAsked = true
      this.#behind.wait(this, this.#line, () => this.#line?.ask(this))
      return
    }
    const isWhole = isCount(step) && isCount(time) && isNext
    const result = isWhole ? this.#parts.apply(frame, { seq, epoch, step, time }) : 'unfit'
    if (isWhole && result === 'applied') {
      this.#step = step
      this.#place = { seq, epoch }
      this.#behind.ended()
    } else if (result === 'full') this.#hold()
    else if (frame.kind === 'snapshot')
      this.#line?.fail(problem('invalid_frame', `A snapshot of ${this.channel} cannot be read.`))
    else {
      this.#parts.journal.count('gaps')
      this.#ask()
    }
  }

  resume(): void {
    if (!this.#isHeld) return
    this.#isHeld = false
    this.#ask()
  }

  /** In one epoch a state is never older than what was shown of it: this replica has not come so far. */
  #isBehind({ seq, epoch }: ChannelFrame): boolean {
    const shown = this.#place
    return shown?.epoch === epoch && seq < shown.seq && this.#behind.isPatient
  }

  #ask(): void {
    if (this.#line === null || this.#isAsked) return
    this.#step = null
    this.#isAsked = true
    this.#line.ask(this)
  }

  #hold(): void {
    this.#isHeld = true
    this.#parts.journal.count('holds')
    this.#line?.pause(this)
  }
}
