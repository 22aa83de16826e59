import type { TradeParts } from './trader.ts'
import { baseBought, VIRTUAL_BASE_RAW } from './world/curve.ts'
import { Known } from './world/holder-table.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, Trait } from './world/token-table.ts'

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

/** What moves reserves or supply without a trade, each in a transaction of its own. */
export class ReserveMoves {
  readonly #parts: TradeParts

  constructor(parts: TradeParts) {
    this.#parts = parts
  }

  /** One of those that can happen to the token, or none. */
  any(row: number): void {
    const traits = this.#parts.tokens.ints[row * TOKEN_INTS + I.traits]
    if ((traits & Trait.frozen) !== 0) return
    if (this.#parts.random.chance(BURN_CHANCE)) this.#burn(row)
    else if ((traits & Trait.amm) === 0) {
      const isRepriced = (traits & Trait.mayhem) !== 0 && this.#parts.random.chance(REPRICE_CHANCE)
      if (isRepriced) this.#repriceLater(row)
    } else if ((traits & Trait.boosted) !== 0 && this.#parts.random.chance(BOOST_CHANCE))
      this.#boost(row)
    else if ((traits & Trait.coin) === 0 && this.#parts.random.chance(PROVIDE_CHANCE))
      this.#provide(row)
  }

  /**
   * A mayhem curve gets another price, in the open transaction: `share` of the launch's quote is its
   * unreal quote from here on. Never so much that sells could fetch more than the curve really holds.
   */
  reprice(row: number, share: number): void {
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const virtualBase = lanes[lane + T.virtualBase]
    const before = lanes[lane + T.offsetQuote]
    const realQuote = lanes[lane + T.virtualQuote] - before
    const sold = VIRTUAL_BASE_RAW - virtualBase
    const most = sold === 0 ? Infinity : Math.floor((realQuote / sold) * virtualBase)
    const wanted = Math.floor(this.#parts.tokens.launchQuote[row] * share)
    const offset = Math.min(wanted, Math.max(before, most))
    lanes[lane + T.offsetQuote] = offset
    lanes[lane + T.virtualQuote] = realQuote + offset
    lanes[lane + T.targetQuote] = Math.floor(lanes[lane + T.targetQuote] * (offset / before))
    this.#parts.writer.reserves(row, 'mayhem')
  }

  /** At launch, or later. */
  drawOffsetShare(): number {
    const unit = this.#parts.random.unit()
    return MIN_OFFSET_SHARE + (MAX_OFFSET_SHARE - MIN_OFFSET_SHARE) * unit * unit * unit
  }

  #repriceLater(row: number): void {
    this.#parts.writer.beginTransaction()
    this.reprice(row, this.drawOffsetShare())
  }

  /** The pool buys for quote of its own and burns what it bought: nobody traded. */
  #boost(row: number): void {
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const quote = Math.floor(
      lanes[lane + T.virtualQuote] * MAX_BOOST_SHARE * this.#parts.random.unit(),
    )
    const base = baseBought(lanes[lane + T.virtualBase], lanes[lane + T.virtualQuote], quote)
    if (base === 0) return
    lanes[lane + T.virtualBase] -= base
    lanes[lane + T.realBase] -= base
    lanes[lane + T.virtualQuote] += quote
    this.#parts.holdings.lowerSupply(row, base)
    this.#parts.writer.beginTransaction()
    this.#parts.writer.reserves(row, 'boost')
  }

  /** Liquidity goes in, or some that went in comes out, both at the pool's ratio. */
  #provide(row: number): void {
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const poolBase = lanes[lane + T.virtualBase]
    const deposited = this.#parts.tokens.depositedBase[row]
    if (deposited > 0 && this.#parts.random.chance(0.5)) {
      const base = Math.ceil(deposited * (0.5 + this.#parts.random.unit() / 2))
      if (base >= poolBase / 2) return
      this.#parts.writer.beginTransaction()
      this.#shift(row, -base, 'withdraw')
      this.#parts.holdings.receive(row, base)
      return
    }
    this.#parts.writer.beginTransaction()
    let place = this.#knownPlace(row)
    if (place < 0) place = this.#buyToDeposit(row)
    const most = Math.floor(lanes[lane + T.virtualBase] * MAX_DEPOSIT_SHARE)
    const base = Math.min(this.#parts.holders.baseAt(row, place), most)
    this.#shift(row, base, 'deposit')
    this.#parts.holdings.giveAway(row, place, base)
  }

  /** A new wallet buys, in the open transaction, what it deposits then. Returns its place. */
  #buyToDeposit(row: number): number {
    const address = this.#parts.wallets.outsider()
    this.#parts.sizes.draw(row, 1)
    const place = this.#parts.trader.buy(row, this.#parts.book.wallet(address), 0)
    this.#parts.holders.know(row, place, Known.balance, address)
    return place
  }

  #shift(row: number, base: number, reason: 'deposit' | 'withdraw'): void {
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const quote = Math.ceil((lanes[lane + T.virtualQuote] / lanes[lane + T.virtualBase]) * base)
    lanes[lane + T.virtualBase] += base
    lanes[lane + T.realBase] += base
    lanes[lane + T.virtualQuote] += quote
    this.#parts.tokens.depositedBase[row] += base
    this.#parts.writer.reserves(row, reason)
  }

  #burn(row: number): void {
    const place = this.#knownPlace(row)
    if (place < 0) return
    const held = this.#parts.holders.baseAt(row, place)
    const base = this.#parts.random.chance(0.6) ? held : Math.ceil(held * this.#parts.random.unit())
    if (base === 0) return
    this.#parts.writer.beginTransaction()
    this.#parts.holdings.burn(row, place, base)
  }

  /** Place of a holder whose balance is known whole, -1 when there is none. */
  #knownPlace(row: number): number {
    const count = this.#parts.tokens.ints[row * TOKEN_INTS + I.holders]
    for (let place = 0; place < count; place++)
      if (this.#parts.holders.knownAt(row, place) !== Known.nothing) return place
    return -1
  }
}
