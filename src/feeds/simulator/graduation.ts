import type { Random } from '../../base/random.ts'
import { Appointment, type Appointments } from './appointments.ts'
import type { ChainClock } from './chain-clock.ts'
import { MIGRATION_FEE_LAMPORTS, MIGRATION_FEE_MICRO_USDC, POOL_BASE_RAW } from './curve.ts'
import type { Interner } from './interner.ts'
import type { MarketParts } from './parts.ts'
import { randomAddress } from './random-text.ts'
import type { SwapWriter } from './swap-writer.ts'
import type { TicketPool } from './ticket-pool.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'

/** Migration follows completion within this many slots. */
const MAX_MIGRATION_DELAY_SLOTS = 10
/** New attention that a migration brings, tickets. */
const MIGRATION_TICKETS = 48
const DEX_PAID_SHARE = 0.4

export type GraduationParts = Pick<
  MarketParts,
  'tokens' | 'tickets' | 'appointments' | 'clock' | 'writer' | 'book' | 'random'
>

/** The end of a curve: complete, frozen for some slots, then a pool. */
export class Graduation {
  readonly #tokens: TokenTable
  readonly #tickets: TicketPool
  readonly #appointments: Appointments
  readonly #clock: ChainClock
  readonly #writer: SwapWriter
  readonly #book: Interner
  readonly #random: Random

  constructor(parts: GraduationParts) {
    this.#tokens = parts.tokens
    this.#tickets = parts.tickets
    this.#appointments = parts.appointments
    this.#clock = parts.clock
    this.#writer = parts.writer
    this.#book = parts.book
    this.#random = parts.random
  }

  /** In the transaction that bought the rest. */
  complete(row: number): void {
    this.#tokens.ints[row * TOKEN_INTS + I.traits] |= Trait.frozen
    const mint = this.#tokens.mints[row]
    const bondingCurve = this.#tokens.curves[row]
    this.#writer.event({ type: 'completed', ...this.#writer.position(), mint, bondingCurve })
    this.#tokens.hold(row)
    const slot = this.#clock.slot + this.#random.between(1, MAX_MIGRATION_DELAY_SLOTS)
    if (!this.#appointments.add(slot, row, Appointment.migrate)) this.migrate(row)
  }

  migrate(row: number): void {
    const { lanes, ints } = this.#tokens
    const lane = row * TOKEN_LANES
    const int = row * TOKEN_INTS
    const poolAmm = randomAddress(this.#random)
    const isUsdc = this.#tokens.has(row, Trait.usdc)
    const feeRaw = isUsdc ? MIGRATION_FEE_MICRO_USDC : MIGRATION_FEE_LAMPORTS
    const quoteRaw = lanes[lane + T.virtualQuote] - lanes[lane + T.launchQuote] - feeRaw
    lanes[lane + T.virtualBase] = POOL_BASE_RAW
    lanes[lane + T.realBase] = POOL_BASE_RAW
    lanes[lane + T.virtualQuote] = quoteRaw
    lanes[lane + T.targetQuote] = Math.floor(quoteRaw * (0.4 + 2 * this.#random.unit()))
    ints[int + I.pool] = this.#book.address(poolAmm)
    ints[int + I.traits] = (ints[int + I.traits] | Trait.amm) & ~Trait.frozen
    ints[int + I.tier] = 0
    const mint = this.#tokens.mints[row]
    const bondingCurve = this.#tokens.curves[row]
    this.#writer.beginTransaction()
    const position = this.#writer.position()
    this.#writer.event({ type: 'migrated', ...position, mint, bondingCurve, poolAmm })
    if (this.#random.chance(DEX_PAID_SHARE)) {
      const { timestamp } = position
      this.#writer.event({ type: 'metadata', timestamp, mint, dexPaid: true })
    }
    this.#tickets.add(row, MIGRATION_TICKETS)
    this.#tokens.release(row)
  }
}
