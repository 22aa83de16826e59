import { mulDivFloor } from '../../base/muldiv.ts'
import type { Random } from '../../base/random.ts'
import type { Metadata, TokenCreated } from '../../events/event.ts'
import { USDC_MINT } from '../../events/platform.ts'
import { Flag } from '../../events/swap-record.ts'
import type { Crowd } from './crowd.ts'
import { drawIsRunner, MAX_ORDINARY_TARGET, RUNNER_TARGET, sizeFactorOf } from './expectations.ts'
import type { ReserveMoves } from './reserve-moves.ts'
import { QUANTILES, type SizeDraw, TICKETS } from './size-draw.ts'
import { Appointment, type Appointments } from './world/appointments.ts'
import type { ChainClock } from './world/chain-clock.ts'
import {
  COIN_DECIMALS,
  MAYHEM_SUPPLY_RAW,
  REAL_BASE_RAW,
  SUPPLY_RAW,
  VIRTUAL_BASE_RAW,
  VIRTUAL_QUOTE_LAMPORTS,
  VIRTUAL_QUOTE_MICRO_USDC,
} from './world/curve.ts'
import type { HolderTable } from './world/holder-table.ts'
import type { Holdings } from './world/holdings.ts'
import type { Interner } from './world/interner.ts'
import type { MarketParts } from './world/parts.ts'
import { A, type SwapWriter } from './world/swap-writer.ts'
import type { TicketPool } from './world/ticket-pool.ts'
import {
  I,
  quotedPoolLane,
  T,
  TOKEN_INTS,
  TOKEN_LANES,
  type TokenTable,
  Trait,
} from './world/token-table.ts'
import { CreatorSource, randomAddress, randomMint, TokenTextSource } from './world/token-text.ts'
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
const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'
const SUFFIX_SHARE = 0.9
const MAYHEM_SHARE = 0.18
const USDC_SHARE = 0.05
/** New cashback coins are refused since September 2026: only old tokens are some. */
const CASHBACK_SHARE_OF_OLD = 0.3
const METADATA_SHARE = 0.92
const DEX_PAID_SHARE = 0.01

/** `quiet`: without first trades; `old`: quiet, and from before the market's day. */
type LaunchKind = 'noticed' | 'quiet' | 'old'

interface LauncherParts extends MarketParts {
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

type BirthsParts = Pick<MarketParts, 'tokens' | 'clock' | 'writer' | 'book' | 'random'>

/** Draws new tokens and tells their creation. */
class Births {
  readonly #tokens: TokenTable
  readonly #clock: ChainClock
  readonly #writer: SwapWriter
  readonly #book: Interner
  readonly #random: Random
  readonly #text: TokenTextSource
  readonly #creators: CreatorSource
  /** Metadata arrives after the token: with the next launch. */
  #late: Metadata | null = null

  constructor(parts: BirthsParts) {
    this.#tokens = parts.tokens
    this.#clock = parts.clock
    this.#writer = parts.writer
    this.#book = parts.book
    this.#random = parts.random
    this.#text = new TokenTextSource(parts.random)
    this.#creators = new CreatorSource(parts.random)
  }

  /** Fills a taken row; `quoteRow` is that of the coin it is quoted in, -1 for SOL or USDC. */
  create(row: number, quoteRow: number, isOld: boolean): void {
    const random = this.#random
    const traits = this.#drawTraits(quoteRow >= 0, isOld)
    const mint = randomMint(random, random.chance(SUFFIX_SHARE))
    const bondingCurve = randomAddress(random)
    const creator = this.#creators.address()
    this.#tokens.mints[row] = mint
    this.#tokens.curves[row] = bondingCurve
    this.#tokens.creators[row] = creator
    const quoteMint = this.#quoteMint(traits, quoteRow)
    this.#fillInts(row, traits, quoteRow, quoteMint)
    const virtualQuote = this.#launchQuote(traits, quoteRow)
    this.#fillLanes(row, traits, virtualQuote)
    const created: TokenCreated = {
      type: 'token_created',
      ...this.#writer.position(),
      ...{ mint, ...this.#text.text(), creator, bondingCurve, tokenProgram: TOKEN_2022 },
      isMayhemMode: (traits & Trait.mayhem) !== 0,
      supplyRaw: BigInt(SUPPLY_RAW),
      decimals: COIN_DECIMALS,
      virtualBaseRaw: BigInt(VIRTUAL_BASE_RAW),
      virtualQuoteRaw: BigInt(virtualQuote),
      realBaseRaw: BigInt(REAL_BASE_RAW),
      ...(quoteMint === '' ? {} : { quoteMint }),
      ...((traits & Trait.coin) === 0 ? {} : { quoteDecimals: COIN_DECIMALS }),
    }
    this.#announce(created)
  }

  /** Hands over what is still late. */
  flush(): void {
    if (this.#late !== null) this.#writer.event({ ...this.#late, ...this.#stamp() })
    this.#late = null
  }

  #stamp(): { timestamp: number } {
    return { timestamp: this.#clock.timestamp }
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

  #drawTraits(isCoin: boolean, isOld: boolean): number {
    const random = this.#random
    let traits = drawIsRunner(random) ? Trait.runner : 0
    if (isCoin) traits |= Trait.coin
    else if (random.chance(USDC_SHARE)) traits |= Trait.usdc
    else if (random.chance(MAYHEM_SHARE / (1 - USDC_SHARE))) {
      traits |= Trait.mayhem | Trait.supplyTold
    } else if (isOld && random.chance(CASHBACK_SHARE_OF_OLD)) traits |= Trait.cashback
    return traits
  }

  #quoteMint(traits: number, quoteRow: number): string {
    if ((traits & Trait.usdc) !== 0) return USDC_MINT
    return quoteRow < 0 ? '' : this.#tokens.mints[quoteRow]
  }

  /** Of a coin as much as is worth the virtual quote of a launch in what the coin is quoted in. */
  #launchQuote(traits: number, quoteRow: number): number {
    if ((traits & Trait.usdc) !== 0) return VIRTUAL_QUOTE_MICRO_USDC
    if (quoteRow < 0) return VIRTUAL_QUOTE_LAMPORTS
    const { lanes } = this.#tokens
    const lane = quoteRow * TOKEN_LANES
    const isUsdc = this.#tokens.has(quoteRow, Trait.usdc)
    const worth = isUsdc ? VIRTUAL_QUOTE_MICRO_USDC : VIRTUAL_QUOTE_LAMPORTS
    return mulDivFloor(worth, lanes[lane + T.virtualBase], lanes[lane + T.virtualQuote])
  }

  #fillInts(row: number, traits: number, quoteRow: number, quoteMint: string): void {
    const { ints, mints, curves, creators } = this.#tokens
    const int = row * TOKEN_INTS
    ints[int + I.token] = this.#book.token(mints[row])
    ints[int + I.pool] = quotedPoolLane(this.#book.address(curves[row]), traits)
    ints[int + I.creator] = this.#book.wallet(creators[row])
    ints[int + I.traits] = traits
    if (quoteMint !== '') this.#tokens.quoteMint[row] = this.#book.address(quoteMint)
    this.#tokens.quoteRow[row] = quoteRow
    if (quoteRow >= 0) this.#tokens.hold(quoteRow)
  }

  #fillLanes(row: number, traits: number, virtualQuoteRaw: number): void {
    const random = this.#random
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const isRunner = (traits & Trait.runner) !== 0
    const unit = random.unit()
    const target = 1.02 + (MAX_ORDINARY_TARGET - 1.02) * unit * unit * unit
    lanes[lane + T.virtualBase] = VIRTUAL_BASE_RAW
    lanes[lane + T.virtualQuote] = virtualQuoteRaw
    lanes[lane + T.realBase] = REAL_BASE_RAW
    lanes[lane + T.targetQuote] = virtualQuoteRaw * (isRunner ? RUNNER_TARGET : target)
    this.#tokens.launchQuote[row] = virtualQuoteRaw
    lanes[lane + T.offsetQuote] = virtualQuoteRaw
    lanes[lane + T.supply] = (traits & Trait.mayhem) !== 0 ? MAYHEM_SUPPLY_RAW : SUPPLY_RAW
    lanes[lane + T.sizeFactor] = sizeFactorOf(traits)
    lanes[lane + T.dumpAt] = random.between(3, 40)
  }
}
