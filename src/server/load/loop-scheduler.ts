/**
 * `server/load` shares the event loop and the limits among the clients. In: requests and messages, by client. Out:
 * whether each is served now, later (this file) or not at all (`rate-limiter.ts`). A client is the key of an
 * address (`sockets/client-address.ts`). Invariant: one client delays another by at most two slices.
 */

/** A request or a message that has much to read goes on in a later turn after this time. */
export const ROUTE_SLICE_MS = 1
/** The queue is served for this long in one turn. */
const WAITING_SLICE_MS = 1
/** Or for this share of a turn that took long: where turns are few, the queue must not wait for ever. */
const WAITING_SHARE = 1 / 4
/** Of that time a client has so much before the next one is served. */
const CLIENT_SLICE_MS = 0.5
/** What a step took longer than its client's slice is taken from its later slices, up to so much. */
const CLIENT_DEBT_MS = 10
/**
 * What uWebSockets.js does behind a request, as sending its answer, counts as the request's for so long; what
 * a turn does between two requests beyond that is counted for no client.
 */
const AFTERWORK_MS = 0.1
/**
 * Requests and connections with messages that wait at most: there is one a socket. Past it what comes
 * is done at once.
 */
const MAX_WAITING = 60_000
/** Taken places at the front of a `Fifo` are freed once there are so many of them and they are half of all. */
const TAKEN_MIN = 32

/** Work that waits for a later turn of the loop. */
export interface Waiting {
  /** Works until it is done, or until about `endMs`; says whether there is more to do. */
  run(endMs: number): boolean
}

/**
 * Keeps what comes in one turn from holding the loop. A turn brings what has come on thousands of
 * sockets, and each may bring hundreds of requests or messages in one piece: timers, feeds and all other
 * clients would wait for all of them. Past its time the rest waits for later turns, which share their time
 * among the clients (`FairQueue`). uWebSockets.js closes a socket that has sent another request behind one that
 * waits: so a flood in one piece costs little, and a client that sends one request at a time only waits.
 * Only work that was begun here counts: a turn in which ten thousand sockets close takes a quarter of a
 * second, and a request that comes meanwhile must not wait for its end.
 */
export class LoopScheduler {
  readonly #nowMs: () => number
  readonly #queue: FairQueue<Waiting>
  /** When the first request or message of the present turn came, monotonic ms; null: there was none. */
  #beganMs: number | null = null
  /** When the last one was looked at, or had returned. */
  #doneMs = 0
  /** Time of the present turn that work begun here took. */
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
   * Must a request or message that comes now wait, because `budgetMs` of this turn are over? Then the caller
   * calls `later`, else `done` behind it. Nothing of a client overtakes its waiting work; whose it is is asked for
   * only where something waits.
   */
  isOverBudget(
    asker: { readonly client: string },
    budgetMs: number,
    nowMs = this.#nowMs(),
  ): boolean {
    if (this.#beganMs === null) this.#begin(nowMs)
    this.#spentMs += Math.min(nowMs - this.#doneMs, AFTERWORK_MS)
    this.#doneMs = nowMs
    if (this.#spentMs >= budgetMs) return this.#queue.size < MAX_WAITING
    return this.#queue.size > 0 && this.#queue.has(asker.client) && this.#queue.size < MAX_WAITING
  }

  /** Work that was begun at once has returned. */
  done(nowMs = this.#nowMs()): void {
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

/** The work of one client. */
interface Client<T> {
  readonly name: string
  readonly waiting: Fifo<T>
  /** Time it may still take before the next client is served; below 0 when a step took longer. */
  creditMs: number
}

/**
 * Work that waits for the loop, shared out among clients by the time it takes (deficit round robin):
 * each has its slice and then waits for the slices of the others, so that one with a thousand costly
 * requests delays another by one slice and no more. New clients and those that were served before
 * alternate: a client that sends one request at a time does not wait for a round of all that sent more,
 * and these do not starve behind new ones. The work of one client is served in the order it came.
 */
export class FairQueue<T> {
  readonly #nowMs: () => number
  readonly #clients = new Map<string, Client<T>>()
  /** Clients that have not been served since they came. */
  readonly #fresh = new Fifo<Client<T>>()
  /** The others; also those without work, until they would be served. */
  readonly #served = new Fifo<Client<T>>()
  #isFreshNext = true
  #size = 0

  constructor(nowMs: () => number) {
    this.#nowMs = nowMs
  }

  get size(): number {
    return this.#size
  }

  /** Clients that are remembered: never many more than there is work. */
  get clientCount(): number {
    return this.#clients.size
  }

  /** Does the client have work here? */
  has(name: string): boolean {
    return (this.#clients.get(name)?.waiting.size ?? 0) > 0
  }

  add(name: string, item: T): void {
    let client = this.#clients.get(name)
    if (client === undefined) {
      client = { name, waiting: new Fifo(), creditMs: CLIENT_SLICE_MS }
      this.#clients.set(name, client)
      this.#fresh.push(client)
    }
    client.waiting.push(item)
    this.#size++
  }

  /**
   * Serves the client that is next. `serve` works until about `endMs` and says whether there is more
   * to do: then the item waits behind the rest of its client's.
   */
  serveOne(serve: (item: T, endMs: number) => boolean): void {
    const client = this.#nextClient()
    const item = client?.waiting.take()
    if (client === null || item === undefined) return
    this.#size--
    const beganMs = this.#nowMs()
    let hasMore = false
    try {
      hasMore = serve(item, beganMs + client.creditMs)
    } finally {
      const leftMs = client.creditMs - (this.#nowMs() - beganMs)
      client.creditMs = Math.max(leftMs, -CLIENT_DEBT_MS)
      if (hasMore) {
        client.waiting.push(item)
        this.#size++
      }
      if (this.#size === 0) this.#forgetAll()
    }
  }

  /** The client stays where it is, in front, until its slice is used up. */
  #nextClient(): Client<T> | null {
    while (this.#size > 0) {
      const isFresh = this.#fresh.size > 0 && (this.#isFreshNext || this.#served.size === 0)
      const ring = isFresh ? this.#fresh : this.#served
      const client = ring.first()
      if (client === undefined) return null
      if (client.waiting.size > 0 && client.creditMs > 0) return client
      ring.take()
      // A fresh client without work is remembered for a round: else it could come as a fresh one again at once.
      if (!isFresh && client.waiting.size === 0) this.#clients.delete(client.name)
      else this.#served.push(client)
      if (client.creditMs <= 0) client.creditMs += CLIENT_SLICE_MS
      // A client without work does not count as one that was served.
      if (isFresh || client.waiting.size > 0) this.#isFreshNext = !isFresh
    }
    return null
  }

  #forgetAll(): void {
    this.#clients.clear()
    this.#fresh.clear()
    this.#served.clear()
    this.#isFreshNext = true
  }
}

/** First in, first out: taking one costs the same however many wait. */
export class Fifo<T> {
  #items: (T | undefined)[] = []
  #next = 0

  get size(): number {
    return this.#items.length - this.#next
  }

  push(item: T): void {
    this.#items.push(item)
  }

  /** The one that `take` would give. */
  first(): T | undefined {
    return this.#items[this.#next]
  }

  take(): T | undefined {
    if (this.size === 0) return undefined
    const item = this.#items[this.#next]
    // The item must not stay in memory.
    this.#items[this.#next++] = undefined
    if (this.size === 0) this.clear()
    else if (this.#next >= TAKEN_MIN && this.#next * 2 >= this.#items.length) {
      this.#items = this.#items.slice(this.#next)
      this.#next = 0
    }
    return item
  }

  clear(): void {
    this.#items = []
    this.#next = 0
  }
}
