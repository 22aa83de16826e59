import type { FeedEvent } from '../../events/event.ts'
import { Backoff } from '../backoff.ts'
import { type Timers, waitFor } from '../timers.ts'
import type { SlotReach } from './slot-reach.ts'
import type { SlotSequencer } from './slot-sequencer.ts'
import { type Receiver, reasonOf, type SlotTransaction, type Source } from './source.ts'

/** Silence after which a connection is taken for dead: the chain makes several slots a second. */
export const SILENCE_MS = 5_000

interface SourceRunOptions {
  readonly source: Source
  readonly sequencer: SlotSequencer
  /** One for all sources: they follow one chain. */
  readonly reach: SlotReach
  readonly timers: Timers
  /** A number in [0, 1), for the waits. */
  readonly random: () => number
  /** Takes events that have no slot. */
  readonly handOver: (events: readonly FeedEvent[]) => void
  /** Whether another source that knows slots is connected. */
  readonly isStandby: () => boolean
  /** Called with why a connection ended, in one sentence. */
  readonly report: (reason: string) => void
  /** Called after everything that may have opened or closed a gap. */
  readonly onProgress: () => void
  /** Called with slots of which transactions may be missing. */
  readonly onIncomplete: (from: number, to: number) => void
}

/** One source and its connections, one after the other, until the signal. */
export class SourceRun {
  readonly counters = newSourceCounters()
  readonly #options: SourceRunOptions
  readonly #backoff: Backoff
  #isConnected = false
  #lastSignMs = 0
  #connectedAtMs = 0
  #quietSinceMs = 0
  #newestSlot = -1
  #reason: string | null = 'not connected yet'
  #lostAtMs: number

  constructor(options: SourceRunOptions) {
    this.#options = options
    this.#backoff = new Backoff(options.random)
    this.#lostAtMs = options.timers.nowMs()
  }

  get source(): Source {
    return this.#options.source
  }

  get isConnected(): boolean {
    return this.#isConnected
  }

  /** How long there has been no connection; 0: there is one. */
  get lostMs(): number {
    return this.#isConnected ? 0 : this.#options.timers.nowMs() - this.#lostAtMs
  }

  /** How long there has been this connection; 0: there is none. */
  get connectedMs(): number {
    return this.#isConnected ? this.#options.timers.nowMs() - this.#connectedAtMs : 0
  }

  /** How long this connection has delivered no transaction. */
  get quietMs(): number {
    return this.#options.timers.nowMs() - this.#quietSinceMs
  }

  /** The highest slot the source has spoken of; -1: none. */
  get newestSlot(): number {
    return this.#newestSlot
  }

  /** Why there is no connection, in one sentence; null: there is one. */
  get reason(): string | null {
    return this.#reason
  }

  /** Resolves after the signal. */
  async run(signal: AbortSignal): Promise<void> {
    const { timers } = this.#options
    while (!signal.aborted) {
      await this.#connection(signal)
      if (signal.aborted) return
      await waitFor(timers, this.#backoff.nextMs(), signal)
    }
  }

  async #connection(signal: AbortSignal): Promise<void> {
    const { source, sequencer } = this.#options
    const attempt = new AbortController()
    const stop = () => attempt.abort()
    signal.addEventListener('abort', stop)
    this.counters.attempts++
    const endWatch = this.#watch(attempt)
    let reason = 'the peer ended the connection'
    try {
      await source.connect(this.#receiver(attempt.signal), sequencer.cursor, attempt.signal)
    } catch (error) {
      reason = reasonOf(error, source.secrets)
    }
    endWatch()
    signal.removeEventListener('abort', stop)
    if (this.#isConnected) {
      this.counters.losses++
      this.#lostAtMs = this.#options.timers.nowMs()
    } else this.counters.refusals++
    this.#isConnected = false
    // What the source still does for this connection is dropped.
    attempt.abort()
    if (signal.aborted) return
    this.#reason = attempt.signal.reason instanceof Silence ? attempt.signal.reason.message : reason
    this.#options.report(this.#reason)
  }

  /** Ends the attempt when nothing has come for too long; the answer ends the watch. */
  #watch(attempt: AbortController): () => void {
    const { timers } = this.#options
    let cancel = () => {}
    const look = () => {
      const restMs = SILENCE_MS - (timers.nowMs() - this.#lastSignMs)
      if (restMs > 0) {
        cancel = timers.after(restMs, look)
        return
      }
      this.counters.watchdog++
      attempt.abort(new Silence(`nothing came for ${SILENCE_MS / 1000} s`))
    }
    cancel = timers.after(SILENCE_MS, look)
    return () => cancel()
  }

  /** What a connection that was given up still delivers is dropped. */
  #receiver(signal: AbortSignal): Receiver {
    const { sequencer, onProgress, onIncomplete } = this.#options
    let hasRefused = false
    const whileOpen = (act: () => void) => {
      if (signal.aborted) return
      this.#lastSignMs = this.#options.timers.nowMs()
      act()
    }
    return {
      connected: () =>
        whileOpen(() => {
          if (!this.#isConnected) {
            this.#connectedAtMs = this.#options.timers.nowMs()
            this.#quietSinceMs = this.#connectedAtMs
          }
          this.#isConnected = true
          this.#reason = null
        }),
      alive: () => whileOpen(() => {}),
      slotsIncomplete: onIncomplete,
      admits: (slot) => {
        if (signal.aborted || this.#options.reach.admits(slot)) return true
        this.counters.impossibleSlots++
        if (!hasRefused) this.#options.report(impossible(slot))
        hasRefused = true
        return false
      },
      slotSeen: (slot) => {
        if (!signal.aborted) this.#newestSlot = Math.max(this.#newestSlot, slot)
      },
      transaction: (transaction) => whileOpen(() => this.#transaction(transaction)),
      slotComplete: (slot, parentSlot) =>
        whileOpen(() => {
          this.counters.slots++
          this.#backoff.succeeded()
          sequencer.live.slotComplete(slot, parentSlot)
          onProgress()
        }),
      events: (events) => whileOpen(() => this.#events(events)),
    }
  }

  #transaction(transaction: SlotTransaction): void {
    this.counters.transactions++
    this.#quietSinceMs = this.#options.timers.nowMs()
    this.#options.sequencer.live.transaction(transaction)
  }

  #events(events: readonly FeedEvent[]): void {
    if (events.length > 0) this.#backoff.succeeded()
    if (this.source.isDegraded && this.#options.isStandby()) this.counters.standby += events.length
    else if (events.length > 0) this.#options.handOver(events)
  }
}

function impossible(slot: number): string {
  return `it speaks of slot ${slot}, where the chain cannot be yet: what it says of such slots is left out`
}

/** Why the watchdog ended a connection. */
class Silence extends Error {}

/** What happened to one source; plain numbers that only grow. */
function newSourceCounters() {
  return {
    /** Connections begun. */
    attempts: 0,
    /** Connections that worked and ended, by the peer, by an error or by the watchdog. */
    losses: 0,
    /** Connections that never worked. */
    refusals: 0,
    /** Connections ended because nothing came for too long. */
    watchdog: 0,
    /** Transactions delivered, duplicates included. */
    transactions: 0,
    /** Slots delivered whole. */
    slots: 0,
    /** Events left out because a better source was connected. */
    standby: 0,
    /** What it said of slots that the chain cannot have reached, left out. */
    impossibleSlots: 0,
  }
}
