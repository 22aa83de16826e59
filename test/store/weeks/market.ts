import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { USDC_MINT } from '../../../src/events/platform.ts'
import { created, migrated, START_SECOND, swap } from '../../oracle/fixtures.ts'
import type { Random } from '../../oracle/random.ts'

const SLOTS_PER_SECOND = 2.5
const DAY_SLOTS = 216_000
const MINTS = 20
const WALLETS = 60
/** Wallets that trade in every mint. */
const BUSY_WALLETS = 6
/** Events behind its place that a late one comes. */
const LATE_EVENTS = 12
/** Events that may come twice. */
const PAST = 300
const REAL_BASE = 793_100_000_000_000n

/**
 * Tokens over days: busy, quiet and awake again, told late, twice or never, with creations that change the
 * prices of all trades before them, and migrations and metadata of tokens that have rested for long.
 */
export class WeeksMarket {
  readonly #random: Random
  readonly #migrated = new Set<string>()
  readonly #told = new Set<string>()
  readonly #late: { event: FeedEvent; at: number }[] = []
  readonly #past: FeedEvent[] = []
  #slot = 100_000
  #events = 0
  #busy = 0

  constructor(random: Random) {
    this.#random = random
  }

  /** The next event as it arrives. */
  next(): FeedEvent {
    const random = this.#random
    const [again] = random.chance(0.02) ? this.#past.slice(random.integer(0, PAST)) : []
    if (again?.type === 'swap' && random.chance(0.4)) return { ...again, baseRaw: 17n }
    if (again !== undefined) return again
    const event = this.#arriving()
    this.#past.unshift(event)
    this.#past.length = Math.min(this.#past.length, PAST)
    return event
  }

  #arriving(): FeedEvent {
    const random = this.#random
    this.#events += 1
    this.#passTime()
    const due = this.#late.findIndex(({ at }) => at <= this.#events)
    if (due >= 0) return this.#late.splice(due, 1)[0]?.event ?? this.#arriving()
    const event = this.#happening()
    const isLate = event.type === 'swap' ? random.chance(0.12) : random.chance(0.3)
    if (!isLate || event.type === 'metadata' || event.type === 'sol_price') return event
    this.#late.push({ event, at: this.#events + random.integer(1, LATE_EVENTS) })
    return this.#arriving()
  }

  #passTime(): void {
    const random = this.#random
    if (random.chance(0.5)) this.#slot += random.integer(0, 3)
    if (random.chance(0.02)) this.#slot += random.integer(4, 90)
    if (random.chance(0.003))
      this.#slot += random.pick([500, 9_000, DAY_SLOTS - 20, DAY_SLOTS + 3] as const)
    if (random.chance(0.02)) this.#busy = random.integer(0, MINTS - 1)
  }

  #happening(): FeedEvent {
    const random = this.#random
    const number = random.chance(0.75) ? this.#busy : random.integer(0, MINTS - 1)
    const mint = `mint ${number} ${['pump', 'moon'][number % 2]}`
    const timestamp = this.#second
    if (random.chance(0.01))
      return { type: 'sol_price', timestamp, usd: random.integer(9_000, 30_000) / 97 }
    if (random.chance(0.03)) {
      const texts = { twitter: `https://x.com/h${random.integer(1, 5)}`, website: 'https://e.org' }
      return { type: 'metadata', timestamp, mint, ...texts, dexPaid: random.chance(0.5) }
    }
    if (random.chance(0.02) && !this.#told.has(mint)) return this.#birth(mint)
    const named = { ...this.#place(), ordinal: 0, mint, bondingCurve: `curve of ${mint}` }
    const signature = `event ${this.#events}`
    if (random.chance(0.004)) return { type: 'completed', ...named, signature }
    if (random.chance(0.994)) return this.#trade(mint)
    this.#migrated.add(mint)
    return migrated({ ...named, signature, poolAmm: `pool of ${mint}` })
  }

  get #second(): number {
    return START_SECOND + Math.floor(this.#slot / SLOTS_PER_SECOND)
  }

  #place() {
    const random = this.#random
    const drift = random.chance(0.03) ? random.integer(-3, 3) : 0
    const txIndex = random.chance(0.05) ? null : this.#events
    return {
      slot: this.#slot,
      txIndex,
      ordinal: random.integer(0, 2),
      timestamp: this.#second + drift,
    }
  }

  #birth(mint: string): FeedEvent {
    const random = this.#random
    const ago = random.pick([0, 1, 5, 40, 1_000, 50_000] as const)
    const solMint = '11111111111111111111111111111111'
    const quoteMint = random.pick([solMint, solMint, USDC_MINT, 'another quote'] as const)
    this.#told.add(mint)
    return created({
      ...this.#place(),
      slot: this.#slot - ago,
      timestamp: this.#second - Math.floor(ago / SLOTS_PER_SECOND),
      mint,
      signature: `create ${mint}`,
      name: `Name ${mint}`,
      creator: this.#wallet(),
      bondingCurve: random.chance(0.8) ? `curve of ${mint}` : this.#wallet(),
      decimals: random.pick([6, 6, 9, 0] as const),
      quoteMint,
    })
  }

  #trade(mint: string): FeedEvent {
    const random = this.#random
    const isAmm = this.#migrated.has(mint) ? random.chance(0.95) : random.chance(0.002)
    const given: Partial<Swap> = {
      ...(random.chance(0.05) && { pro: random.chance(0.5) }),
      ...(random.chance(0.05) && { fresh: random.chance(0.5) }),
      ...(random.chance(0.1) && { baseBalanceAfterRaw: BigInt(random.integer(0, 10 ** 12)) }),
      ...(random.chance(0.05) && { solPriceUsd: random.integer(10_000, 30_000) / 97 }),
      ...(random.chance(0.05) && { quoteMint: USDC_MINT }),
    }
    return swap({
      ...this.#place(),
      mint,
      pool: `${isAmm ? 'pool' : 'curve'} of ${mint}`,
      source: isAmm ? 'pump_amm' : 'pump',
      signature: random.chance(0.1) ? `of slot ${this.#slot}` : random.base58(88),
      signer: this.#wallet(),
      direction: random.chance(0.58) ? 'buy' : 'sell',
      baseRaw: BigInt(random.integer(1, 10 ** 12)),
      quoteRaw: BigInt(random.integer(1, 10 ** 10)),
      virtualQuoteRaw: BigInt(random.integer(10 ** 9, 10 ** 11)),
      realBaseRaw: (REAL_BASE * BigInt(random.integer(random.chance(0.02) ? 0 : 1, 100))) / 100n,
      ...given,
    })
  }

  #wallet(): string {
    const random = this.#random
    return `wallet ${random.integer(1, random.chance(0.3) ? BUSY_WALLETS : WALLETS)}`
  }
}
