import type { Random } from '../../base/random.ts'
import { Flag } from '../../events/swap-record.ts'
import { Births } from './births.ts'
import type { Crowd } from './crowd.ts'
import type { ReserveMoves } from './reserve-moves.ts'
import type { SizeDraw } from './size-draw.ts'
import { QUANTILES, TICKETS } from './trade-sizes.ts'
import { Appointment, type Appointments } from './world/appointments.ts'
import type { ChainClock } from './world/chain-clock.ts'
import type { HolderTable } from './world/holder-table.ts'
import type { Holdings } from './world/holdings.ts'
import type { MarketParts } from './world/parts.ts'
import { A, type SwapWriter } from './world/swap-writer.ts'
import type { TicketPool } from './world/ticket-pool.ts'
import { I, TOKEN_INTS, type TokenTable, Trait } from './world/token-table.ts'
import type { WalletPool } from './world/wallet-pool.ts'

/** Tokens quoted in another token of the market. */
const COIN_SHARE = 0.03
/** Tokens that are looked at for a quote coin, and how many of those must have graduated. */
const QUOTE_DRAWS = 16
const GRADUATED_DRAWS = 10
/** Trades that a coin has seen before another is quoted in it. */
const QUOTE_MIN_TRADES = 12
const REPRICED_SHARE = 0.3
const CREATOR_BUYS_SHARE = 0.85
const FORWARDS_SHARE = 0.06
const WHOLE_CURVE_SHARE = 0.0005
const BUNDLE_SHARE = 0.15
const SNIPED_SHARE = 0.45
const MAX_SNIPERS = 4
const MAX_SNIPE_DELAY_SLOTS = 3
/** Smallest buy of a bundle, lamports. */
const BUNDLE_MIN_LAMPORTS = 50_000_000
const RUNNER_MIN_TICKETS = 96
const INSIDER = Flag.insiderGiven | Flag.insiderValue
const NO_QUOTE_COIN = Trait.mayhem | Trait.coin | Trait.frozen

/** `quiet`: without first trades; `old`: quiet, and from before the market's day. */
export type LaunchKind = 'noticed' | 'quiet' | 'old'

export interface LauncherParts extends MarketParts {
  readonly crowd: Crowd
  readonly sizes: SizeDraw
  readonly holdings: Holdings
  readonly moves: ReserveMoves
}

/** Launches tokens, with all that happens around the first block. */
export class Launcher {
  readonly #tokens: TokenTable
  readonly #tickets: TicketPool
  readonly #appointments: Appointments
  readonly #holders: HolderTable
  readonly #wallets: WalletPool
  readonly #crowd: Crowd
  readonly #sizes: SizeDraw
  readonly #holdings: Holdings
  readonly #moves: ReserveMoves
  readonly #clock: ChainClock
  readonly #writer: SwapWriter
  readonly #random: Random
  readonly #births: Births

  constructor(parts: LauncherParts) {
    this.#tokens = parts.tokens
    this.#tickets = parts.tickets
    this.#appointments = parts.appointments
    this.#holders = parts.holders
    this.#wallets = parts.wallets
    this.#crowd = parts.crowd
    this.#sizes = parts.sizes
    this.#holdings = parts.holdings
    this.#moves = parts.moves
    this.#clock = parts.clock
    this.#writer = parts.writer
    this.#random = parts.random
    this.#births = new Births(parts)
  }

  launch(kind: LaunchKind): void {
    if (this.#tokens.isFull) return
    const quoteRow = this.#random.chance(COIN_SHARE) ? this.#drawQuoteRow() : -1
    const row = this.#tokens.take()
    this.#writer.beginTransaction()
    this.#births.create(row, quoteRow, kind === 'old')
    if (this.#tokens.has(row, Trait.mayhem) && this.#random.chance(REPRICED_SHARE))
      this.#moves.reprice(row, this.#moves.drawOffsetShare())
    if (kind === 'noticed') this.#firstTrades(row)
    const isRunner = this.#tokens.has(row, Trait.runner)
    const drawn = TICKETS[this.#random.below(QUANTILES)]
    this.#tickets.add(row, isRunner ? Math.max(RUNNER_MIN_TICKETS, drawn) : drawn)
    this.#tokens.release(row)
  }

  /** A sniper's buy some slots after the launch. */
  snipe(row: number): void {
    if (!this.#tokens.has(row, Trait.frozen)) {
      this.#writer.beginTransaction()
      this.#crowd.buySome(row, this.#wallets.bot())
    }
    this.#tokens.release(row)
  }

  /** Hands over what is still late. */
  flush(): void {
    this.#births.flush()
  }

  /** A coin that is known already, better one that has graduated; -1 when none was found. */
  #drawQuoteRow(): number {
    for (let i = 0; i < QUOTE_DRAWS && !this.#tickets.isEmpty; i++) {
      const row = this.#tickets.draw()
      const int = row * TOKEN_INTS
      const traits = this.#tokens.ints[int + I.traits]
      if ((traits & NO_QUOTE_COIN) !== 0) continue
      if ((traits & Trait.amm) !== 0) return row
      if (i >= GRADUATED_DRAWS && this.#tokens.ints[int + I.trades] >= QUOTE_MIN_TRADES) return row
    }
    return -1
  }

  /** Creator, bundle, snipers. */
  #firstTrades(row: number): void {
    const random = this.#random
    if (random.chance(CREATOR_BUYS_SHARE)) this.#creatorBuys(row)
    if (random.chance(BUNDLE_SHARE)) this.#bundle(row)
    if (!random.chance(SNIPED_SHARE)) return
    for (let i = random.between(1, MAX_SNIPERS); i > 0; i--) {
      this.#tokens.hold(row)
      const delaySlots = random.below(MAX_SNIPE_DELAY_SLOTS + 1)
      const slot = this.#clock.slot + delaySlots
      if (delaySlots === 0 || !this.#appointments.add(slot, row, Appointment.snipe)) this.snipe(row)
    }
  }

  /** In the transaction of the creation. Some spread what they got to other wallets in it. */
  #creatorBuys(row: number): void {
    const isWhole = this.#random.chance(WHOLE_CURVE_SHARE)
    this.#sizes.draw(row, 3)
    // Far more than the curve has: the buy is cut to exactly the rest.
    const launchQuote = this.#tokens.launchQuote[row]
    if (isWhole) this.#writer.amounts[A.quote] = launchQuote * 10
    const place = this.#crowd.buyGiven(row, this.#tokens.ints[row * TOKEN_INTS + I.creator], 0)
    if (place < 0) return
    this.#holders.knowCreator(row, place)
    if (this.#random.chance(FORWARDS_SHARE)) this.#holdings.spread(row, place)
  }

  /** Several signers in the block of the launch, at times in one transaction. */
  #bundle(row: number): void {
    const random = this.#random
    const isOneTransaction = random.chance(0.4)
    const flags = random.chance(0.1) ? INSIDER : 0
    const signers = random.between(2, 6)
    for (let i = 0; i < signers; i++) {
      if (this.#tokens.has(row, Trait.frozen)) return
      if (i === 0 || !isOneTransaction) this.#writer.beginTransaction()
      const wallet = random.chance(0.7) ? this.#wallets.fresh() : this.#wallets.trader()
      this.#sizes.draw(row, 2)
      const least = BUNDLE_MIN_LAMPORTS * this.#sizes.quotePerLamport(row)
      this.#writer.amounts[A.quote] = Math.max(Math.ceil(least), this.#writer.amounts[A.quote])
      this.#crowd.buyGiven(row, wallet, flags)
    }
  }
}
