import { setImmediate } from 'node:timers/promises'

/** The result of `within` for an unfinished read: the caller makes it again in a later turn of the event loop. */
export const UNFINISHED = Symbol('unfinished')

/** Ends a read whose time is up. Only `within` catches it. */
export class OutOfTime extends Error {
  override readonly name = 'OutOfTime'
}

/**
 * Time that a read may take in this turn. Long work checks it after each piece and stores the piece: the next
 * call goes on from there (docs/decisions/0027-one-read-protocol.md).
 */
export class Budget {
  /** For callers that need the answer now, however long it takes. */
  static readonly unlimited = new Budget(() => true)
  readonly hasTime: () => boolean

  constructor(hasTime: () => boolean) {
    this.hasTime = hasTime
  }

  /** `ms` milliseconds from the first piece on: each turn does one at least. */
  static ofMs(ms: number): Budget {
    let endMs = 0
    return new Budget(() => {
      const nowMs = performance.now()
      if (endMs === 0) endMs = nowMs + ms
      return nowMs < endMs
    })
  }

  /** Ends the read when its time is up; by now it has stored what it found. */
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

/** What work comes to that yields wherever the event loop may run, which it does there. */
export async function inTurns<T>(steps: Iterator<unknown, T>): Promise<T> {
  for (;;) {
    const step = steps.next()
    if (step.done) return step.value
    await setImmediate()
  }
}
