import { stackOf, TapeDamage } from '../../../base/errors.ts'
import { CLOSE_CODES } from '../../../protocol/errors.ts'
import { type FollowedWords, liveErrorFrame } from '../../../protocol/wire.ts'
import { DamageLines, type Log, type OnStep } from '../../http/exchange.ts'
import type { LiveConnection, Send } from './connection.ts'

const THREW = 'A live request threw'

/**
 * Handles exceptions while a connection is served, as `Exchange.guard` does for requests: they are logged, the
 * connections concerned get an error frame or are closed, and all others are served on.
 */
export class LiveFailures {
  readonly #log: Log
  readonly #onStep: OnStep
  readonly #send: Send
  readonly #close: (connection: LiveConnection, code: number, reason: string) => void
  #defects = 0
  readonly #damage: DamageLines

  constructor(parts: {
    readonly log: Log
    /** Called after each request that was served. */
    readonly onStep: OnStep
    readonly send: Send
    readonly close: (connection: LiveConnection, code: number, reason: string) => void
  }) {
    this.#log = parts.log
    this.#onStep = parts.onStep
    this.#send = parts.send
    this.#close = parts.close
    this.#damage = new DamageLines(parts.log)
  }

  /** Flat figures for /readyz and /metrics; unreadable history is no defect. */
  figures(): Readonly<Record<string, number>> {
    return { live_defects_total: this.#defects }
  }

  /** The result of `serve`; true when it threw, so that nothing is served again. */
  guarded(connection: LiveConnection, serve: () => boolean): boolean {
    const startMs = performance.now()
    try {
      return serve()
    } catch (error) {
      this.failed(error, [connection])
      return true
    } finally {
      this.#onStep('live request', startMs)
    }
  }

  /** Logs an exception and reports it to connections; `ended` is the subscription that ended by it, if any. */
  failed(error: unknown, connections: readonly LiveConnection[], ended?: FollowedWords): void {
    const stack = stackOf(error)
    if (error instanceof TapeDamage) this.#damage.write({ stack }, THREW)
    else {
      this.#log.error({ stack }, THREW)
      this.#defects++
    }
    for (const connection of connections) this.#report(connection, error, ended)
  }

  /** An error frame where history cannot be read; for a defect the connection is closed. */
  #report(connection: LiveConnection, error: unknown, ended?: FollowedWords): void {
    if (error instanceof TapeDamage) {
      const text = 'The history asked for cannot be read now: what needs it is not subscribed.'
      this.#send(connection, liveErrorFrame('history_unreadable', text, ended))
    } else this.#close(connection, CLOSE_CODES.internalError, 'the service failed on a request')
  }
}
