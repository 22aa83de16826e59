import { mulDivFloor } from '../../base/u64.ts'
import type { Metadata, TokenCreated } from '../../events/event.ts'
import { USDC_MINT } from '../../events/platform.ts'
import { Flag } from '../../events/swap-record.ts'
import type { Crowd } from './crowd.ts'
import type { ReserveMoves } from './reserve-moves.ts'
import {
  drawIsRunner,
  MAX_ORDINARY_TARGET,
  RUNNER_TARGET,
  sizeFactorOf,
  TICKETS,
} from './size-draw.ts'
import type { TradeParts } from './trader.ts'
import { Appointment } from './world/chain-clock.ts'
import {
  MAYHEM_SUPPLY_RAW,
  REAL_BASE_RAW,
  SUPPLY_RAW,
  VIRTUAL_BASE_RAW,
  VIRTUAL_QUOTE_LAMPORTS,
  VIRTUAL_QUOTE_MICRO_USDC,
} from './world/curve.ts'
import { A } from './world/swap-writer.ts'
import { I, quotedPoolLane, T, TOKEN_INTS, TOKEN_LANES, Trait } from './world/token-table.ts'
import { randomAddress, randomMint, TokenTextSource } from './world/token-text.ts'

/** Decimals of every token. */
const COIN_DECIMALS = 6
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

const SERIAL_CREATORS = 128
const SERIAL_SHARE = 0.35

/** Launches tokens, with all that happens around the first block. */
export class Launcher {
  readonly #parts: TradeParts
  readonly #crowd: Crowd
  readonly #moves: ReserveMoves
  readonly #text: TokenTextSource
  /** Creators who launch one token after the other. */
  readonly #serialCreators: string[] = []
  /** Metadata of the newest token, which are emitted with the next launch. */
  #late: Metadata | null = null

  constructor(parts: TradeParts, crowd: Crowd, moves: ReserveMoves) {
    this.#parts = parts
    this.#crowd = crowd
    this.#moves = moves
    this.#text = new TokenTextSource(parts.random)
  }

  /** `quiet`: without first trades; `old`: quiet, and from before the market's day. */
  launch(kind: 'noticed' | 'quiet' | 'old'): void {
    if (this.#parts.tokens.isFull) return
    const quoteRow = this.#parts.random.chance(COIN_SHARE) ? this.#drawQuoteRow() : -1
    const row = this.#parts.tokens.take()
    this.#parts.writer.beginTransaction()
    this.#create(row, quoteRow, kind === 'old')
    if (this.#parts.tokens.has(row, Trait.mayhem) && this.#parts.random.chance(REPRICED_SHARE))
      this.#moves.reprice(row, this.#moves.drawOffsetShare())
    if (kind === 'noticed') this.#firstTrades(row)
    const isRunner = this.#parts.tokens.has(row, Trait.runner)
    const drawn = TICKETS[this.#parts.random.below(TICKETS.length)]
    this.#parts.tickets.add(row, isRunner ? Math.max(RUNNER_MIN_TICKETS, drawn) : drawn)
    this.#parts.tokens.release(row)
  }

  /** A sniper's buy some slots after the launch. */
  snipe(row: number): void {
    if (!this.#parts.tokens.has(row, Trait.frozen)) {
      this.#parts.writer.beginTransaction()
      this.#crowd.buySome(row, this.#parts.wallets.bot())
    }
    this.#parts.tokens.release(row)
  }

  /** Emits the metadata that are still late. */
  flush(): void {
    if (this.#late !== null) this.#parts.writer.event({ ...this.#late, ...this.#stamp() })
    this.#late = null
  }

  /** A coin that is known already, better one that has graduated; -1 when none was found. */
  #drawQuoteRow(): number {
    for (let i = 0; i < QUOTE_DRAWS && !this.#parts.tickets.isEmpty; i++) {
      const row = this.#parts.tickets.draw()
      const int = row * TOKEN_INTS
      const traits = this.#parts.tokens.ints[int + I.traits]
      if ((traits & NO_QUOTE_COIN) !== 0) continue
      if ((traits & Trait.amm) !== 0) return row
      if (i >= GRADUATED_DRAWS && this.#parts.tokens.ints[int + I.trades] >= QUOTE_MIN_TRADES)
        return row
    }
    return -1
  }

  /** Creator, bundle, snipers. */
  #firstTrades(row: number): void {
    const random = this.#parts.random
    if (random.chance(CREATOR_BUYS_SHARE)) this.#creatorBuys(row)
    if (random.chance(BUNDLE_SHARE)) this.#bundle(row)
    if (!random.chance(SNIPED_SHARE)) return
    for (let i = random.between(1, MAX_SNIPERS); i > 0; i--) {
      this.#parts.tokens.hold(row)
      const delaySlots = random.below(MAX_SNIPE_DELAY_SLOTS + 1)
      const slot = this.#parts.clock.slot + delaySlots
      if (delaySlots === 0 || !this.#parts.appointments.add(slot, row, Appointment.snipe))
        this.snipe(row)
    }
  }

  /** In the transaction of the creation. Some spread what they got to other wallets in it. */
  #creatorBuys(row: number): void {
    const isWhole = this.#parts.random.chance(WHOLE_CURVE_SHARE)
    this.#parts.sizes.draw(row, 3)
    // Far more than the curve has: the buy is cut to exactly the rest.
    const launchQuote = this.#parts.tokens.launchQuote[row]
    if (isWhole) this.#parts.writer.amounts[A.quote] = launchQuote * 10
    const place = this.#crowd.buyGiven(
      row,
      this.#parts.tokens.ints[row * TOKEN_INTS + I.creator],
      0,
    )
    if (place < 0) return
    this.#parts.holders.knowCreator(row, place)
    if (this.#parts.random.chance(FORWARDS_SHARE)) this.#parts.holdings.spread(row, place)
  }

  /** Several signers in the block of the launch, at times in one transaction. */
  #bundle(row: number): void {
    const random = this.#parts.random
    const isOneTransaction = random.chance(0.4)
    const flags = random.chance(0.1) ? INSIDER : 0
    const signers = random.between(2, 6)
    for (let i = 0; i < signers; i++) {
      if (this.#parts.tokens.has(row, Trait.frozen)) return
      if (i === 0 || !isOneTransaction) this.#parts.writer.beginTransaction()
      const wallet = random.chance(0.7) ? this.#parts.wallets.fresh() : this.#parts.wallets.trader()
      this.#parts.sizes.draw(row, 2)
      const least = BUNDLE_MIN_LAMPORTS * this.#parts.sizes.quotePerLamport(row)
      this.#parts.writer.amounts[A.quote] = Math.max(
        Math.ceil(least),
        this.#parts.writer.amounts[A.quote],
      )
      this.#crowd.buyGiven(row, wallet, flags)
    }
  }

  /** Fills a taken row; `quoteRow` is that of the coin it is quoted in, -1 for SOL or USDC. */
  #create(row: number, quoteRow: number, isOld: boolean): void {
    const random = this.#parts.random
    const traits = this.#drawTraits(quoteRow >= 0, isOld)
    const mint = randomMint(random, random.chance(SUFFIX_SHARE))
    const bondingCurve = randomAddress(random)
    const creator = this.#drawCreator()
    this.#parts.tokens.mints[row] = mint
    this.#parts.tokens.curves[row] = bondingCurve
    this.#parts.tokens.creators[row] = creator
    const quoteMint = this.#quoteMint(traits, quoteRow)
    this.#fillInts(row, traits, quoteRow, quoteMint)
    const virtualQuote = this.#launchQuote(traits, quoteRow)
    this.#fillLanes(row, traits, virtualQuote)
    const created: TokenCreated = {
      type: 'token_created',
      ...this.#parts.writer.position(),
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

  #stamp(): { timestamp: number } {
    return { timestamp: this.#parts.clock.timestamp }
  }

  #announce(created: TokenCreated): void {
    this.flush()
    this.#parts.writer.event(created)
    if (!this.#parts.random.chance(METADATA_SHARE)) return
    const { mint, name, timestamp } = created
    const paid = this.#parts.random.chance(DEX_PAID_SHARE) ? { dexPaid: true } : {}
    this.#late = { type: 'metadata', timestamp, mint, ...this.#text.links(name), ...paid }
  }

  #drawTraits(isCoin: boolean, isOld: boolean): number {
    const random = this.#parts.random
    let traits = drawIsRunner(random) ? Trait.runner : 0
    if (isCoin) traits |= Trait.coin
    else if (random.chance(USDC_SHARE)) traits |= Trait.usdc
    else if (random.chance(MAYHEM_SHARE / (1 - USDC_SHARE))) {
      traits |= Trait.mayhem | Trait.supplyGiven
    } else if (isOld && random.chance(CASHBACK_SHARE_OF_OLD)) traits |= Trait.cashback
    return traits
  }

  /** Mostly a newcomer. */
  #drawCreator(): string {
    const random = this.#parts.random
    const serial = this.#serialCreators
    if (serial.length > 0 && random.chance(SERIAL_SHARE)) return random.pick(serial)
    const address = randomAddress(random)
    if (serial.length < SERIAL_CREATORS) serial.push(address)
    else if (random.chance(0.1)) serial[random.below(SERIAL_CREATORS)] = address
    return address
  }

  #quoteMint(traits: number, quoteRow: number): string {
    if ((traits & Trait.usdc) !== 0) return USDC_MINT
    return quoteRow < 0 ? '' : this.#parts.tokens.mints[quoteRow]
  }

  /** Of a coin as much as is worth the virtual quote of a launch in what the coin is quoted in. */
  #launchQuote(traits: number, quoteRow: number): number {
    if ((traits & Trait.usdc) !== 0) return VIRTUAL_QUOTE_MICRO_USDC
    if (quoteRow < 0) return VIRTUAL_QUOTE_LAMPORTS
    const { lanes } = this.#parts.tokens
    const lane = quoteRow * TOKEN_LANES
    const isUsdc = this.#parts.tokens.has(quoteRow, Trait.usdc)
    const worth = isUsdc ? VIRTUAL_QUOTE_MICRO_USDC : VIRTUAL_QUOTE_LAMPORTS
    return mulDivFloor(worth, lanes[lane + T.virtualBase], lanes[lane + T.virtualQuote])
  }

  #fillInts(row: number, traits: number, quoteRow: number, quoteMint: string): void {
    const { ints, mints, curves, creators } = this.#parts.tokens
    const int = row * TOKEN_INTS
    ints[int + I.token] = this.#parts.book.token(mints[row])
    ints[int + I.pool] = quotedPoolLane(this.#parts.book.address(curves[row]), traits)
    ints[int + I.creator] = this.#parts.book.wallet(creators[row])
    ints[int + I.traits] = traits
    if (quoteMint !== '') this.#parts.tokens.quoteMint[row] = this.#parts.book.address(quoteMint)
    this.#parts.tokens.quoteRow[row] = quoteRow
    if (quoteRow >= 0) this.#parts.tokens.hold(quoteRow)
  }

  #fillLanes(row: number, traits: number, virtualQuoteRaw: number): void {
    const random = this.#parts.random
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const isRunner = (traits & Trait.runner) !== 0
    const unit = random.unit()
    const target = 1.02 + (MAX_ORDINARY_TARGET - 1.02) * unit * unit * unit
    lanes[lane + T.virtualBase] = VIRTUAL_BASE_RAW
    lanes[lane + T.virtualQuote] = virtualQuoteRaw
    lanes[lane + T.realBase] = REAL_BASE_RAW
    lanes[lane + T.targetQuote] = virtualQuoteRaw * (isRunner ? RUNNER_TARGET : target)
    this.#parts.tokens.launchQuote[row] = virtualQuoteRaw
    lanes[lane + T.offsetQuote] = virtualQuoteRaw
    lanes[lane + T.supply] = (traits & Trait.mayhem) !== 0 ? MAYHEM_SUPPLY_RAW : SUPPLY_RAW
    lanes[lane + T.sizeFactor] = sizeFactorOf(traits)
    lanes[lane + T.dumpAt] = random.between(3, 40)
  }
}
