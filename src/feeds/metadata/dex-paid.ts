import { LRUCache } from 'lru-cache'
import { isAddress } from '../../base/base58.ts'
import { isRecord, jsonOf, listAt } from '../../base/json-access.ts'
import type { FeedEvent } from '../../events/event.ts'
import { INITIAL_REAL_BASE_RAW } from '../../events/platform.ts'
import { wait } from '../timers.ts'
import type { Refusal } from './safe-fetch.ts'

const ORDERS_URL = 'https://api.dexscreener.com/orders/v1/solana/'
/** From one request to the next: at most 54 a minute, the service allows 60. */
export const EVERY_MS = 1_100
/** After a refusal the service is left alone for this long. */
const PAUSE_MS = 60_000
/** Times from the first question to the next ones: profiles are often paid late. */
const AGAIN_MS: readonly number[] = [600_000, 3_600_000, 21_600_000]
/** Mints that are asked about; when more come, they are left out until others are done. */
const MINTS_MAX = 5_000
/** Mints that are remembered as asked about, or as left out. */
const SEEN_MAX = 50_000

/** Asks DexScreener whether the profile of a token was paid for, slowly and only where it matters. */
export class DexPaid {
  readonly #fetchText: (url: string, stop: AbortSignal) => Promise<string | Refusal>
  readonly #onPaid: (mint: string) => void
  readonly #clockMs: () => number
  readonly #everyMs: number
  /** Real base reserves at which a curve is far enough to be asked about. */
  readonly #farRealBaseRaw: bigint
  /** Mints to ask about, with the time and the number of the next question. */
  readonly #due = new Map<string, { atMs: number; asked: number }>()
  readonly #seen = new LRUCache<string, true>({ max: SEEN_MAX })
  /** Mints that were left out: their next swaps must not count again. */
  readonly #unasked = new LRUCache<string, true>({ max: SEEN_MAX })
  #asked = 0
  #paid = 0
  #leftOut = 0

  constructor(options: {
    readonly fetchText: (url: string, stop: AbortSignal) => Promise<string | Refusal>
    readonly onPaid: (mint: string) => void
    readonly clockMs: () => number
    /** Sold percent of a curve from which its token is completing. */
    readonly completingPercent: number
    readonly everyMs?: number
  }) {
    this.#fetchText = options.fetchText
    this.#onPaid = options.onPaid
    this.#clockMs = options.clockMs
    this.#everyMs = options.everyMs ?? EVERY_MS
    const soldRaw = (INITIAL_REAL_BASE_RAW * BigInt(options.completingPercent)) / 100n
    this.#farRealBaseRaw = INITIAL_REAL_BASE_RAW - soldRaw
  }

  /** Tokens that are completing, complete or migrated are worth a question. */
  observe(event: FeedEvent): void {
    if (event.type === 'swap') {
      // Sellers fill a pool with more than is left on a curve that is far: its token has migrated all the same.
      const isFar = event.source === 'pump_amm' || event.realBaseRaw <= this.#farRealBaseRaw
      if (isFar) this.#want(event.mint)
    } else if (event.type === 'completed' || event.type === 'migrated') this.#want(event.mint)
  }

  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startMs = this.#clockMs()
      const mint = this.#next(startMs)
      const isRefused = mint !== null && !(await this.#ask(mint, signal))
      const restMs = this.#everyMs - (this.#clockMs() - startMs)
      await wait(isRefused ? PAUSE_MS : Math.max(restMs, 1), signal)
    }
  }

  figures(): Readonly<Record<string, number>> {
    return {
      dex_paid_waiting: this.#due.size,
      dex_paid_asked_total: this.#asked,
      dex_paid_found_total: this.#paid,
      dex_paid_left_out_total: this.#leftOut,
    }
  }

  #want(mint: string): void {
    if (this.#seen.has(mint) || !isAddress(mint)) return
    if (this.#due.size >= MINTS_MAX) {
      if (!this.#unasked.has(mint)) this.#leftOut += 1
      this.#unasked.set(mint, true)
      return
    }
    this.#seen.set(mint, true)
    this.#due.set(mint, { atMs: this.#clockMs(), asked: 0 })
  }

  #next(nowMs: number): string | null {
    let first: string | null = null
    let firstMs = nowMs
    for (const [mint, { atMs }] of this.#due) {
      if (atMs > firstMs || (first !== null && atMs === firstMs)) continue
      first = mint
      firstMs = atMs
    }
    return first
  }

  /** Whether the service answered. */
  async #ask(mint: string, signal: AbortSignal): Promise<boolean> {
    this.#asked += 1
    const answer = await this.#fetchText(`${ORDERS_URL}${mint}`, signal)
    if (signal.aborted) return true
    const isPaid = typeof answer === 'string' && isProfileApproved(answer)
    if (isPaid) {
      this.#paid += 1
      this.#onPaid(mint)
    }
    const asked = this.#due.get(mint)?.asked ?? 0
    const againMs = AGAIN_MS[asked]
    if (isPaid || againMs === undefined) this.#due.delete(mint)
    else this.#due.set(mint, { atMs: this.#clockMs() + againMs, asked: asked + 1 })
    return typeof answer === 'string'
  }
}

/** The answer is a list of orders, or has one in `orders`. */
function isProfileApproved(json: string): boolean {
  const value = jsonOf(json)
  const orders: readonly unknown[] = Array.isArray(value) ? value : (listAt(value, 'orders') ?? [])
  return orders.some(
    (order) => isRecord(order) && order.type === 'tokenProfile' && order.status === 'approved',
  )
}
