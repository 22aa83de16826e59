import type { Random } from '../../base/random.ts'
import type { Metadata, TokenCreated } from '../../engine/event.ts'
import { USDC_MINT } from '../../engine/platform.ts'
import { Flag } from '../../engine/swap-record.ts'
import { Appointment, type Appointments } from './appointments.ts'
import type { ChainClock } from './chain-clock.ts'
import type { Crowd } from './crowd.ts'
import {
  REAL_BASE_RAW,
  SUPPLY_RAW,
  VIRTUAL_BASE_RAW,
  VIRTUAL_QUOTE_LAMPORTS,
  VIRTUAL_QUOTE_MICRO_USDC,
} from './curve.ts'
import type { Interner } from './interner.ts'
import type { MarketParts } from './parts.ts'
import { randomAddress, randomMint } from './random-text.ts'
import { A, type SwapWriter } from './swap-writer.ts'
import type { TicketPool } from './ticket-pool.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, type TokenTable, Trait } from './token-table.ts'
import { CreatorSource, TokenTextSource } from './token-text.ts'
import { QUANTILES, TICKETS } from './trade-sizes.ts'
import type { WalletPool } from './wallet-pool.ts'

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
/** Millionths of a dollar a lamport at 150 dollars per SOL: trade sizes of USDC tokens. */
const MICRO_USDC_PER_LAMPORT = 0.15

const SUFFIX_SHARE = 0.9
const MAYHEM_SHARE = 0.18
const USDC_SHARE = 0.05
const RUNNER_SHARE = 0.012
const METADATA_SHARE = 0.92
const DEX_PAID_SHARE = 0.01
const CREATOR_BUYS_SHARE = 0.85
const WHOLE_CURVE_SHARE = 0.0005
const BUNDLE_SHARE = 0.15
const SNIPED_SHARE = 0.45
const MAX_SNIPERS = 4
const MAX_SNIPE_DELAY_SLOTS = 3
/** Smallest buy of a bundle, lamports. */
const BUNDLE_MIN_LAMPORTS = 50_000_000
/** Runners trade in larger sizes. */
const RUNNER_SIZE = 6
const RUNNER_MIN_TICKETS = 96
/** Ordinary tokens never see this virtual quote, in launch quotes; 3.83 completes a curve. */
const MAX_ORDINARY_TARGET = 2.8
const INSIDER = Flag.insiderGiven | Flag.insiderValue

export interface LauncherParts extends Omit<MarketParts, 'holders'> {
  readonly crowd: Crowd
}

/** Launches tokens, with all that happens around the first block. */
export class Launcher {
  readonly #tokens: TokenTable
  readonly #tickets: TicketPool
  readonly #appointments: Appointments
  readonly #wallets: WalletPool
  readonly #crowd: Crowd
  readonly #clock: ChainClock
  readonly #writer: SwapWriter
  readonly #book: Interner
  readonly #random: Random
  readonly #text: TokenTextSource
  readonly #creators: CreatorSource
  /** Metadata arrives after the token: with the next launch. */
  #late: Metadata | null = null

  constructor(parts: LauncherParts) {
    this.#tokens = parts.tokens
    this.#tickets = parts.tickets
    this.#appointments = parts.appointments
    this.#wallets = parts.wallets
    this.#crowd = parts.crowd
    this.#clock = parts.clock
    this.#writer = parts.writer
    this.#book = parts.book
    this.#random = parts.random
    this.#text = new TokenTextSource(parts.random)
    this.#creators = new CreatorSource(parts.random)
  }

  /** A launch with its first trades; without them when `quiet`. */
  launch(quiet: boolean): void {
    if (this.#tokens.isFull) return
    const row = this.#tokens.take()
    this.#writer.beginTransaction()
    this.#create(row)
    if (!quiet) this.#firstTrades(row)
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
    if (this.#late !== null) this.#writer.event({ ...this.#late, ...this.#stamp() })
    this.#late = null
  }

  #stamp(): { timestamp: number } {
    return { timestamp: this.#clock.timestamp }
  }

  #create(row: number): void {
    const random = this.#random
    const traits = this.#drawTraits()
    const isUsdc = (traits & Trait.usdc) !== 0
    const mint = randomMint(random, random.chance(SUFFIX_SHARE))
    const bondingCurve = randomAddress(random)
    const creator = this.#creators.address()
    const virtualQuoteRaw = isUsdc ? VIRTUAL_QUOTE_MICRO_USDC : VIRTUAL_QUOTE_LAMPORTS
    this.#fillRow(row, traits, virtualQuoteRaw)
    const int = row * TOKEN_INTS
    this.#tokens.ints[int + I.token] = this.#book.token(mint)
    this.#tokens.ints[int + I.pool] = this.#book.address(bondingCurve)
    this.#tokens.ints[int + I.creator] = this.#book.wallet(creator)
    this.#tokens.mints[row] = mint
    this.#tokens.curves[row] = bondingCurve
    const created: TokenCreated = {
      type: 'token_created',
      ...this.#writer.position(),
      ...{ mint, ...this.#text.text(), creator, bondingCurve, tokenProgram: TOKEN_2022 },
      isMayhemMode: (traits & Trait.mayhem) !== 0,
      supplyRaw: BigInt(SUPPLY_RAW),
      decimals: 6,
      virtualBaseRaw: BigInt(VIRTUAL_BASE_RAW),
      virtualQuoteRaw: BigInt(virtualQuoteRaw),
      realBaseRaw: BigInt(REAL_BASE_RAW),
      ...(isUsdc ? { quoteMint: USDC_MINT } : {}),
    }
    this.#announce(created)
  }

  #announce(created: TokenCreated): void {
    const late = this.#late
    if (late !== null) this.#writer.event({ ...late, ...this.#stamp() })
    this.#writer.event(created)
    this.#late = null
    if (!this.#random.chance(METADATA_SHARE)) return
    const { mint, name, timestamp } = created
    const paid = this.#random.chance(DEX_PAID_SHARE) ? { dexPaid: true } : {}
    this.#late = { type: 'metadata', timestamp, mint, ...this.#text.links(name), ...paid }
  }

  #drawTraits(): number {
    const random = this.#random
    let traits = random.chance(RUNNER_SHARE) ? Trait.runner : 0
    if (random.chance(USDC_SHARE)) traits |= Trait.usdc
    else if (random.chance(MAYHEM_SHARE / (1 - USDC_SHARE))) traits |= Trait.mayhem
    return traits
  }

  #fillRow(row: number, traits: number, virtualQuoteRaw: number): void {
    const random = this.#random
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const isRunner = (traits & Trait.runner) !== 0
    const unit = random.unit()
    const target = 1.02 + (MAX_ORDINARY_TARGET - 1.02) * unit * unit * unit
    lanes[lane + T.virtualBase] = VIRTUAL_BASE_RAW
    lanes[lane + T.virtualQuote] = virtualQuoteRaw
    lanes[lane + T.realBase] = REAL_BASE_RAW
    lanes[lane + T.targetQuote] = virtualQuoteRaw * (isRunner ? 10 : target)
    lanes[lane + T.launchQuote] = virtualQuoteRaw
    const unitSize = (traits & Trait.usdc) !== 0 ? MICRO_USDC_PER_LAMPORT : 1
    lanes[lane + T.sizeFactor] = isRunner ? unitSize * RUNNER_SIZE : unitSize
    lanes[lane + T.dumpAt] = random.between(3, 40)
    this.#tokens.ints[row * TOKEN_INTS + I.traits] = traits
  }

  /** Creator, bundle, snipers. */
  #firstTrades(row: number): void {
    const random = this.#random
    if (random.chance(CREATOR_BUYS_SHARE)) {
      const isWhole = random.chance(WHOLE_CURVE_SHARE)
      this.#crowd.drawSize(row, 3)
      // Far more than the curve has: the buy is cut to exactly the rest.
      const launchQuote = this.#tokens.lanes[row * TOKEN_LANES + T.launchQuote]
      if (isWhole) this.#writer.amounts[A.quote] = launchQuote * 10
      this.#crowd.buyGiven(row, this.#tokens.ints[row * TOKEN_INTS + I.creator], 0)
    }
    if (random.chance(BUNDLE_SHARE)) this.#bundle(row)
    if (!random.chance(SNIPED_SHARE)) return
    for (let i = random.between(1, MAX_SNIPERS); i > 0; i--) {
      this.#tokens.hold(row)
      const delaySlots = random.below(MAX_SNIPE_DELAY_SLOTS + 1)
      const slot = this.#clock.slot + delaySlots
      if (delaySlots === 0 || !this.#appointments.add(slot, row, Appointment.snipe)) this.snipe(row)
    }
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
      this.#crowd.drawSize(row, 2)
      const least = BUNDLE_MIN_LAMPORTS * this.#tokens.lanes[row * TOKEN_LANES + T.sizeFactor]
      this.#writer.amounts[A.quote] = Math.max(Math.ceil(least), this.#writer.amounts[A.quote])
      this.#crowd.buyGiven(row, wallet, flags)
    }
  }
}
