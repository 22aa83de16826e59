/** What is seen is read again after this time even if nothing came that would change it, in ms. */
const REST_MS = 5_000

/**
 * Reads figures again and again, while the page is seen: soon after something came that they lack, else
 * now and then, for they also follow trades of others, the price of SOL and the clock.
 * Never two at a time: an older answer that comes late would take the place of a newer one.
 */
export class Reread {
  readonly #everyMs: number
  readonly #read: () => Promise<boolean>
  #timer = 0
  #readMs = 0
  #isWanted = true
  #underWay: Promise<void> | null = null

  /** @param read answers whether there was an answer; if not, it is asked again */
  constructor(everyMs: number, read: () => Promise<boolean>) {
    this.#everyMs = everyMs
    this.#read = read
  }

  /** Reads, and goes on reading until it is closed. */
  start(): Promise<void> {
    this.#timer = setInterval(() => this.#look(), this.#everyMs)
    return this.now()
  }

  close(): void {
    clearInterval(this.#timer)
  }

  /** Something came that is not in what was read. */
  want(): void {
    this.#isWanted = true
  }

  /** Reads at once; what is under way is waited for, and followed by another soon. */
  now(): Promise<void> {
    this.#isWanted = true
    this.#underWay ??= this.#go()
    return this.#underWay
  }

  #look(): void {
    if (document.hidden || this.#underWay !== null) return
    const isDue = performance.now() - this.#readMs >= REST_MS
    if (this.#isWanted || isDue) void this.now()
  }

  async #go(): Promise<void> {
    // What comes from now on is not in the answer.
    this.#isWanted = false
    const isRead = await this.#read()
    this.#readMs = performance.now()
    this.#isWanted ||= !isRead
    this.#underWay = null
  }
}
