/** Waits measured at most; the newest count. */
export const WAITS_KEPT = 4_096

/** How long writes waited for the disk, over the newest ones. */
export class WaitTimes {
  readonly #waitsMs = new Float64Array(WAITS_KEPT)
  #count = 0
  #longestMs = 0

  add(waitMs: number): void {
    this.#waitsMs[this.#count % WAITS_KEPT] = waitMs
    this.#count += 1
    if (waitMs > this.#longestMs) this.#longestMs = waitMs
  }

  /** Milliseconds from a write to its sync: median, p99, longest ever. */
  figures(): Readonly<Record<string, number>> {
    const sorted = this.#waitsMs.slice(0, Math.min(this.#count, WAITS_KEPT)).sort()
    const at = (share: number) => sorted[Math.floor(share * (sorted.length - 1))] ?? 0
    return {
      journal_sync_p50_ms: at(0.5),
      journal_sync_p99_ms: at(0.99),
      journal_sync_longest_ms: this.#longestMs,
    }
  }
}
