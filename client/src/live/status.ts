import type { Problem } from '../problem.ts'
import { problem, sentenceOf } from '../problem.ts'
import type { Move } from '../replicas.ts'

/** How the live connections are, and what they have been through. */
export interface LiveStatus {
  /** Connections that are wanted, and of these the open ones. */
  readonly connections: number
  readonly open: number
  /**
   * Round trip of the newest ping, or how long the one under way has waited if that is longer: on a slow line
   * what comes is late by so much. Null before the first.
   */
  readonly roundTripMs: number | null
  /** Lag of the newest event (`EventUpdate.lagMs`); null before the first. */
  readonly lagMs: number | null
  /** Connections that were lost, or left for another url. */
  readonly disconnects: number
  /** Messages that came again and were dropped. */
  readonly repeats: number
  /** Times that a message was missing and was asked for again. */
  readonly gaps: number
  /** Streams that could not be resumed (`lost` updates). */
  readonly losses: number
  /** Streams left because their reader was slow, to be resumed later. */
  readonly holds: number
  /** Frames that could not be read. */
  readonly unreadable: number
}

type Count = 'disconnects' | 'repeats' | 'gaps' | 'losses' | 'holds' | 'unreadable'

/** Listeners of each kind at most; further ones are not added. */
const LISTENERS_MAX = 100

/** Counts of all connections of a client, and who wants to hear of them. */
export class LiveJournal {
  readonly #counts: Record<Count, number> = {
    disconnects: 0,
    repeats: 0,
    gaps: 0,
    losses: 0,
    holds: 0,
    unreadable: 0,
  }
  readonly #onProblem = new Set<(problem: Problem) => void>()
  readonly #onChange = new Set<() => void>()
  readonly #onMove = new Set<(move: Move) => void>()
  roundTripMs: number | null = null
  lagMs: number | null = null

  get counts(): Readonly<Record<Count, number>> {
    return { ...this.#counts }
  }

  count(what: Count): void {
    this.#counts[what] += 1
  }

  report(what: Problem): void {
    for (const listener of this.#onProblem) guarded(() => listener(what))
  }

  /** A connection opened or was lost. */
  changed(): void {
    for (const listener of this.#onChange)
      guarded(listener, (thrown) => this.#listenerFailed(thrown))
  }

  moved(move: Move): void {
    for (const listener of this.#onMove)
      guarded(
        () => listener(move),
        (thrown) => this.#listenerFailed(thrown),
      )
  }

  onProblem(listener: (problem: Problem) => void): () => void {
    return added(this.#onProblem, listener)
  }

  onChange(listener: () => void): () => void {
    return added(this.#onChange, listener)
  }

  onMove(listener: (move: Move) => void): () => void {
    return added(this.#onMove, listener)
  }

  #listenerFailed(thrown: unknown): void {
    this.report(problem('listener', sentenceOf(thrown)))
  }
}

/** Adds one; the answer takes it out again. */
function added<T>(listeners: Set<T>, listener: T): () => void {
  if (listeners.size < LISTENERS_MAX) listeners.add(listener)
  return () => {
    listeners.delete(listener)
  }
}

/** A listener's own mistakes must not stop the connection, nor those of an async one the program: they come later. */
function guarded(call: () => unknown, failed: (thrown: unknown) => void = () => {}): void {
  try {
    Promise.resolve(call()).catch(failed)
  } catch (thrown) {
    failed(thrown)
  }
}
