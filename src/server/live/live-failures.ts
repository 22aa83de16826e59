import { TapeDamage } from '../../engine/tape.ts'
import { CLOSE_CODES } from '../../wire/errors.ts'
import type { FollowedWords } from '../../wire/live-frames.ts'
import { liveErrorFrame } from '../../wire/live-messages.ts'
import type { Log, OnStep } from '../options.ts'
import type { LiveConnection, Send } from './connection.ts'

export interface LiveFailureParts {
  readonly log: Log
  /** Told of each request that was served. */
  readonly onStep?: OnStep
  readonly send: Send
  readonly close: (connection: LiveConnection, code: number, reason: string) => void
}

/**
 * Lines about history that cannot be read: so many at once, and one more each second. A client may ask for it
 * thousands of times a second.
 */
const DAMAGE_LINES = 20
const DAMAGE_LINE_MS = 1000

/**
 * What becomes of an exception while somebody of the live feed is served, as `Exchange.guard` has it for
 * requests: it is logged, whom it concerns is told, and life goes on for everybody else.
 */
export class LiveFailures {
  readonly #parts: LiveFailureParts
  #defects = 0
  /** Lines about history that cannot be read that may be written now, as of when, and how many were left out. */
  #linesLeft = DAMAGE_LINES
  #linesLeftAtMs = performance.now()
  #leftOut = 0

  constructor(parts: LiveFailureParts) {
    this.#parts = parts
  }

  /** Flat figures for /readyz and /metrics; history that the disk does not give is no defect. */
  figures(): Readonly<Record<string, number>> {
    return { live_defects_total: this.#defects }
  }

  /** What `serve` says; when it threw the connection was told, and nothing is to be served again. */
  guarded(connection: LiveConnection, serve: () => boolean): boolean {
    const startMs = performance.now()
    try {
      return serve()
    } catch (error) {
      this.failed(error, [connection])
      return true
    } finally {
      this.#parts.onStep?.('live request', startMs)
    }
  }

  /** Logs an exception, and tells those whom it concerns; what of theirs has `ended` they did not ask for now. */
  failed(error: unknown, connections: readonly LiveConnection[], ended?: FollowedWords): void {
    if (error instanceof TapeDamage) this.#logDamage(error)
    else {
      this.#log(error, {})
      this.#defects++
    }
    for (const connection of connections) this.#tell(connection, error, ended)
  }

  #logDamage(error: TapeDamage): void {
    const nowMs = performance.now()
    const refilled = (nowMs - this.#linesLeftAtMs) / DAMAGE_LINE_MS
    this.#linesLeft = Math.min(DAMAGE_LINES, this.#linesLeft + refilled)
    this.#linesLeftAtMs = nowMs
    if (this.#linesLeft < 1) {
      this.#leftOut++
      return
    }
    this.#linesLeft--
    this.#log(error, this.#leftOut === 0 ? {} : { leftOut: this.#leftOut })
    this.#leftOut = 0
  }

  #log(error: unknown, more: Readonly<Record<string, number>>): void {
    const stack = error instanceof Error ? error.stack : String(error)
    this.#parts.log.error({ stack, ...more }, 'A live request threw')
  }

  /** Tells of history that the disk does not give; for a defect the connection is closed. */
  #tell(connection: LiveConnection, error: unknown, ended?: FollowedWords): void {
    const { send, close } = this.#parts
    if (error instanceof TapeDamage) {
      const text = 'The history asked for cannot be read now: what needs it is not subscribed.'
      send(connection, liveErrorFrame('history_unreadable', text, ended))
    } else close(connection, CLOSE_CODES.internalError, 'the service failed on a request')
  }
}
