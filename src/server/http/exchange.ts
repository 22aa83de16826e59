import type { HttpResponse } from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import { stackOf, TapeDamage } from '../../base/errors.ts'
import type { RequestError } from '../../protocol/errors.ts'
import type { Awaited, Deadlines } from '../load/deadlines.ts'
import type { EarlyBody } from './body-reader.ts'
import type { DamageLines } from './damage-lines.ts'
import type { HttpCounters } from './http-counters.ts'
import type { Log, OnStep } from './options.ts'
import type { Header, Reply } from './reply.ts'
import type { ServerRequest } from './request.ts'
import type { ResponseWriter } from './response-writer.ts'

const NO_HEADERS: readonly Header[] = []
const THREW = 'A route threw'

/** What all exchanges of one server share. */
export interface ExchangeContext {
  readonly writer: ResponseWriter
  readonly http: HttpCounters
  readonly log: Log
  /** Told of each step of an answer, by its route. */
  readonly onStep: OnStep
  /** Tells the log of history that the disk does not give. */
  readonly damage: DamageLines
  /** Headers that tell the stream position, as of now; none while there is no position. */
  readonly positionHeaders: () => readonly Header[]
  /** Exchanges that wait for their answer: until when, and for a stop that lets them finish. */
  readonly open: Deadlines
}

/** One request until it is answered once, aborted by the client, or out of time. */
export class Exchange implements Awaited {
  readonly res: HttpResponse
  readonly request: ServerRequest
  /** Label of the counters; the front sets it when the route is known. */
  routeName = 'none'
  /** Under the API's path: the answer tells the stream position. */
  isApi = false
  /** Headers of the rate limit. */
  extraHeaders = NO_HEADERS
  /** The body of a refusal, of paths whose clients know another shape than that of the API. */
  errorBody: ((error: RequestError) => string) | null = null
  /** The body, when it had to be taken in before the route was known. */
  early: EarlyBody | null = null
  readonly #context: ExchangeContext
  /** Monotonic ms. */
  readonly startedMs = performance.now()
  #ended = false
  /** Of the present wait; 0: it waits for nothing. */
  #deadlineMs = 0
  #late: (() => Reply) | null = null

  /** Asks to be told of an abort, as every handler must. */
  constructor(context: ExchangeContext, res: HttpResponse, request: ServerRequest) {
    this.#context = context
    this.res = res
    this.request = request
    res.onAborted(() => this.#abandoned())
  }

  /** Answered, or aborted by the client. */
  get hasEnded(): boolean {
    return this.#ended
  }

  /** Milliseconds since the request's head. */
  get elapsedMs(): number {
    return performance.now() - this.startedMs
  }

  /** Answers, unless the exchange has ended already. */
  reply(reply: Reply): void {
    if (this.#ended) return
    this.#end()
    this.#context.http.count(this.routeName, reply.statusCode, this.elapsedMs)
    try {
      const { writer, positionHeaders } = this.#context
      const extra = [this.extraHeaders, this.isApi ? positionHeaders() : NO_HEADERS]
      writer.write(this.res, this.request, this.#shaped(reply), extra)
    } catch (error) {
      // Half an answer cannot be taken back; an unanswered request would end the process.
      this.#logDefect(error)
      this.res.close()
    }
  }

  /**
   * Must be called before the handler returns without an answer. After `deadlineMs` the exchange is
   * answered with `late()`.
   */
  wait(deadlineMs: number, late: () => Reply): void {
    if (this.#ended) return
    this.#stopWaiting()
    this.#deadlineMs = deadlineMs
    this.#late = late
    this.#context.open.add(this, deadlineMs)
  }

  late(): void {
    if (this.#late !== null) this.reply(this.#late())
  }

  /** Nobody is there to be answered. */
  close(): void {
    this.#end()
    this.res.close()
  }

  /** The answer is somebody else's to send from here on, who is to be told of an abort. */
  handOver(): void {
    this.#end()
  }

  /**
   * Runs a step and answers with what it returns; null: the answer comes later. An exception is a
   * defect: logged, answered by `failed`, and life goes on.
   */
  guard(step: () => Reply | null, failed: (error: unknown) => Reply): void {
    const startMs = performance.now()
    try {
      const reply = step()
      if (reply !== null) this.reply(reply)
    } catch (error) {
      this.fail(error, failed)
    }
    this.#context.onStep(this.routeName, startMs)
  }

  /**
   * Logs an exception of a route with its stack, which the client never sees, and answers with the
   * id of that line, where one was written. Requests that go well have no id: nothing would ever ask for it.
   */
  fail(error: unknown, failed: (error: unknown) => Reply): void {
    const requestId = this.#logDefect(error)
    if (requestId !== null) this.extraHeaders = [...this.extraHeaders, ['X-Request-Id', requestId]]
    this.reply(failed(error))
  }

  #shaped(reply: Reply): Reply {
    if (reply.error === undefined || this.errorBody === null) return reply
    return { ...reply, body: this.errorBody(reply.error) }
  }

  /** The id of the line; null when there are too many of its kind to write it. */
  #logDefect(error: unknown): string | null {
    const requestId = randomUUID()
    const { method, path } = this.request
    const { log, damage } = this.#context
    const facts = { requestId, method, path, stack: stackOf(error) }
    if (error instanceof TapeDamage) return damage.tell(facts, THREW) ? requestId : null
    log.error(facts, THREW)
    return requestId
  }

  /** The client left, or sent another request, before its answer. */
  #abandoned(): void {
    if (!this.#ended) this.#context.writer.gaveUp()
    this.#end()
  }

  #end(): void {
    this.#ended = true
    this.#stopWaiting()
  }

  #stopWaiting(): void {
    if (this.#deadlineMs > 0) this.#context.open.delete(this, this.#deadlineMs)
    this.#deadlineMs = 0
    this.#late = null
  }
}
