import type { Answer, Unread } from './answer.ts'
import { Backoff } from './backoff.ts'
import type { FetchAnswer, Settings } from './options.ts'
import { isBefore, placeOf } from './place.ts'
import { type Problem, problem, sentenceOf } from './problem.ts'
import { RatePacer } from './rate-pacer.ts'
import type { Replica, Replicas } from './replicas.ts'
import { jsonOf, listOf, objectOf, type Shape } from './shape.ts'

/** Requests that wait or are under way; further ones are `too_many_waiting`. */
const REQUESTS_MAX = 1_000
/** Attempts of one request that the network or the service may fail, or two for each url. All requests only read. */
const ATTEMPTS_MAX = 3
/** Characters of an answer at most: far above the largest one. */
const ANSWER_CHARACTERS_MAX = 64 * 1024 * 1024
/** A path up to this length comes to the service in one segment of TCP. */
const ONE_SEGMENT = 1_000
/** Longer than what stands in a request's line behind the path. */
const MOVED = 'again=123456'

export interface Request<T> {
  /** Names the rate limit's window. */
  readonly endpoint: string
  /** With its query. */
  readonly path: string
  readonly shape: Shape<T>
  /** JSON of a POST. */
  readonly body?: string
  readonly headers?: Readonly<Record<string, string>>
  /** The answer is text, not JSON. */
  readonly isText?: boolean
}

const CLOSED = problem('closed', 'The client is closed.')

type Attempt<T> =
  | { readonly done: Answer<T> }
  /** May be tried again after this time; null: by the back-off. */
  | { readonly failed: Problem; readonly afterMs: number | null }

const isRefusal = objectOf({
  code: 'text',
  message: 'text',
  details: listOf(objectOf({ path: 'text', message: 'text' })),
})

/** What `/udf` refuses with. */
const isUdfRefusal = objectOf({ s: ['error'], errmsg: 'text' })

/** What `/readyz` says when the answer is no. */
const isNotReady = objectOf({ status: ['not ready'], reason: 'text' })

/**
 * Sends requests; waits for rate limits, tries again what failed on the way: at the next url at once, and after a
 * wait when all were tried. Never throws.
 */
export class Http {
  readonly #settings: Settings
  readonly #replicas: Replicas
  /** Each replica counts for itself. */
  readonly #pacers = new Map<Replica, RatePacer>()
  readonly #closing = new AbortController()
  #requests = 0

  constructor(settings: Settings, replicas: Replicas) {
    this.#settings = settings
    this.#replicas = replicas
  }

  close(): void {
    this.#closing.abort()
  }

  async request<T>(request: Request<T>): Promise<Answer<T>> {
    if (this.#closing.signal.aborted) return unread(CLOSED)
    if (this.#requests >= REQUESTS_MAX)
      return unread(problem('too_many_waiting', `${REQUESTS_MAX} requests are waiting already.`))
    this.#requests += 1
    try {
      return await this.#attempts(request)
    } finally {
      this.#requests -= 1
    }
  }

  async #attempts<T>(request: Request<T>): Promise<Answer<T>> {
    const { backoff: options, random, rateWaitMs } = this.#settings
    const backoff = new Backoff(options, random)
    const endMs = performance.now() + rateWaitMs
    const attemptsMax = Math.max(ATTEMPTS_MAX, 2 * this.#replicas.all.length)
    const seen = new Set<Replica>()
    let replica = this.#replicas.current
    let { path } = request
    let failures = 0
    let failed: Problem | null = null
    for (;;) {
      const paced = await this.#pace(request.endpoint, this.#pacerOf(replica), endMs)
      if (paced !== null) return unread(paced)
      const tried = await this.#attempt(request, path, replica)
      if ('done' in tried) {
        const isAnswer = !this.#closing.signal.aborted
        if (failed !== null && isAnswer) this.#answered(replica, seen, failed)
        return tried.done
      }
      const { afterMs } = tried
      // To be told to wait is no failure.
      if (afterMs !== null) {
        if (performance.now() + afterMs > endMs) return unread(tried.failed)
        if (!(await this.#wait(afterMs))) return unread(CLOSED)
        continue
      }
      failed = tried.failed
      failures += 1
      if (failures >= attemptsMax) return unread(failed)
      path = movedPath(request.path)
      seen.add(replica)
      const next = this.#replicas.next(seen)
      if (next === null) {
        seen.clear()
        if (!(await this.#wait(backoff.nextMs()))) return unread(CLOSED)
      }
      replica = next ?? this.#replicas.current
    }
  }

  /** Another url than the one that is read answers, and nothing live says that this one works. */
  #answered(replica: Replica, failed: ReadonlySet<Replica>, reason: Problem): void {
    const { current } = this.#replicas
    if (failed.has(current) && current.connections === 0) this.#replicas.move(replica, reason)
  }

  #pacerOf(replica: Replica): RatePacer {
    const pacer = this.#pacers.get(replica) ?? new RatePacer()
    this.#pacers.set(replica, pacer)
    return pacer
  }

  /** Waits until the endpoint's window has room; a problem when that is too far away. */
  async #pace(endpoint: string, pacer: RatePacer, endMs: number): Promise<Problem | null> {
    for (;;) {
      const waitMs = pacer.take(endpoint, performance.now())
      if (waitMs === 0) return null
      if (performance.now() + waitMs > endMs)
        return problem('rate_limited', `The rate limit has room in ${Math.ceil(waitMs)} ms.`, 429)
      if (!(await this.#wait(waitMs))) return CLOSED
    }
  }

  async #attempt<T>(request: Request<T>, path: string, replica: Replica): Promise<Attempt<T>> {
    const { fetch, requestTimeoutMs, monotonicReads } = this.#settings
    if (fetch === null) return failure('network', 'This platform has no fetch: give one.')
    if (this.#closing.signal.aborted) return { done: unread(CLOSED) }
    const aborter = new AbortController()
    const abort = () => aborter.abort()
    const timer = setTimeout(abort, requestTimeoutMs)
    this.#closing.signal.addEventListener('abort', abort)
    const isPost = request.body !== undefined
    const isMonotonic = monotonicReads && this.#replicas.all.length > 1
    const before = isMonotonic ? this.#replicas.read : null
    const needed = isMonotonic ? this.#replicas.neededOf(replica) : null
    try {
      const answer = await fetch(replica.url + path, {
        method: isPost ? 'POST' : 'GET',
        headers: {
          ...(isPost && { 'content-type': 'application/json' }),
          ...(needed !== null && { 'x-mintfeed-min-seq': String(needed) }),
          ...request.headers,
        },
        ...(request.body !== undefined && { body: request.body }),
        signal: aborter.signal,
      })
      const text = await answer.text()
      const header = (name: string) => answer.headers.get(name)
      this.#pacerOf(replica).note(request.endpoint, performance.now(), header)
      const place = placeOf(answer.headers)
      if (place !== null) replica.place = place
      const tried = read(request, answer, text)
      if (place === null || !('done' in tried) || !tried.done.ok) return tried
      if (before !== null && isBefore(place, before))
        return failure('behind', 'The service answers with an older state than was read already.')
      this.#replicas.given(replica, place)
      return tried
    } catch (thrown) {
      if (this.#closing.signal.aborted) return { done: unread(CLOSED) }
      return aborter.signal.aborted
        ? failure('timeout', `No answer within ${requestTimeoutMs} ms.`)
        : failure('network', `The service cannot be reached: ${sentenceOf(thrown)}.`)
    } finally {
      clearTimeout(timer)
      this.#closing.signal.removeEventListener('abort', abort)
    }
  }

  /** False when the client was closed meanwhile. */
  #wait(waitMs: number): Promise<boolean> {
    const { signal } = this.#closing
    if (signal.aborted) return Promise.resolve(false)
    return new Promise((resolve) => {
      const end = () => {
        clearTimeout(timer)
        signal.removeEventListener('abort', end)
        resolve(!signal.aborted)
      }
      const timer = setTimeout(end, waitMs)
      signal.addEventListener('abort', end)
    })
  }
}

/**
 * The same request in a longer line. The service's parser takes a line that is cut in two behind its path for
 * no HTTP/1.1 (SECURITY.md), and the network cuts the same line in the same place each time.
 */
function movedPath(path: string): string {
  return path.length > ONE_SEGMENT ? `${path}${path.includes('?') ? '&' : '?'}${MOVED}` : path
}

function failure<T>(code: string, message: string): Attempt<T> {
  return { failed: problem(code, message), afterMs: null }
}

function unread(why: Problem): Unread {
  return { ok: false, problem: why }
}

function read<T>(request: Request<T>, answer: FetchAnswer, text: string): Attempt<T> {
  const { status, headers } = answer
  if (status !== 200) {
    const failed = refusalOf(status, text)
    if (status === 429) return { failed, afterMs: retryMs(headers.get('retry-after')) }
    return status >= 500 ? { failed, afterMs: null } : { done: unread(failed) }
  }
  const data =
    text.length > ANSWER_CHARACTERS_MAX ? undefined : request.isText ? text : jsonOf(text)
  if (!request.shape(data)) {
    const message = `The answer of ${request.path} is not what the service promises.`
    return { done: unread(problem('invalid_answer', message, status)) }
  }
  const seq = Number(headers.get('x-mintfeed-seq') ?? Number.NaN)
  const position = Number.isSafeInteger(seq) ? seq : null
  return { done: { ok: true, data, position, epoch: headers.get('x-mintfeed-epoch') } }
}

function refusalOf(status: number, text: string): Problem {
  const body = jsonOf(text)
  if (isUdfRefusal(body)) return problem('http', body.errmsg, status)
  if (isNotReady(body)) return problem('not_ready', body.reason, status)
  if (!isRefusal(body)) return problem('http', `The service answered ${status}.`, status)
  return { code: body.code, message: body.message, status, details: body.details }
}

/** `Retry-After` in seconds; a second when there is none, or none to wait: a proxy may say 0 each time. */
function retryMs(header: string | null): number {
  const seconds = header !== null && /^\d{1,6}$/.test(header) ? Number(header) : 0
  return Math.max(seconds, 1) * 1000
}
