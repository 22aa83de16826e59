import { codeOf } from '../../base/errors.ts'
import { isRecord, type JsonRecord, recordAt, textAt } from '../../base/json-access.ts'
import { retryAfterMs } from '../backoff.ts'
import { responseText } from '../response-text.ts'
import { type Timers, waitFor } from '../timers.ts'

/** Questions under way at once; others wait for their turn. */
const QUESTIONS_MAX = 4
/** Questions that wait for their turn; past it the newest is refused and its asker tries again. */
const WAITING_MAX = 2_000
/** How long an answer may take. */
const ANSWER_MS = 20_000
/** How long an answer is waited for that nobody wants any more: it may say 429. */
const UNWANTED_MS = 2_000
/** Longest answer: a block with every transaction has a few MB. */
const ANSWER_BYTES_MAX = 128 * 1024 * 1024
/** Wait after a 429 that does not say how long, doubled up to eight times. */
const FIRST_PAUSE_MS = 500
const DOUBLINGS_MAX = 3
/** Times a question is asked again after a 429, if nothing else is said. */
const RATE_LIMITED_TRIES_MAX = 8
const TOO_MANY_REQUESTS = 429

/** An answer of the server that says no; `code` is that of JSON-RPC. */
export class RpcError extends Error {
  readonly code: number

  constructor(code: number, message: string) {
    super(message)
    this.code = code
  }
}

const UNPACED = {
  questionsAtOnce: QUESTIONS_MAX,
  questionsPerSecond: Number.POSITIVE_INFINITY,
  /** Times a question is asked again after a 429. */
  rateLimitedTriesMax: RATE_LIMITED_TRIES_MAX,
}

/** How fast a server may be asked; absent: four questions at once, however many a second. */
export type RpcPace = Partial<typeof UNPACED>

/** Asks a Solana RPC server over HTTP: few questions at once, slower when it says 429. */
export class RpcClient {
  readonly counters = {
    requests: 0,
    /** Answers 429; the whole client pauses after each. */
    rateLimited: 0,
    errors: 0,
  }
  readonly #url: string
  readonly #timers: Timers
  readonly #pace: typeof UNPACED
  readonly #waiting = new Set<() => void>()
  #underWay = 0
  /** When the pace lets the next question go. */
  #nextMs = 0
  #lastId = 0
  #pauseUntilMs = 0
  #pauses = 0

  constructor(url: string, timers: Timers, pace: RpcPace = {}) {
    this.#url = url
    this.#timers = timers
    this.#pace = { ...UNPACED, ...pace }
  }

  get questionsAtOnce(): number {
    return this.#pace.questionsAtOnce
  }

  /** How long it leaves the server alone yet, after a 429, in ms; 0: it may be asked. */
  get pauseMs(): number {
    return Math.max(0, this.#pauseUntilMs - this.#timers.nowMs())
  }

  /**
   * What stands under `result` of the answer.
   * @throws RpcError when the server answers with an error, Error when there is no answer
   */
  async ask(method: string, params: readonly unknown[], signal: AbortSignal): Promise<unknown> {
    await this.#turn(signal)
    try {
      for (let tries = 0; ; tries++) {
        const pauseMs = Math.max(this.pauseMs, this.#paced() - this.#timers.nowMs())
        if (pauseMs > 0) await waitFor(this.#timers, pauseMs, signal)
        signal.throwIfAborted()
        const answer = await this.#post(method, params, signal)
        signal.throwIfAborted()
        if (answer !== null) return resultOf(answer)
        if (tries >= this.#pace.rateLimitedTriesMax)
          throw new Error('the RPC server keeps answering 429')
      }
    } catch (error) {
      signal.throwIfAborted()
      this.counters.errors++
      throw error
    } finally {
      this.#pass()
    }
  }

  /** Resolves when the question has its turn; rejects when its asker goes before. */
  async #turn(signal: AbortSignal): Promise<void> {
    signal.throwIfAborted()
    if (this.#underWay < this.#pace.questionsAtOnce) {
      this.#underWay++
      return
    }
    if (this.#waiting.size >= WAITING_MAX)
      throw new Error(`${WAITING_MAX} questions to the RPC server are waiting already`)
    const { promise, resolve, reject } = Promise.withResolvers<void>()
    const leave = () => {
      this.#waiting.delete(resolve)
      reject(signal.reason)
    }
    this.#waiting.add(resolve)
    signal.addEventListener('abort', leave)
    try {
      await promise
    } finally {
      signal.removeEventListener('abort', leave)
    }
  }

  /** When the pace lets a question go, which counts as asked then. */
  #paced(): number {
    const atMs = Math.max(this.#nextMs, this.#timers.nowMs())
    this.#nextMs = atMs + 1_000 / this.#pace.questionsPerSecond
    return atMs
  }

  /** Gives a turn that has ended to the one who waits longest. */
  #pass(): void {
    for (const next of this.#waiting) {
      this.#waiting.delete(next)
      next()
      return
    }
    this.#underWay--
  }

  /** null: too many requests. */
  async #post(
    method: string,
    params: readonly unknown[],
    signal: AbortSignal,
  ): Promise<JsonRecord | null> {
    this.counters.requests++
    this.#lastId++
    const unwanted = new AbortController()
    let cancel = () => {}
    const leave = () => {
      cancel = this.#timers.after(UNWANTED_MS, () => unwanted.abort())
    }
    signal.addEventListener('abort', leave)
    const ending = AbortSignal.any([unwanted.signal, AbortSignal.timeout(ANSWER_MS)])
    try {
      const response = await fetch(this.#url, {
        method: 'POST',
        headers: { 'content-type': 'application/json' },
        body: JSON.stringify({ jsonrpc: '2.0', id: this.#lastId, method, params }),
        signal: ending,
        redirect: 'error',
      }).catch((error: unknown) => {
        throw unreached(method, error)
      })
      return await this.#answerOf(response, method, ending)
    } finally {
      signal.removeEventListener('abort', leave)
      cancel()
    }
  }

  /** null: too many requests. */
  async #answerOf(
    response: Response,
    method: string,
    ending: AbortSignal,
  ): Promise<JsonRecord | null> {
    if (response.status === TOO_MANY_REQUESTS) {
      await response.body?.cancel()
      const { headers } = response
      this.#slowDown(retryAfterMs(headers.get('retry-after') ?? '', headers.get('date') ?? ''))
      return null
    }
    if (!response.ok) {
      await response.body?.cancel()
      throw new Error(`the RPC server answers ${method} with status ${response.status}`)
    }
    const answer: unknown = JSON.parse(await responseText(response, ANSWER_BYTES_MAX, ending))
    if (!isRecord(answer)) throw new Error(`the RPC server's answer to ${method} is no object`)
    if (recordAt(answer, 'error')?.code === TOO_MANY_REQUESTS) {
      this.#slowDown(0)
      return null
    }
    this.#pauses = 0
    return answer
  }

  /** @param namedMs the wait that the server asked for; 0: none */
  #slowDown(namedMs: number): void {
    this.counters.rateLimited++
    const ownMs = FIRST_PAUSE_MS * 2 ** Math.min(this.#pauses, DOUBLINGS_MAX)
    this.#pauses++
    this.#pauseUntilMs = Math.max(this.#pauseUntilMs, this.#timers.nowMs() + (namedMs || ownMs))
  }
}

/** `fetch failed` is all that the library says by itself. */
function unreached(method: string, error: unknown): Error {
  const cause = error instanceof Error ? error.cause : null
  const reason = codeOf(cause) || error
  return new Error(`the RPC server does not answer ${method} (${reason})`, { cause })
}

function resultOf(answer: JsonRecord): unknown {
  const error = recordAt(answer, 'error')
  if (error !== null)
    throw new RpcError(Number(error.code), textAt(error, 'message') ?? 'the RPC server says no')
  return answer.result
}
