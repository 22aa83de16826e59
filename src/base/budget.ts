/** What `within` gives of a read that is not done: it is to be made again in a later turn of the loop. */
export const UNFINISHED = Symbol('unfinished')

/** Ends a read whose time is up. Nobody but `within` catches it. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
}

/**
 * How long a read may take in this turn. Whatever may take long asks after each piece of its work, and keeps
 * the piece: the read that is made again goes on from there (docs/decisions/0027-one-read-protocol.md).
 */
export class Budget {
  /** For who needs the answer now, however long it takes. */
  static readonly unlimited = new Budget(() => true)
  readonly hasTime: () => boolean

  constructor(hasTime: () => boolean) {
    this.hasTime = hasTime
  }

  /** So many milliseconds from the first piece on: each turn does one at least. */
  static ofMs(ms: number): Budget {
    let endMs = 0
    return new Budget(() => {
      const nowMs = performance.now()
      if (endMs === 0) endMs = nowMs + ms
      return nowMs < endMs
    })
  }

  /** Ends the read here when its time is up; what it has found so far is kept by now. */
  throwIfSpent(): void {
    if (!this.hasTime()) throw new OutOfTime()
  }
}

/** The answer of a read, or `UNFINISHED` when its time was up before. */
export function within<T>(budget: Budget, read: (budget: Budget) => T): T | typeof UNFINISHED {
  try {
    return read(budget)
  } catch (error) {
    if (error instanceof OutOfTime) return UNFINISHED
    throw error
  }
}
