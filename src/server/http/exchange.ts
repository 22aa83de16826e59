import type { HttpResponse } from 'uWebSockets.js'
import { randomUUID } from 'node:crypto'
import { UNFINISHED } from '../../base/budget.ts'
import { stackOf, TapeDamage } from '../../base/errors.ts'
import type { RequestError } from '../../protocol/errors.ts'
import type { LoopScheduler } from '../load/loop-scheduler.ts'
import type { RateLimiter } from '../load/rate-limiter.ts'
import type { HttpCounters } from '../metrics/metrics.ts'
import {
  deadlineExceeded,
  type Header,
  internalError,
  NO_HEADERS,
  type Reply,
  refusal,
  retryAfter,
} from './reply.ts'
import { RequestBody, type ServerRequest } from './request.ts'
import type { ResponseWriter } from './response-writer.ts'

/** A logger as pino has it. */
export interface Log {
  info(fields: Readonly<Record<string, unknown>>, message: string): void
  warn(fields: Readonly<Record<string, unknown>>, message: string): void
  error(fields: Readonly<Record<string, unknown>>, message: string): void
}

/** Called after a step that the loop waited for: its name, when it began (`performance.now`) and, if known, ended. */
export type OnStep = (name: string, startMs: number, endMs?: number) => void

/**
 * Requests are answered at once for this long in one turn of the loop; those that come on top wait
 * for a later turn, and a client that has sent another one behind such a request is cut off.
 */
const TURN_MS = 4

/** Lines of the log about history that the disk does not give: so many at once, and one more after each such time. */
const DAMAGE_LINES = 20
const DAMAGE_LINE_MS = 1_000

const THREW = 'A route threw'

/** What all exchanges of one server share. */
export interface ExchangeContext {
  readonly writer: ResponseWriter
  readonly http: HttpCounters
  readonly log: Log
  /** Called after each step of an answer, with the name of its route. */
  readonly onStep: OnStep
  /** Logs history that the disk does not give. */
  readonly damage: DamageLines
  /** Headers of the stream position, the same array as long as it is the same; none while there is no position. */
  readonly positionHeaders: () => readonly Header[]
  /** Exchanges that wait for their answer: until when, and for a stop that lets them finish. */
  readonly open: Deadlines
}

/** One request until it is answered once, aborted by the client, or out of time. */
export class Exchange {
  readonly res: HttpResponse
  readonly request: ServerRequest
  /** Label of the counters; the front sets it once the route is known. */
  routeName = 'none'
  /** Under the API's path, or `/readyz`: the answer has the headers of the stream position. */
  isApi = false
  /** Headers of the rate limit. */
  extraHeaders = NO_HEADERS
  /** The body of a refusal, of paths whose clients know another shape than that of the API. */
  errorBody: ((error: RequestError) => string) | null = null
  /** Read from before the route was known, if the exchange had to wait. */
  #body: RequestBody | null = null
  readonly #context: ExchangeContext
  /** Monotonic ms. */
  readonly startedMs = performance.now()
  /** When it was answered, or its last step had ended: the clock is read once for both. */
  #workedMs = 0
  #ended = false
  /** Time of the present wait; 0: it does not wait. */
  #deadlineMs = 0
  #late: (() => Reply) | null = null
  #waited: (() => void) | null = null

  /** Registers its abort, as every handler must. */
  constructor(context: ExchangeContext, res: HttpResponse, request: ServerRequest) {
    this.#context = context
    this.res = res
    this.request = request
    res.onAborted(() => this.#abandoned())
  }

  /** It was answered, or its client is gone. */
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
    try {
      const { writer, positionHeaders } = this.#context
      const position = this.isApi ? positionHeaders() : NO_HEADERS
      writer.write(this.res, this.request, this.#shaped(reply), position, this.extraHeaders)
    } catch (error) {
      // Half an answer cannot be taken back; an unanswered request would end the process.
      this.#logDefect(error)
      this.res.close()
    }
    this.#workedMs = performance.now()
    this.#context.http.count(this.routeName, reply.statusCode, this.#workedMs - this.startedMs)
  }

  /**
   * Must be called before the handler returns without an answer. After `deadlineMs` the exchange is
   * answered with `late()`. `waited` is called once, when this wait is over in whatever way.
   */
  wait(deadlineMs: number, late: () => Reply, waited: (() => void) | null = null): void {
    if (this.#ended) return
    this.#stopWaiting()
    this.#deadlineMs = deadlineMs
    this.#late = late
    this.#waited = waited
    this.#context.open.add(this, deadlineMs)
  }

  /** Answers when the time of its wait is over. */
  late(): void {
    if (this.#late !== null) this.reply(this.#late())
  }

  /** Ends without an answer: the client is gone. */
  close(): void {
    this.#end()
    this.res.close()
  }

  /** Ends where the peer has reset its connection meanwhile; for what asks for its address anyway. */
  endIfGone(): boolean {
    const { isGone } = this.request
    if (isGone) this.close()
    return isGone
  }

  /** From here on the caller sends the answer and registers its abort. */
  handOver(): void {
    this.#end()
  }

  /** Reads the body (`RequestBody.read`). */
  readBody(done: Parameters<RequestBody['read']>[0]): void {
    this.#body ??= new RequestBody(this.res)
    this.#body.read(done)
  }

  /** Counts the request and adds what is left of the limit to its headers; the 429 when it was one too many. */
  takeOfLimit(limiter: RateLimiter | undefined, nowMs: number): Reply | null {
    if (limiter === undefined) return null
    const taken = limiter.take(this.request.client, nowMs)
    const { allowed, limit, remaining, resetS } = taken
    // One value that goes on over three lines: one crossing into native code.
    const value = `${limit}\r\nX-RateLimit-Remaining: ${remaining}\r\nX-RateLimit-Reset: ${resetS}`
    this.extraHeaders = [['X-RateLimit-Limit', value]]
    return allowed ? null : limitRefusal(taken)
  }

  /**
   * Begins now, or in a later turn when this one has given its time to requests. Every exchange starts here,
   * refusals too: thousands of requests may come in one piece. `begin` gives the reply, or null when it comes
   * later.
   */
  admit(limits: Parameters<Exchange['later']>[0], begin: () => Reply | null): void {
    const { request } = this
    if (!limits.turns.isOverBudget(request, TURN_MS, this.startedMs)) {
      this.guard(begin, this.startedMs)
      limits.turns.done(this.#workedMs)
      return
    }
    if (this.endIfGone()) return
    // The body is read meanwhile: uWebSockets.js would drop it.
    if (request.method === 'POST') this.#body = new RequestBody(this.res)
    this.later(limits, begin)
  }

  /** Runs a step in a later turn, and in more of them while it is unfinished. */
  later(
    { turns, routeDeadlineMs }: { readonly turns: LoopScheduler; readonly routeDeadlineMs: number },
    step: () => Reply | null | typeof UNFINISHED,
  ): void {
    this.wait(routeDeadlineMs, () => deadlineExceeded(routeDeadlineMs))
    turns.later(this.request.client, { run: () => !this.#ended && this.guard(step) })
  }

  /**
   * Runs a step and answers with what it returns; null: the answer comes later. Says whether the step is
   * unfinished. An exception is a defect: it is logged and answered 500, and ends nothing else.
   */
  guard(step: () => Reply | null | typeof UNFINISHED, startMs = performance.now()): boolean {
    let reply: ReturnType<typeof step> = null
    try {
      reply = step()
      if (reply !== null && reply !== UNFINISHED) this.reply(reply)
    } catch (error) {
      this.fail(error)
    }
    // Late steps of what was answered before are ones without an answer.
    if (this.#workedMs < startMs) this.#workedMs = performance.now()
    this.#context.onStep(this.routeName, startMs, this.#workedMs)
    return reply === UNFINISHED
  }

  /**
   * Logs an exception of a route with its stack, which the client never sees, and answers with the
   * id of that line, where one was written. Requests without an exception need no id.
   */
  fail(error: unknown): void {
    const requestId = this.#logDefect(error)
    if (requestId !== null) this.extraHeaders = [...this.extraHeaders, ['X-Request-Id', requestId]]
    this.reply(internalError(error))
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
    if (error instanceof TapeDamage) return damage.write(facts, THREW) ? requestId : null
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
    const waited = this.#waited
    this.#waited = null
    waited?.()
  }
}

/** The 429 of a request that was one too many. */
export function limitRefusal({ limit, resetS }: ReturnType<RateLimiter['take']>): Reply {
  const message = `More than ${limit} requests came in one window, retry in ${resetS} seconds.`
  return refusal('rate_limited', 'requests', message, [retryAfter(resetS)])
}

/**
 * Lines of the log about history that the disk does not give, at a bounded rate: clients may ask for the
 * same damaged place thousands of times a second.
 */
export class DamageLines {
  readonly #log: Log
  /** Lines that may be written now, as of when, and how many were left out since the last one. */
  #linesLeft = DAMAGE_LINES
  #linesLeftAtMs = performance.now()
  #leftOut = 0

  constructor(log: Log) {
    this.#log = log
  }

  /** Writes a line, with how many were left out before it; false when it is left out itself. */
  write(facts: Readonly<Record<string, unknown>>, text: string): boolean {
    const nowMs = performance.now()
    const refilled = (nowMs - this.#linesLeftAtMs) / DAMAGE_LINE_MS
    this.#linesLeft = Math.min(DAMAGE_LINES, this.#linesLeft + refilled)
    this.#linesLeftAtMs = nowMs
    if (this.#linesLeft < 1) {
      this.#leftOut++
      return false
    }
    this.#linesLeft--
    this.#log.error(this.#leftOut === 0 ? facts : { ...facts, leftOut: this.#leftOut }, text)
    this.#leftOut = 0
    return true
  }
}

/** Something that has to be done within a time; `late` is called when it is over. */
type Awaited = Pick<Exchange, 'late'>

/** Those that wait equally long, in the order in which their times end. */
interface Line {
  /** When the time of each is over, monotonic ms. */
  readonly ends: Map<Awaited, number>
  timer: NodeJS.Timeout | null
}

/**
 * Deadlines of which nearly all are met: a timer for all that wait equally long costs each a place in
 * a map, where one of its own would cost every request a microsecond. There is one line for each
 * length, which are the program's own, and one place for each socket.
 */
export class Deadlines {
  readonly #lines = new Map<number, Line>()

  /** How many wait. */
  get size(): number {
    let size = 0
    for (const { ends } of this.#lines.values()) size += ends.size
    return size
  }

  /** Calls `late` after `durationMs`, unless it is deleted before; the same one must not wait already. */
  add(awaited: Awaited, durationMs: number): void {
    let line = this.#lines.get(durationMs)
    if (line === undefined) {
      line = { ends: new Map(), timer: null }
      this.#lines.set(durationMs, line)
    }
    line.ends.set(awaited, performance.now() + durationMs)
    if (line.timer === null) this.#start(line, durationMs)
  }

  /** Idempotent. */
  delete(awaited: Awaited, durationMs: number): void {
    this.#lines.get(durationMs)?.ends.delete(awaited)
  }

  #start(line: Line, durationMs: number): void {
    // An exchange that waits has a socket, which keeps the process alive; the timer alone must not.
    line.timer = setTimeout(() => this.#look(line), durationMs).unref()
  }

  #look(line: Line): void {
    line.timer = null
    const nowMs = performance.now()
    for (const [awaited, endMs] of line.ends) {
      if (endMs > nowMs) {
        this.#start(line, Math.ceil(endMs - nowMs))
        return
      }
      line.ends.delete(awaited)
      awaited.late()
    }
  }
}
