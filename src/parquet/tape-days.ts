import type { Engine } from '../engine/engine.ts'
import type { State } from '../engine/state/state.ts'
import { SwapLane } from '../events/swap-record.ts'

export const DAY_SECONDS = 86_400
/** Records behind each other whose times are noted together: a day is read from the stretches that reach into it. */
const STRETCH_RECORDS = 4_096

/** Number of the day (UTC) that holds a time in unix seconds, from 1970-01-01 on. */
export function dayOf(seconds: number): number {
  return Math.floor(seconds / DAY_SECONDS)
}

/** The number of a day like `2026-11-29`; NaN for another text. */
export function dayOfText(text: string): number {
  return dayOf(Date.parse(text) / 1_000)
}

/** A day as `2026-11-29`. */
export function dayText(day: number): string {
  return new Date(day * DAY_SECONDS * 1_000).toISOString().slice(0, 10)
}

/**
 * The times of all swaps: where each day lies on the tape, and when each token was traded first and last. Swaps lie in the
 * order of the chain, whose clock may step back, so that no day is taken to be in one piece.
 */
export class TapeDays {
  /** Of each day that has swaps, how many, and the tape index of the first. */
  readonly swaps = new Map<number, { count: number; readonly first: number }>()
  readonly #state: State
  /** Times of each stretch. */
  readonly #stretches: { readonly earliest: number; readonly latest: number }[] = []
  /** By token, unix seconds; 0 without a swap. */
  readonly #firstSeconds: Uint32Array
  readonly #lastSeconds: Uint32Array
  #settledSeconds: number

  private constructor({ state }: Engine) {
    this.#state = state
    this.#settledSeconds = state.now
    this.#firstSeconds = new Uint32Array(state.tokens.count)
    this.#lastSeconds = new Uint32Array(state.tokens.count)
  }

  /** Unix seconds up to which no late event reaches. */
  get settledSeconds(): number {
    return this.#settledSeconds
  }

  /** When a token was traded first and last, unix seconds; 0: never. */
  spanOf(token: number): { readonly first: number; readonly last: number } {
    return { first: this.#firstSeconds[token] ?? 0, last: this.#lastSeconds[token] ?? 0 }
  }

  /**
   * Reads the tape once; yields how many swaps were read.
   * @throws TapeDamage where it cannot be read
   */
  static *read(engine: Engine): Generator<number, TapeDays> {
    const days = new TapeDays(engine)
    const { count } = engine.state.tape
    for (let from = 0; from < count; from += STRETCH_RECORDS) {
      days.#note(from, Math.min(count, from + STRETCH_RECORDS), engine.settledSwaps)
      yield from
    }
    return days
  }

  /** Tape indexes of a day's swaps, in the order of the chain. */
  *swapsOf(day: number): Generator<number> {
    const { tape } = this.#state
    for (const [stretch, { earliest, latest }] of this.#stretches.entries()) {
      if (dayOf(earliest) > day || dayOf(latest) < day) continue
      const from = stretch * STRETCH_RECORDS
      const end = Math.min(tape.count, from + STRETCH_RECORDS)
      for (let index = from; index < end; index++)
        if (dayOf(secondsOf(this.#state, index)) === day) yield index
    }
  }

  #note(from: number, end: number, settled: number): void {
    const { tape } = this.#state
    let earliest = Number.POSITIVE_INFINITY
    let latest = 0
    for (let index = from; index < end; index++) {
      const seconds = secondsOf(this.#state, index)
      const day = dayOf(seconds)
      const swaps = this.swaps.get(day)
      if (swaps === undefined) this.swaps.set(day, { count: 1, first: index })
      else swaps.count += 1
      this.#noteToken(tape.u32Of(index)[tape.at(index) + SwapLane.token] ?? 0, seconds)
      if (seconds < earliest) earliest = seconds
      if (seconds > latest) latest = seconds
      if (index >= settled && seconds < this.#settledSeconds) this.#settledSeconds = seconds
    }
    this.#stretches.push({ earliest, latest })
  }

  #noteToken(token: number, seconds: number): void {
    const { first, last } = this.spanOf(token)
    if (first === 0 || seconds < first) this.#firstSeconds[token] = seconds
    if (seconds > last) this.#lastSeconds[token] = seconds
  }
}

function secondsOf({ tape }: State, index: number): number {
  return tape.u32Of(index)[tape.at(index) + SwapLane.timestamp] ?? 0
}
