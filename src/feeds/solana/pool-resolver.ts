import { encodeBase58 } from '../../base/base58.ts'
import type { PoolMints } from '../chain/pool-mints.ts'
import { type Timers, waitFor } from '../timers.ts'
import { ACCOUNTS_MAX, type RpcQuestions } from './rpc-questions.ts'

/** Pools that wait to be looked up; past it transactions go on without their swaps. */
const POOLS_WAITING_MAX = 5_000
/** Times one look-up is tried; a node that is behind has the account a moment later. */
const TRIES_MAX = 5
/** Wait after a look-up that not all came of, times the look-ups in a row of which that is so. */
const PAUSE_MS = 300
const PAUSES_MAX = 5
/** Discriminator of the Pool account of the AMM program. */
const POOL = Buffer.from('f19a6d0411b16dbc', 'hex')
/** Behind discriminator, bump (u8), index (u16) and creator. */
const BASE_MINT_AT = 8 + 1 + 2 + 32
const QUOTE_MINT_AT = BASE_MINT_AT + 32
const END = QUOTE_MINT_AT + 32

/** Looks up the mints of pools that were there before the feed was; one question at a time. */
export class PoolResolver {
  readonly #questions: RpcQuestions
  readonly #pools: PoolMints
  readonly #timers: Timers
  readonly #waiting = new Map<
    string,
    {
      readonly done: Promise<void>
      readonly settle: () => void
      tries: number
    }
  >()
  /** Calls of `resolve` that have not ended. */
  #askers = 0
  #isAsking = false
  /** Ends the question under way, of which nobody wants the answer any more. */
  #unwanted = new AbortController()
  /** Pools looked up with success. */
  resolved = 0
  /** Pools left unknown: their look-ups failed, or too many were waiting. */
  failed = 0

  constructor(questions: RpcQuestions, pools: PoolMints, timers: Timers) {
    this.#questions = questions
    this.#pools = pools
    this.#timers = timers
  }

  /**
   * Resolves when each of the pools is known or given up, or with the signal; never rejects. One
   * asker's signal does not end a look-up that others wait for.
   */
  async resolve(pools: readonly string[], signal: AbortSignal): Promise<void> {
    if (signal.aborted) return
    const { promise: gone, resolve } = Promise.withResolvers<void>()
    const leave = () => resolve()
    signal.addEventListener('abort', leave)
    this.#askers++
    const wanted = pools.map((pool) => this.#want(pool))
    if (!this.#isAsking) void this.#ask()
    await Promise.race([Promise.all(wanted), gone])
    signal.removeEventListener('abort', leave)
    this.#askers--
    if (this.#askers === 0) this.#unwanted.abort()
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

  async #ask(): Promise<void> {
    this.#isAsking = true
    let pauses = 0
    while (this.#waiting.size > 0 && this.#askers > 0) {
      this.#unwanted = new AbortController()
      const { signal } = this.#unwanted
      const isComplete = await this.#askOnce(signal)
      pauses = isComplete ? 0 : Math.min(pauses + 1, PAUSES_MAX)
      if (!isComplete) await waitFor(this.#timers, PAUSE_MS * pauses, signal)
    }
    // Nobody waits for these any more.
    this.#waiting.clear()
    this.#isAsking = false
  }

  /** One question; true when the answer had every pool that it asked for. */
  async #askOnce(signal: AbortSignal): Promise<boolean> {
    const pools = [...this.#waiting.keys()].slice(0, ACCOUNTS_MAX)
    const accounts = await this.#questions.accounts(pools, signal).catch(() => null)
    if (signal.aborted) return true
    let isComplete = true
    for (const [index, pool] of pools.entries()) {
      const account = accounts?.[index] ?? null
      // Only pools are asked for: what is none was not read whole, or of another account.
      const mints = account === null ? null : mintsOfPool(account)
      if (mints !== null) {
        this.#learn(pool, mints.base, mints.quote)
        continue
      }
      this.#failOnce(pool)
      isComplete = false
    }
    return isComplete
  }

  #learn(pool: string, base: string, quote: string): void {
    this.#pools.learnCreated(pool, base, quote)
    this.resolved++
    this.#end(pool)
  }

  /** It goes behind the others, so that the ones that cannot be had do not keep them waiting. */
  #failOnce(pool: string): void {
    const waiting = this.#waiting.get(pool)
    if (waiting === undefined) return
    this.#waiting.delete(pool)
    waiting.tries++
    if (waiting.tries < TRIES_MAX) {
      this.#waiting.set(pool, waiting)
      return
    }
    this.failed++
    waiting.settle()
  }

  #end(pool: string): void {
    this.#waiting.get(pool)?.settle()
    this.#waiting.delete(pool)
  }
}

/** The mints of a pool, from the data of its account; null: it is no pool. */
function mintsOfPool(data: Buffer): { readonly base: string; readonly quote: string } | null {
  if (data.length < END || !data.subarray(0, POOL.length).equals(POOL)) return null
  return {
    base: encodeBase58(data.subarray(BASE_MINT_AT, QUOTE_MINT_AT)),
    quote: encodeBase58(data.subarray(QUOTE_MINT_AT, END)),
  }
}
