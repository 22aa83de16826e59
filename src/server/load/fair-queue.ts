/** Of that time a client has so much before the next one has its turn. */
const CLIENT_SLICE_MS = 0.5

/** What one step took longer than that is waited off later, up to so much. */
const CLIENT_DEBT_MS = 10

/** Taken places in front are given back once there are so many of them and they are half of all. */
const TAKEN_MIN = 32

/** All that waits for one client. */
interface Client<T> {
  readonly name: string
  readonly waiting: Fifo<T>
  /** Time it may still take before others have their turn; below 0 when a step took longer. */
  creditMs: number
}

/**
 * Work that waits for the loop, shared out among clients by the time it takes (deficit round robin):
 * each has its slice and then waits for the slices of the others, so that one with a thousand costly
 * things to do delays another by one slice and no more. Who has just come goes first, in alternation
 * with those who were served before: a client that asks for one thing at a time does not wait for a
 * round of all who want more, and these do not starve behind those who come new. Of one client what
 * came first is served first.
 */
export class FairQueue<T> {
  readonly #nowMs: () => number
  readonly #clients = new Map<string, Client<T>>()
  /** Have not been served since they came. */
  readonly #fresh = new Fifo<Client<T>>()
  /** The others; also those for whom nothing waits any more, until it would be their turn. */
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

  /** Does anything wait for the client? */
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
   * Serves the one whose turn it is. `serve` works until about `endMs` and says whether there is more
   * to do: then it waits behind the rest of its client's.
   */
  serveOne(serve: (item: T, endMs: number) => boolean): void {
    const client = this.#whoseTurn()
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
  #whoseTurn(): Client<T> | null {
    while (this.#size > 0) {
      const isFresh = this.#fresh.size > 0 && (this.#isFreshNext || this.#served.size === 0)
      const ring = isFresh ? this.#fresh : this.#served
      const client = ring.first()
      if (client === undefined) return null
      if (client.waiting.size > 0 && client.creditMs > 0) return client
      ring.take()
      // One that is fresh and done is remembered for a round: else it could come anew at once.
      if (!isFresh && client.waiting.size === 0) this.#clients.delete(client.name)
      else this.#served.push(client)
      if (client.creditMs <= 0) client.creditMs += CLIENT_SLICE_MS
      // A client for whom nothing waits takes nobody's turn.
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
    // What was taken must not stay in memory.
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
