import { status } from '@grpc/grpc-js'
import { LastingRefusals } from '../supervisor/lasting-refusals.ts'
import type { Timers } from '../timers.ts'

/**
 * Codes by which servers refuse a slot that they do not keep, or cannot say which they do. What a
 * server is short of for a while (UNAVAILABLE, RESOURCE_EXHAUSTED) and keys are none of these.
 */
const REFUSALS: readonly number[] = [
  status.UNKNOWN,
  status.INVALID_ARGUMENT,
  status.DEADLINE_EXCEEDED,
  status.OUT_OF_RANGE,
  status.INTERNAL,
  status.DATA_LOSS,
]
/** Streams in a row refused at an old slot, behind which one is to begin at now. */
const STREAMS_MAX = 3

/**
 * Counts how often a server refuses to tell slots again that it says it has: behind one address are
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
  told(): void {
    this.#streams = 0
    this.#backfills.told()
  }

  /** A stream from an old slot on has ended before anything came. */
  stream(error: unknown): void {
    if (isRefusal(error)) this.#streams++
  }

  /** The same of a back-fill; whether its slots are to be given up. */
  backfill(error: unknown): boolean {
    return isRefusal(error) && this.#backfills.refused()
  }
}

function isRefusal(error: unknown): boolean {
  if (!(error instanceof Error) || !('code' in error)) return false
  return typeof error.code === 'number' && REFUSALS.includes(error.code)
}
