import type { CommitMarker, WrittenBefore } from '../../../src/store/folder/commit-marker.ts'

/** The mark of a simulated folder: what a kill leaves of it, and what a power failure is sure to. */
export class MemoryMark implements CommitMarker {
  readonly isMemory: boolean
  #now: WrittenBefore | null
  #safe: WrittenBefore | null

  constructor(before: WrittenBefore | null = null, isMemory = false) {
    this.isMemory = isMemory
    this.#now = before
    this.#safe = before
  }

  begin(about: Omit<WrittenBefore, 'isClosed' | 'isHere'>): void {
    this.#now = { ...about, isClosed: false, isHere: true }
    this.#safe = this.#now
  }

  reach(seq: number): void {
    if (this.#now !== null) this.#now = { ...this.#now, seq }
  }

  close(segment: number): void {
    if (this.#now !== null) this.#now = { ...this.#now, segment, isClosed: true }
    this.#safe = this.#now
  }

  get killed(): WrittenBefore | null {
    return this.#now
  }

  /** The least that a power failure leaves: what was synced. */
  get crashed(): WrittenBefore | null {
    return this.#safe
  }
}
