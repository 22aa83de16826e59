import { mulDivFloor } from '../../base/muldiv.ts'
import type { Random } from '../../base/random.ts'
import type { Metadata, TokenCreated } from '../../events/event.ts'
import { USDC_MINT } from '../../events/platform.ts'
import { drawIsRunner, MAX_ORDINARY_TARGET, RUNNER_TARGET, sizeFactorOf } from './expectations.ts'
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
import type { Interner } from './world/interner.ts'
import type { MarketParts } from './world/parts.ts'
import { randomAddress, randomMint } from './world/random-text.ts'
import type { SwapWriter } from './world/swap-writer.ts'
import {
  I,
  quotedPoolLane,
  T,
  TOKEN_INTS,
  TOKEN_LANES,
  type TokenTable,
  Trait,
} from './world/token-table.ts'
import { CreatorSource, TokenTextSource } from './world/token-text.ts'

const TOKEN_2022 = 'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb'

const SUFFIX_SHARE = 0.9
const MAYHEM_SHARE = 0.18
const USDC_SHARE = 0.05
/** New cashback coins are refused since September 2026: only old tokens are some. */
const CASHBACK_SHARE_OF_OLD = 0.3
const METADATA_SHARE = 0.92
const DEX_PAID_SHARE = 0.01

export type BirthsParts = Pick<MarketParts, 'tokens' | 'clock' | 'writer' | 'book' | 'random'>

/** Draws new tokens and tells their creation. */
export class Births {
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
