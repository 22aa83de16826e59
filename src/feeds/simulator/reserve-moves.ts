import type { Random } from '../../base/random.ts'
import type { SizeDraw } from './size-draw.ts'
import type { Trader } from './trader.ts'
import { baseBought, VIRTUAL_BASE_RAW } from './world/curve.ts'
import { type HolderTable, Known } from './world/holder-table.ts'
import type { Holdings } from './world/holdings.ts'
import type { Interner } from './world/interner.ts'
import type { MarketParts } from './world/parts.ts'
import type { StateWriter, SwapWriter } from './world/swap-writer.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, type TokenTable, Trait } from './world/token-table.ts'
import type { WalletPool } from './world/wallet-pool.ts'

/** Chances of each kind where it can happen. */
const BURN_CHANCE = 0.05
const REPRICE_CHANCE = 0.25
const BOOST_CHANCE = 0.7
const PROVIDE_CHANCE = 0.15
/** Bounds of a mayhem curve's unreal quote, in launch quotes: 4.5 SOL was seen on chain. */
const MIN_OFFSET_SHARE = 0.15
const MAX_OFFSET_SHARE = 2
/** A buy-back spends up to this share of the pool's quote. */
const MAX_BOOST_SHARE = 0.004
/** A deposit puts in up to this share of the pool's base. */
const MAX_DEPOSIT_SHARE = 0.02

interface ReserveMovesParts
  extends Pick<
    MarketParts,
    'tokens' | 'holders' | 'wallets' | 'writer' | 'state' | 'book' | 'random'
  > {
  readonly trader: Trader
  readonly sizes: SizeDraw
  readonly holdings: Holdings
}

/** What moves reserves or supply without a trade, each in a transaction of its own. */
export class ReserveMoves {
  readonly #tokens: TokenTable
  readonly #holders: HolderTable
  readonly #wallets: WalletPool
  readonly #trader: Trader
  readonly #sizes: SizeDraw
  readonly #holdings: Holdings
  readonly #book: Interner
  readonly #writer: SwapWriter
  readonly #state: StateWriter
  readonly #random: Random

  constructor(parts: ReserveMovesParts) {
    this.#tokens = parts.tokens
    this.#holders = parts.holders
    this.#wallets = parts.wallets
    this.#trader = parts.trader
    this.#sizes = parts.sizes
    this.#holdings = parts.holdings
    this.#book = parts.book
    this.#writer = parts.writer
    this.#state = parts.state
    this.#random = parts.random
  }

  /** One of those that can happen to the token, or none. */
  any(row: number): void {
    const traits = this.#tokens.ints[row * TOKEN_INTS + I.traits]
    if ((traits & Trait.frozen) !== 0) return
    if (this.#random.chance(BURN_CHANCE)) this.#burn(row)
    else if ((traits & Trait.amm) === 0) {
      const isRepriced = (traits & Trait.mayhem) !== 0 && this.#random.chance(REPRICE_CHANCE)
      if (isRepriced) this.#repriceLater(row)
    } else if ((traits & Trait.boosted) !== 0 && this.#random.chance(BOOST_CHANCE)) this.#boost(row)
    else if ((traits & Trait.coin) === 0 && this.#random.chance(PROVIDE_CHANCE)) this.#provide(row)
  }

  /**
   * A mayhem curve gets another price, in the open transaction: `share` of the launch's quote is its
   * unreal quote from here on. Never so much that sells could fetch more than the curve really holds.
   */
  reprice(row: number, share: number): void {
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const virtualBase = lanes[lane + T.virtualBase]
    const before = lanes[lane + T.offsetQuote]
    const realQuote = lanes[lane + T.virtualQuote] - before
    const sold = VIRTUAL_BASE_RAW - virtualBase
    const most = sold === 0 ? Infinity : Math.floor((realQuote / sold) * virtualBase)
    const wanted = Math.floor(this.#tokens.launchQuote[row] * share)
    const offset = Math.min(wanted, Math.max(before, most))
    lanes[lane + T.offsetQuote] = offset
    lanes[lane + T.virtualQuote] = realQuote + offset
    lanes[lane + T.targetQuote] = Math.floor(lanes[lane + T.targetQuote] * (offset / before))
    this.#state.reserves(row, 'mayhem')
  }

  /** At launch, or later. */
  drawOffsetShare(): number {
    const unit = this.#random.unit()
    return MIN_OFFSET_SHARE + (MAX_OFFSET_SHARE - MIN_OFFSET_SHARE) * unit * unit * unit
  }

  #repriceLater(row: number): void {
    this.#writer.beginTransaction()
    this.reprice(row, this.drawOffsetShare())
  }

  /** The pool buys for quote of its own and burns what it bought: nobody traded. */
  #boost(row: number): void {
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const quote = Math.floor(lanes[lane + T.virtualQuote] * MAX_BOOST_SHARE * this.#random.unit())
    const base = baseBought(lanes[lane + T.virtualBase], lanes[lane + T.virtualQuote], quote)
    if (base === 0) return
    lanes[lane + T.virtualBase] -= base
    lanes[lane + T.realBase] -= base
    lanes[lane + T.virtualQuote] += quote
    this.#holdings.lowerSupply(row, base)
    this.#writer.beginTransaction()
    this.#state.reserves(row, 'boost')
  }

  /** Liquidity goes in, or some that went in comes out, both at the pool's ratio. */
  #provide(row: number): void {
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const poolBase = lanes[lane + T.virtualBase]
    const deposited = this.#tokens.depositedBase[row]
    if (deposited > 0 && this.#random.chance(0.5)) {
      const base = Math.ceil(deposited * (0.5 + this.#random.unit() / 2))
      if (base >= poolBase / 2) return
      this.#writer.beginTransaction()
      this.#shift(row, -base, 'withdraw')
      this.#holdings.receive(row, base)
      return
    }
    this.#writer.beginTransaction()
    let place = this.#knownPlace(row)
    if (place < 0) place = this.#buyToDeposit(row)
    const most = Math.floor(lanes[lane + T.virtualBase] * MAX_DEPOSIT_SHARE)
    const base = Math.min(this.#holders.baseAt(row, place), most)
    this.#shift(row, base, 'deposit')
    this.#holdings.giveAway(row, place, base)
  }

  /** A new wallet buys, in the open transaction, what it deposits then. Returns its place. */
  #buyToDeposit(row: number): number {
    const address = this.#wallets.outsider()
    this.#sizes.draw(row, 1)
    const place = this.#trader.buy(row, this.#book.wallet(address), 0)
    this.#holders.know(row, place, Known.balance, address)
    return place
  }

  #shift(row: number, base: number, reason: 'deposit' | 'withdraw'): void {
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const quote = Math.ceil((lanes[lane + T.virtualQuote] / lanes[lane + T.virtualBase]) * base)
    lanes[lane + T.virtualBase] += base
    lanes[lane + T.realBase] += base
    lanes[lane + T.virtualQuote] += quote
    this.#tokens.depositedBase[row] += base
    this.#state.reserves(row, reason)
  }

  #burn(row: number): void {
    const place = this.#knownPlace(row)
    if (place < 0) return
    const held = this.#holders.baseAt(row, place)
    const base = this.#random.chance(0.6) ? held : Math.ceil(held * this.#random.unit())
    if (base === 0) return
    this.#writer.beginTransaction()
    this.#holdings.burn(row, place, base)
  }

  /** Place of a holder whose balance is known whole, -1 when there is none. */
  #knownPlace(row: number): number {
    const count = this.#tokens.ints[row * TOKEN_INTS + I.holders]
    for (let place = 0; place < count; place++)
      if (this.#holders.knownAt(row, place) !== Known.nothing) return place
    return -1
  }
}
