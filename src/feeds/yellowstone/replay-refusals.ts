import { status } from '@grpc/grpc-js'
import { LastingRefusals } from '../supervisor/lasting-refusals.ts'
import type { Timers } from '../timers.ts'

/**
 * Codes by which servers refuse a slot that they do not keep: Yellowstone OUT_OF_RANGE (before, INTERNAL), richat
 * INVALID_ARGUMENT, LaserStream DATA_LOSS.
 */
const REFUSALS: readonly number[] = [status.OUT_OF_RANGE, status.INVALID_ARGUMENT, status.DATA_LOSS]
/**
 * Codes by which they may refuse it, or fail for any other reason: their words say which. What a server is short of for a while
 * (UNAVAILABLE, RESOURCE_EXHAUSTED) and keys are none of these.
 */
const DOUBTFUL: readonly number[] = [status.UNKNOWN, status.DEADLINE_EXCEEDED, status.INTERNAL]
/** `broadcast from 5 is not available, last available: 9`, and the like. */
const NOT_KEPT = /\bbroadcast\b.*\bnot available\b|\blast available\b/i
/** The server delivers nothing again at all. */
const NOT_SUPPORTED = /\bfrom_slot is not supported\b/i
/** Streams in a row refused at an old slot, behind which one is to begin at now. */
const STREAMS_MAX = 3
/** Of streams that failed for a reason that may or may not be a refusal, so many times more. */
const DOUBT = 2

/**
 * Counts how often a server refuses to deliver slots again that it says it has: behind one address are
 * several machines, and not all of them keep as much.
 */
export class ReplayRefusals {
  readonly #backfills: LastingRefusals
  #streams = 0

  constructor(timers: Timers) {
    this.#backfills = new LastingRefusals(timers)
  }

  /** Whether a stream is to begin at an old slot. */
  get mayReplay(): boolean {
    return this.#streams < STREAMS_MAX
  }

  /** Something came of a stream that began at an old slot. */
  succeeded(): void {
    this.#streams = 0
    this.#backfills.succeeded()
  }

  /** A stream from an old slot on has ended before anything came. */
  stream(error: unknown): void {
    const is = refusalOf(error)
    if (is === 'for good') this.#streams = STREAMS_MAX
    else if (is !== null) this.#streams += is === 'this slot' ? 1 : 1 / DOUBT
  }

  /** The same of a back-fill; whether its slots are to be given up. */
  backfill(error: unknown): boolean {
    return refusalOf(error) !== null && this.#backfills.refused()
  }
}

/** What a failure refuses, by its code and its words; `perhaps`: the code may mean anything. null: nothing. */
function refusalOf(error: unknown): 'for good' | 'this slot' | 'perhaps' | null {
  if (!(error instanceof Error) || !('code' in error) || typeof error.code !== 'number') return null
  const isDoubtful = DOUBTFUL.includes(error.code)
  if (!isDoubtful && !REFUSALS.includes(error.code)) return null
  if (NOT_SUPPORTED.test(error.message)) return 'for good'
  return isDoubtful && !NOT_KEPT.test(error.message) ? 'perhaps' : 'this slot'
}
