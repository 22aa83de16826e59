/** A quote older than this says nothing about now. */
export const FRESH_MS = 15_000
/** A price that is further from the last one than this is believed only when two venues say it. */
export const JUMP_SHARE = 0.05
/** Two venues agree when their prices differ by no more than this. */
export const AGREE_SHARE = 0.01
/** A lonely price that is far from the last one is believed when it stays for this long. */
export const JUMP_WAIT_MS = 60_000
/** The first price of a single venue waits this long for a second one. */
export const FIRST_ALONE_MS = 3_000

/**
 * What a SOL costs by what several venues say: the median of the fresh quotes near the last price.
 * A jump counts when more venues agree on it than stay behind, or when it lasts.
 */
export class PriceAggregator {
  readonly #quotes = new Map<
    string,
    {
      readonly usd: number
      readonly atMs: number
    }
  >()
  #usd: number | null = null
  /** Since when nothing acceptable came; null: something did, or nothing at all for long. */
  #waitingSinceMs: number | null = null
  #jumpsHeld = 0

  /** One quote a venue is stored. */
  quote(venue: string, usd: number, nowMs: number): void {
    this.#quotes.set(venue, { usd, atMs: nowMs })
  }

  /** The last price that was believed; null before the first. */
  get usd(): number | null {
    return this.#usd
  }

  /** Times that a jump was not believed at once. */
  get jumpsHeld(): number {
    return this.#jumpsHeld
  }

  freshVenues(nowMs: number): number {
    return this.#fresh(nowMs).length
  }

  /** Looks at the quotes; returns the price that holds now, null before the first one. */
  settle(nowMs: number): number | null {
    const fresh = this.#fresh(nowMs)
    if (fresh.length === 0) {
      // What nobody has said for so long does not last; a market may be quiet for less.
      if (this.#said(nowMs, JUMP_WAIT_MS).length === 0) this.#waitingSinceMs = null
      return this.#usd
    }
    const believed = this.#usd === null ? agreeing(fresh) : this.#near(fresh, this.#usd)
    if (believed.length > 0) {
      this.#waitingSinceMs = null
      this.#usd = median(believed)
      return this.#usd
    }
    this.#wait(fresh, nowMs)
    return this.#usd
  }

  #wait(fresh: readonly number[], nowMs: number): void {
    if (this.#waitingSinceMs === null) {
      this.#waitingSinceMs = nowMs
      if (this.#usd !== null) this.#jumpsHeld += 1
    }
    const patienceMs = this.#usd === null ? FIRST_ALONE_MS : JUMP_WAIT_MS
    if (nowMs - this.#waitingSinceMs < patienceMs) return
    this.#waitingSinceMs = null
    this.#usd = median(fresh)
  }

  /** Quotes near the last price; those of a jump instead when more venues agree on it. */
  #near(fresh: readonly number[], last: number): readonly number[] {
    const near = fresh.filter((usd) => isWithin(usd, last, JUMP_SHARE))
    const far = agreeing(fresh.filter((usd) => !near.includes(usd)))
    return far.length > near.length ? far : near
  }

  #fresh(nowMs: number): number[] {
    return this.#said(nowMs, FRESH_MS)
  }

  /** What venues have said last, if that is not older. */
  #said(nowMs: number, ageMsMax: number): number[] {
    const quotes = [...this.#quotes.values()]
    return quotes.filter(({ atMs }) => nowMs - atMs <= ageMsMax).map(({ usd }) => usd)
  }
}

/** The largest group of two or more that lie together; empty when there is none. */
function agreeing(prices: readonly number[]): readonly number[] {
  let best: readonly number[] = []
  for (const price of prices) {
    const group = prices.filter((other) => isWithin(other, price, AGREE_SHARE))
    if (group.length >= 2 && group.length > best.length) best = group
  }
  return best
}

function isWithin(a: number, b: number, share: number): boolean {
  return Math.abs(a - b) <= b * share
}

/** The middle one; of an even number the mean of the two in the middle. */
function median(prices: readonly number[]): number {
  const sorted = [...prices].sort((a, b) => a - b)
  const middle = sorted.length >> 1
  return sorted.length % 2 === 1 ? sorted[middle] : (sorted[middle - 1] + sorted[middle]) / 2
}
