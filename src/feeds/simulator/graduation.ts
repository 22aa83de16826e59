import type { Random } from '../../base/random.ts'
import { Appointment } from './world/chain-clock.ts'
import { POOL_BASE_RAW } from './world/curve.ts'
import type { MarketParts } from './world/parts.ts'
import { I, quotedPoolLane, T, TOKEN_INTS, TOKEN_LANES, Trait } from './world/token-table.ts'
import { randomAddress } from './world/token-text.ts'

/** Migration follows completion within this many slots. */
const MAX_MIGRATION_DELAY_SLOTS = 10
/** New attention that a migration brings, tickets. */
const MIGRATION_TICKETS = 48
const DEX_PAID_SHARE = 0.4
/** What the migration takes of the curve's real quote. */
const MIGRATION_FEE_LAMPORTS = 15_000_001
const MIGRATION_FEE_MICRO_USDC = 2_150_000
/** Pools that buy back and burn. */
const BOOSTED_SHARE = 0.4

/** Does the pool of a token buy back and burn? */
export function drawIsBoosted(random: Random): boolean {
  return random.chance(BOOSTED_SHARE)
}

/** The end of a curve: complete, frozen for some slots, then a pool. */
export class Graduation {
  readonly #parts: MarketParts

  constructor(parts: MarketParts) {
    this.#parts = parts
  }

  /** In the transaction that bought the rest. From here on the row has the reserves of the pool to come. */
  complete(row: number): void {
    this.#parts.tokens.ints[row * TOKEN_INTS + I.traits] |= Trait.frozen
    const mint = this.#parts.tokens.mints[row]
    const bondingCurve = this.#parts.tokens.curves[row]
    this.#parts.writer.event({
      type: 'completed',
      ...this.#parts.writer.position(),
      mint,
      bondingCurve,
    })
    this.#setPoolReserves(row)
    this.#appoint(row)
    this.#parts.watched.leave(row)
  }

  #setPoolReserves(row: number): void {
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const realQuote = lanes[lane + T.virtualQuote] - lanes[lane + T.offsetQuote]
    const poolQuote = realQuote - this.#migrationFee(row)
    lanes[lane + T.virtualBase] = POOL_BASE_RAW
    lanes[lane + T.virtualQuote] = poolQuote
    lanes[lane + T.offsetQuote] = poolQuote
  }

  #appoint(row: number): void {
    this.#parts.tokens.hold(row)
    const slot = this.#parts.clock.slot + this.#parts.random.between(1, MAX_MIGRATION_DELAY_SLOTS)
    if (!this.#parts.appointments.add(slot, row, Appointment.migrate)) this.migrate(row)
  }

  /** Goes on with a token that an earlier run left complete; `hasPoolReserves`: its row stands at the pool's already. */
  resume(row: number, hasPoolReserves: boolean): void {
    this.#parts.tokens.add(row, Trait.frozen)
    if (!hasPoolReserves) this.#setPoolReserves(row)
    this.#appoint(row)
  }

  migrate(row: number): void {
    const { lanes, ints } = this.#parts.tokens
    const lane = row * TOKEN_LANES
    const int = row * TOKEN_INTS
    const poolAmm = randomAddress(this.#parts.random)
    const quoteRaw = lanes[lane + T.virtualQuote]
    lanes[lane + T.realBase] = lanes[lane + T.virtualBase]
    lanes[lane + T.offsetQuote] = 0
    lanes[lane + T.targetQuote] = Math.floor(quoteRaw * (0.4 + 2 * this.#parts.random.unit()))
    let traits = (ints[int + I.traits] | Trait.amm) & ~Trait.frozen
    if ((traits & Trait.coin) === 0 && drawIsBoosted(this.#parts.random)) traits |= Trait.boosted
    ints[int + I.traits] = traits
    ints[int + I.pool] = quotedPoolLane(this.#parts.book.address(poolAmm), traits)
    ints[int + I.tier] = 0
    const mint = this.#parts.tokens.mints[row]
    const bondingCurve = this.#parts.tokens.curves[row]
    this.#parts.writer.beginTransaction()
    this.#parts.writer.reserves(row, 'pool_opened')
    const position = this.#parts.writer.position()
    this.#parts.writer.event({ type: 'migrated', ...position, mint, bondingCurve, poolAmm })
    if (this.#parts.random.chance(DEX_PAID_SHARE)) {
      const { timestamp } = position
      this.#parts.writer.event({ type: 'metadata', timestamp, mint, dexPaid: true })
    }
    this.#parts.tickets.add(row, MIGRATION_TICKETS)
    this.#parts.tokens.release(row)
  }

  /** What the migration takes; of a coin's curve nothing, as no such migration was seen on chain. */
  #migrationFee(row: number): number {
    if (this.#parts.tokens.has(row, Trait.coin)) return 0
    return this.#parts.tokens.has(row, Trait.usdc)
      ? MIGRATION_FEE_MICRO_USDC
      : MIGRATION_FEE_LAMPORTS
  }
}
