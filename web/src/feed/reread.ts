import type { Answer, Problem } from '../../../client/src/mintfeed.ts'
import { tellHeldUp } from './held-up.ts'

/** What is seen is read again after this time even if nothing came that would change it, in ms. */
const REST_MS = 5_000
/** Figures that are overdue for longer than this are told: the rate limit or the network holds them up. */
const HELD_UP_MS = 5_000
/** What there is to read is looked for this often, in ms; timers come a little early, too. */
const LOOK_MS = 1_000
const EARLY_MS = LOOK_MS / 2

/**
 * Reads figures again and again, while the page is seen: soon after something came that they lack, else
 * now and then, for they also follow trades of others, the price of SOL and the clock.
 * Never two at a time: an older answer that comes late would take the place of a newer one.
 */
export class Reread {
  readonly #everyMs: number
  readonly #read: () => Promise<boolean>
  #timer = 0
  #askedMs = Number.NEGATIVE_INFINITY
  /** When it was answered last, unix seconds. */
  #lastSeconds: number | null = null
  #isWanted = true
  /** Since when an answer is missing; null: none is. */
  #missedMs: number | null = null
  #heldUpEnds: (() => void) | null = null
  #underWay: Promise<void> | null = null
  #isClosed = false

  /**
   * @param everyMs time between two reads at least
   * @param read answers whether there was an answer; if not, it is asked again soon
   */
  constructor(everyMs: number, read: () => Promise<boolean>) {
    this.#everyMs = everyMs
    this.#read = read
  }

  /** Reads, and goes on reading until it is closed. */
  start(): Promise<void> {
    this.#timer = setInterval(() => this.#look(), LOOK_MS)
    return this.now()
  }

  close(): void {
    clearInterval(this.#timer)
    this.#isClosed = true
    this.#tellWhether(false)
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
    if (document.hidden) return
    const nowMs = performance.now()
    if (this.#missedMs !== null) this.#tellWhether(nowMs - this.#missedMs >= HELD_UP_MS)
    if (this.#underWay !== null) return
    if (nowMs - this.#askedMs >= this.#waitMs() - EARLY_MS) void this.now()
  }

  #waitMs(): number {
    if (this.#missedMs !== null) return LOOK_MS
    return this.#isWanted ? this.#everyMs : REST_MS
  }

  async #go(): Promise<void> {
    // What comes from now on is not in the answer.
    this.#isWanted = false
    this.#askedMs = performance.now()
    this.#missedMs ??= this.#askedMs
    try {
      if (await this.#read()) this.#answered()
    } finally {
      this.#underWay = null
    }
  }

  #answered(): void {
    this.#missedMs = null
    this.#lastSeconds = Math.floor(Date.now() / 1000)
    this.#tellWhether(false)
  }

  #tellWhether(isHeldUp: boolean): void {
    if (isHeldUp && !this.#isClosed) {
      this.#heldUpEnds ??= tellHeldUp({ lastSeconds: this.#lastSeconds })
    } else {
      this.#heldUpEnds?.()
      this.#heldUpEnds = null
    }
  }
}

/** Was there an answer? A refusal is one too. */
export function isAnswered(answer: Answer<unknown>): boolean {
  return answer.ok || isRefusal(answer.problem)
}

/** Is it the service's last word, and none to come back later? */
export function isRefusal({ status }: Problem): boolean {
  return status >= 400 && status < 500 && status !== 429
}
