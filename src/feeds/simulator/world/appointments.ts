/** Kinds of things that happen some slots later. */
export const Appointment = { snipe: 0, migrate: 1 } as const

/** Farthest appointment, slots ahead. */
export const MAX_DELAY_SLOTS = 15
const BUCKETS = MAX_DELAY_SLOTS + 1
const BUCKET_CAPACITY = 4_096

/** What has to happen to which token in one of the next slots. Fixed memory. */
export class Appointments {
  readonly #entries = new Int32Array(BUCKETS * BUCKET_CAPACITY)
  readonly #counts = new Int32Array(BUCKETS)
  /** Appointments not run yet. */
  pending = 0

  /** False when the slot's list is full. */
  add(slot: number, row: number, kind: number): boolean {
    const bucket = slot % BUCKETS
    const count = this.#counts[bucket]
    if (count === BUCKET_CAPACITY) return false
    this.#entries[bucket * BUCKET_CAPACITY + count] = row * 2 + kind
    this.#counts[bucket] = count + 1
    this.pending++
    return true
  }

  hasAny(slot: number): boolean {
    return this.#counts[slot % BUCKETS] > 0
  }

  /** Calls `keep` for each appointment of the slot, in the order they were made. */
  run(slot: number, keep: (row: number, kind: number) => void): void {
    const bucket = slot % BUCKETS
    const count = this.#counts[bucket]
    this.#counts[bucket] = 0
    this.pending -= count
    for (let i = 0; i < count; i++) {
      const entry = this.#entries[bucket * BUCKET_CAPACITY + i]
      keep(entry >> 1, entry & 1)
    }
  }
}
