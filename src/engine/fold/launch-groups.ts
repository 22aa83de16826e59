/** Mints whose groups are kept; past it the one that began first is read off the tape again if needed. */
export const GROUPS_MAX = 64

/** Who bought a mint in one slot, up to one of its swaps: as many as a slot of the chain has room for. */
export interface LaunchGroup {
  readonly slot: number
  /** The newest swap that is in it. */
  lastIndex: number
  /** Wallet → lamports bought. */
  readonly bought: Map<number, number>
  /** Wallets that bought for enough and count as holders, in the order in which they came to it. */
  readonly reached: number[]
  /** So many of `reached` were judged bundlers. */
  judged: number
}

/**
 * The groups of the mints that are being launched, so that a swap is added to its own and does not
 * read all before it: n swaps of one slot would be read n² / 2 times. They are not state: each can be
 * read off the chain of its mint's swaps, and has to be once one of those, or who is a holder, changed
 * (`forget`).
 */
export class LaunchGroups {
  readonly #groups = new Map<number, LaunchGroup>()

  /** That of a mint, if it is the one of this slot. */
  find(token: number, slot: number): LaunchGroup | null {
    const group = this.#groups.get(token)
    return group?.slot === slot ? group : null
  }

  /** An empty one in place of the mint's last one. */
  begin(token: number, slot: number): LaunchGroup {
    this.#groups.delete(token)
    if (this.#groups.size >= GROUPS_MAX)
      for (const oldest of this.#groups.keys()) {
        this.#groups.delete(oldest)
        break
      }
    const group = { slot, lastIndex: -1, bought: new Map(), reached: [], judged: 0 }
    this.#groups.set(token, group)
    return group
  }

  forget(token: number): void {
    this.#groups.delete(token)
  }

  drop(): void {
    this.#groups.clear()
  }
}
