import { LRUCache } from 'lru-cache'
import type { MintFacts } from './account-layouts.ts'

/** Mints that wait; past it the one whose last trade is oldest is dropped. */
export const JOBS_MAX = 8_192
/** Waiting mints that are looked at for a question, beside those that clients want. */
const LOOKED_AT_MAX = 1_024
/** Mints of which it is remembered that nothing is to be asked now. */
const SETTLED_MAX = 50_000
/** For how long that is believed; it is then looked up again. */
const SETTLED_MS = 60_000
/** Times that a mint is asked for before it is given up, and for how long. */
const TRIES_MAX = 3
const GIVEN_UP_MS = 3_600_000
/** Wait before the next try, times the tries so far. */
const RETRY_MS = 20_000

/** What is asked of a mint next. */
export type Stage = 'facts' | 'texts' | 'largest' | 'holders'

/** A mint that is being asked for. */
export interface HydrationJob {
  readonly mint: string
  stage: Stage
  tries: number
  /** Not before this moment. */
  readyAtMs: number
  /** Does an answer wait for the feed to reach its slot? */
  isHeld: boolean
  /** What is known of it so far. */
  facts: MintFacts | null
  curve: string | null
  creator: string
  /** Its largest token accounts. */
  accounts: readonly string[]
}

/** Which mints are asked for next: those that clients want in their order, then those that traded last. */
export class HydrationQueue {
  readonly #isUnknown: (mint: string) => boolean
  readonly #jobs: LRUCache<string, HydrationJob>
  /** Mints and until when nothing is asked of them, in ms. */
  readonly #settled = new LRUCache<string, number>({ max: SETTLED_MAX })
  /** Mints that had no room. */
  dropped = 0
  gaveUp = 0

  /** @param isUnknown whether the chain is to be asked of a mint */
  constructor(isUnknown: (mint: string) => boolean) {
    this.#isUnknown = isUnknown
    this.#jobs = new LRUCache<string, HydrationJob>({
      max: JOBS_MAX,
      dispose: (_, _mint, reason) => {
        if (reason === 'evict') this.dropped += 1
      },
    })
  }

  get length(): number {
    return this.#jobs.size
  }

  /** A mint traded: it is asked for, or nothing is for a while. */
  traded(mint: string, nowMs: number): void {
    if (!this.want(mint, nowMs)) this.settle(mint, nowMs)
  }

  /** Somebody wants to know a mint, which need not have traded yet; false: nothing is to be asked. */
  want(mint: string, nowMs: number): boolean {
    // It is the newest of those that wait.
    if (this.#jobs.get(mint) !== undefined) return true
    if ((this.#settled.get(mint) ?? 0) > nowMs) return true
    if (!this.#isUnknown(mint)) return false
    this.#jobs.set(mint, {
      ...{ mint, stage: 'facts', tries: 0, readyAtMs: 0, isHeld: false },
      ...{ facts: null, curve: null, creator: '', accounts: [] },
    })
    return true
  }

  /** Nothing more is asked of a mint for now. */
  settle(mint: string, nowMs: number, forMs = SETTLED_MS): void {
    this.#jobs.delete(mint)
    this.#settled.set(mint, nowMs + forMs)
  }

  /** The mint is asked for again later, from its facts on. */
  retry(job: HydrationJob, nowMs: number): void {
    job.stage = 'facts'
    job.readyAtMs = nowMs + RETRY_MS * Math.max(1, job.tries)
  }

  /** As `retry`, but the third time it is given up for an hour. */
  failed(job: HydrationJob, nowMs: number): void {
    job.tries += 1
    if (job.tries < TRIES_MAX) {
      this.retry(job, nowMs)
      return
    }
    this.gaveUp += 1
    this.settle(job.mint, nowMs, GIVEN_UP_MS)
  }

  /** Up to `limits` mints of each stage; `wanted` first, in its order, then what traded last. */
  ready(
    wanted: Iterable<string>,
    limits: Readonly<Record<Stage, number>>,
    nowMs: number,
  ): Readonly<Record<Stage, readonly HydrationJob[]>> {
    const ready = {
      facts: new Set<HydrationJob>(),
      texts: new Set<HydrationJob>(),
      largest: new Set<HydrationJob>(),
      holders: new Set<HydrationJob>(),
    }
    const add = (job: HydrationJob | undefined) => {
      if (job === undefined || job.isHeld || job.readyAtMs > nowMs) return
      const { stage } = job
      if (ready[stage].size < limits[stage]) ready[stage].add(job)
    }
    for (const mint of wanted) add(this.#jobs.peek(mint))
    let looked = 0
    for (const job of this.#jobs.values()) {
      add(job)
      if (++looked === LOOKED_AT_MAX) break
    }
    return {
      facts: [...ready.facts],
      texts: [...ready.texts],
      largest: [...ready.largest],
      holders: [...ready.holders],
    }
  }
}
