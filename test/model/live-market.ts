import { type FeedEvent, RESERVES_REASONS } from '../../src/events/event.ts'
import { balance, created, reserves, START_SECOND, swap } from '../oracle/fixtures.ts'
import type { Random } from '../oracle/random.ts'

const SLOTS_PER_SECOND = 2.5
const INITIAL_REAL_BASE = 793_100_000_000_000n
const PLATFORMS = ['pump', 'moon', 'other'] as const

const [FIRST_REASON, ...OTHER_REASONS] = RESERVES_REASONS

/**
 * A market of many tokens that are born, trade, complete and migrate, some of it told late. Some are
 * quoted in others, some are re-priced without a trade, some wallets are handed tokens.
 */
export class LiveMarket {
  readonly mints: string[] = []
  readonly #random: Random
  readonly #mintsMax: number
  readonly #migrated = new Set<string>()
  readonly #late: FeedEvent[] = []
  #slot = 1_000
  #events = 0

  /** At most so many tokens are born. */
  constructor(random: Random, mintsMax: number) {
    this.#random = random
    this.#mintsMax = mintsMax
  }

  get second(): number {
    return START_SECOND + Math.floor(this.#slot / SLOTS_PER_SECOND)
  }

  /** The next event as it arrives. */
  next(): FeedEvent {
    const random = this.#random
    this.#events += 1
    if (random.chance(0.6)) this.#slot += random.integer(0, 3)
    if (random.chance(0.004)) this.#slot += random.integer(1, 40_000)
    if (this.#late.length > 0 && random.chance(0.1)) return this.#late.shift() ?? this.#trade()
    if (random.chance(0.02))
      return { type: 'sol_price', timestamp: this.second, usd: 150 + random.integer(0, 30) }
    if (this.mints.length < this.#mintsMax && random.chance(0.15)) return this.#birth()
    if (this.mints.length === 0) return this.#birth()
    if (random.chance(0.05)) return this.#metadata()
    if (random.chance(0.01)) return this.#migration()
    if (random.chance(0.04)) return this.#reserves()
    if (random.chance(0.04)) return this.#balance()
    const event = this.#trade()
    if (!random.chance(0.12)) return event
    this.#late.push(event)
    return this.#trade()
  }

  #place() {
    return { slot: this.#slot, txIndex: this.#events, timestamp: this.second }
  }

  #birth(): FeedEvent {
    const mint = `mint ${this.mints.length} ${this.#random.pick(PLATFORMS)}`
    const [first, ...others] = this.mints
    const coin =
      first !== undefined && this.#random.chance(0.15)
        ? this.#random.pick([first, ...others])
        : null
    this.mints.push(mint)
    return created({
      ...this.#place(),
      mint,
      signature: `create ${this.#events}`,
      name: `Name "${this.mints.length}" \\ {[`,
      creator: `creator ${this.#random.integer(1, 9)}`,
      bondingCurve: `curve of ${mint}`,
      realBaseRaw: INITIAL_REAL_BASE,
      ...(coin !== null && { quoteMint: coin }),
    })
  }

  #reserves(): FeedEvent {
    const random = this.#random
    const mint = random.pick([this.mints[0] ?? '', ...this.mints])
    return reserves({
      ...this.#place(),
      mint,
      source: this.#migrated.has(mint) ? 'pump_amm' : 'pump',
      signature: `reserves ${this.#events}`,
      virtualQuoteRaw: BigInt(random.integer(10 ** 10, 10 ** 11)),
      realBaseRaw: (INITIAL_REAL_BASE * BigInt(random.integer(1, 100))) / 100n,
      reason: random.pick([FIRST_REASON, ...OTHER_REASONS]),
      ...(random.chance(0.2) && { supplyRaw: BigInt(random.integer(10 ** 14, 10 ** 15)) }),
    })
  }

  #balance(): FeedEvent {
    const random = this.#random
    return balance({
      ...this.#place(),
      mint: random.pick([this.mints[0] ?? '', ...this.mints]),
      signature: `balance ${this.#events}`,
      wallet: `wallet ${random.integer(1, 60)}`,
      balanceRaw: BigInt(random.pick([0, random.integer(1, 10 ** 13)])),
    })
  }

  #trade(): FeedEvent {
    const random = this.#random
    this.#events += 1
    const mint = random.pick([this.mints[0] ?? '', ...this.mints])
    const isAmm = this.#migrated.has(mint)
    return swap({
      ...this.#place(),
      mint,
      pool: isAmm ? `pool of ${mint}` : `curve of ${mint}`,
      source: isAmm ? 'pump_amm' : 'pump',
      signature: `swap ${this.#events}`,
      signer: `wallet ${random.integer(1, 40)}`,
      direction: random.chance(0.6) ? 'buy' : 'sell',
      baseRaw: BigInt(random.integer(1, 10 ** 12)),
      quoteRaw: BigInt(random.integer(1, 10 ** 10)),
      virtualQuoteRaw: BigInt(random.integer(10 ** 10, 10 ** 11)),
      realBaseRaw: (INITIAL_REAL_BASE * BigInt(random.integer(1, 100))) / 100n,
    })
  }

  #metadata(): FeedEvent {
    const random = this.#random
    const timestamp = this.second
    const mint = random.pick([this.mints[0] ?? '', ...this.mints])
    return random.chance(0.5)
      ? {
          type: 'metadata',
          timestamp,
          mint,
          twitter: `https://x.com/handle${random.integer(1, 5)}`,
        }
      : { type: 'metadata', timestamp, mint, dexPaid: true, website: 'https://example.org' }
  }

  #migration(): FeedEvent {
    const mint = this.#random.pick([this.mints[0] ?? '', ...this.mints])
    this.#migrated.add(mint)
    return {
      type: 'migrated',
      ...this.#place(),
      ordinal: 0,
      signature: `migrate ${this.#events}`,
      mint,
      bondingCurve: `curve of ${mint}`,
      poolAmm: `pool of ${mint}`,
    }
  }
}
