import type { PoolMints } from '../chain/pool-mints.ts'
import { mintsOfPool } from './pool-account.ts'
import { ACCOUNTS_MAX, type RpcQuestions } from './rpc-questions.ts'

/** Pools that wait to be looked up; past it transactions go on without their swaps. */
const POOLS_WAITING_MAX = 5_000
/** Times one look-up is tried. */
const TRIES_MAX = 3

interface Waiting {
  readonly done: Promise<void>
  readonly settle: () => void
  tries: number
}

/** Looks up the mints of pools that were there before the feed was; one question at a time. */
export class PoolResolver {
  readonly #questions: RpcQuestions
  readonly #pools: PoolMints
  readonly #waiting = new Map<string, Waiting>()
  #isAsking = false
  /** Pools looked up with success. */
  resolved = 0
  /** Pools left unknown: their look-ups failed, or too many were waiting. */
  failed = 0

  constructor(questions: RpcQuestions, pools: PoolMints) {
    this.#questions = questions
    this.#pools = pools
  }

  /** Resolves when each of the pools is known or given up; never rejects. */
  async resolve(pools: readonly string[], signal: AbortSignal): Promise<void> {
    const wanted = pools.map((pool) => this.#want(pool))
    if (!this.#isAsking) void this.#ask(signal)
    await Promise.all(wanted)
  }

  #want(pool: string): Promise<void> {
    const known = this.#waiting.get(pool)
    if (known !== undefined) return known.done
    if (this.#waiting.size >= POOLS_WAITING_MAX) {
      this.failed++
      return Promise.resolve()
    }
    const { promise: done, resolve: settle } = Promise.withResolvers<void>()
    this.#waiting.set(pool, { done, settle, tries: 0 })
    return done
  }

  async #ask(signal: AbortSignal): Promise<void> {
    this.#isAsking = true
    while (this.#waiting.size > 0) {
      const pools = [...this.#waiting.keys()].slice(0, ACCOUNTS_MAX)
      const accounts = await this.#questions.accounts(pools, signal).catch(() => null)
      for (const [index, pool] of pools.entries()) {
        const account = accounts?.[index] ?? null
        if (account !== null) this.#learn(pool, account)
        else this.#failOnce(pool, signal.aborted)
      }
    }
    this.#isAsking = false
  }

  /** An account that is no pool's is nobody's: it is foreign. */
  #learn(pool: string, data: Buffer): void {
    const mints = mintsOfPool(data)
    this.#pools.learnCreated(pool, mints?.base ?? '', mints?.quote ?? '')
    this.resolved++
    this.#end(pool)
  }

  /** A pool that has just traded has an account; a node that is behind does not see it yet. */
  #failOnce(pool: string, isStopped: boolean): void {
    const waiting = this.#waiting.get(pool)
    if (waiting === undefined) return
    waiting.tries++
    if (!isStopped && waiting.tries < TRIES_MAX) return
    this.failed++
    this.#end(pool)
  }

  #end(pool: string): void {
    this.#waiting.get(pool)?.settle()
    this.#waiting.delete(pool)
  }
}
