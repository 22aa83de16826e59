import { FairQueue } from './fair-queue.ts'

/**
 * What uWebSockets.js does behind a request, as sending its answer, counts as the request's for so long; what
 * a turn does between two requests beyond that is held against nobody.
 */
const AFTERWORK_MS = 0.1

/** A route that has much to look through goes on in a later turn after this time. */
export const ROUTE_SLICE_MS = 1

/** What waits is worked off for this long in one turn. */
const WAITING_SLICE_MS = 1

/** Or for this share of a turn that took long: where turns are few, what waits must not wait for ever. */
const WAITING_SHARE = 1 / 4

/**
 * Requests and connections with messages that wait at most: there is one a socket. Past it what comes
 * is done at once.
 */
const MAX_WAITING = 60_000

/** Something that waits for a later turn of the loop. */
export interface Waiting {
  /** Works until it is done, or until about `endMs`; says whether there is more to do. */
  run(endMs: number): boolean
}

/**
 * Keeps what comes in one turn from holding the loop. A turn brings what has come on thousands of
 * sockets, and each may bring hundreds of requests or messages in one piece: timers, feeds and
 * everybody else would wait for all of them. Past the time that is given to it the rest waits for
 * later turns, which share their time among the clients (`FairQueue`).
 * uWebSockets.js closes a socket that has sent another request behind one that waits: so a flood in
 * one piece costs little, and a client that sends one request at a time meets nothing but the wait.
 * Only what was begun here counts: a turn in which ten thousand sockets close takes a quarter of a
 * second, and who asks meanwhile is not to wait for its end.
 */
export class LoopScheduler {
  readonly #nowMs: () => number
  readonly #queue: FairQueue<Waiting>
  /** Monotonic ms of the first thing that came in the present turn; null: there was none. */
  #beganMs: number | null = null
  /** When the last of what came had been looked at, or begun and had returned. */
  #doneMs = 0
  /** What of the present turn went to what was begun here. */
  #spentMs = 0
  #deferred = 0

  /** `nowMs`: a monotonic clock. */
  constructor(nowMs: () => number = () => performance.now()) {
    this.#nowMs = nowMs
    this.#queue = new FairQueue(nowMs)
  }

  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { turn_waiting: this.#queue.size, turn_deferred_total: this.#deferred }
  }

  /**
   * At whatever comes: has it to wait, because `budgetMs` of this turn are over? Then `later` is to be
   * called, else `done` behind it. Nothing of a client overtakes what waits for the same client.
   */
  isOverBudget(client: string, budgetMs: number, nowMs = this.#nowMs()): boolean {
    if (this.#beganMs === null) this.#begin(nowMs)
    this.#spentMs += Math.min(nowMs - this.#doneMs, AFTERWORK_MS)
    this.#doneMs = nowMs
    if (this.#spentMs >= budgetMs) return this.#queue.size < MAX_WAITING
    return this.#queue.size > 0 && this.#queue.has(client) && this.#queue.size < MAX_WAITING
  }

  /** What was begun at once has returned. */
  done(): void {
    const nowMs = this.#nowMs()
    this.#spentMs += nowMs - this.#doneMs
    this.#doneMs = nowMs
  }

  later(client: string, work: Waiting): void {
    this.#deferred++
    this.#queue.add(client, work)
    if (this.#beganMs === null) this.#begin(this.#nowMs())
  }

  #begin(nowMs: number): void {
    this.#beganMs = nowMs
    this.#doneMs = nowMs
    this.#spentMs = 0
    setImmediate(this.#turned)
  }

  readonly #turned = (): void => {
    const nowMs = this.#nowMs()
    const turnMs = nowMs - (this.#beganMs ?? nowMs)
    const endMs = nowMs + Math.max(WAITING_SLICE_MS, turnMs * WAITING_SHARE)
    try {
      while (this.#queue.size > 0 && this.#nowMs() < endMs) this.#queue.serveOne(run)
    } finally {
      this.#beganMs = null
      if (this.#queue.size > 0) this.#begin(this.#nowMs())
    }
  }
}

function run(work: Waiting, endMs: number): boolean {
  return work.run(endMs)
}
