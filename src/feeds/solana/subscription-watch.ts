/** Each program has a hundred frames a second: a subscription that is silent for so long is dead. */
export const SILENCE_MS = 5_000

interface Subscription {
  readonly name: string
  lastMs: number
  /** Slot of its last frame; null: none came yet. */
  lastSlot: number | null
}

/** Notices when one subscription of a connection has died while the other goes on. */
export class SubscriptionWatch {
  readonly #byId = new Map<string, Subscription>()
  #firstSlot: number | null = null

  /** The slot up to which frames of all have come, and of which more may come; null: none came. */
  get openFrom(): number | null {
    let from: number | null = null
    for (const { lastSlot } of this.#byId.values()) {
      const own = lastSlot ?? this.#firstSlot
      if (own !== null) from = Math.min(from ?? own, own)
    }
    return from
  }

  add(id: string, name: string, nowMs: number): void {
    this.#byId.set(id, { name, lastMs: nowMs, lastSlot: null })
  }

  /** Whether frames of all have come, as far as their ids tell: an answer alone is no beginning. */
  haveBegun(id: string | null): boolean {
    if (id === null || !this.#byId.has(id)) return true
    return [...this.#byId.values()].every(({ lastSlot }) => lastSlot !== null)
  }

  /**
   * A frame came; the answer is the name of the other subscription, when that is dead.
   * @param slot null: one that the chain has not reached
   */
  came(id: string | null, slot: number | null, nowMs: number): string | null {
    this.#firstSlot ??= slot
    const own = id === null ? undefined : this.#byId.get(id)
    if (own === undefined) return null
    own.lastMs = nowMs
    own.lastSlot = slot ?? own.lastSlot
    for (const { name, lastMs } of this.#byId.values()) if (nowMs - lastMs > SILENCE_MS) return name
    return null
  }
}
