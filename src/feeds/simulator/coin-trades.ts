import { Flag, givenBits } from '../../events/swap-record.ts'
import type { TradeParts } from './trader.ts'
import { baseBought, quoteFetched } from './world/curve.ts'
import { FeePart } from './world/fee-schedule.ts'
import { Known } from './world/holder-table.ts'
import { A } from './world/swap-writer.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, Trait } from './world/token-table.ts'

/** Hops of a route: out of the trader's currency and on, or back. */
const FIRST_HOP = givenBits(1)
const SECOND_HOP = givenBits(2)
/** Buys that a holder of the coin pays with it; the others come from SOL or USDC by a route. */
const DIRECT_SHARE = 0.2
const KNOWN_BALANCES = Flag.balanceBeforeGiven | Flag.balanceAfterGiven
/** Less of a coin than this is not worth a swap: its fees, rounded up, might be all of it. */
const MIN_COIN_RAW = 1_000

/** Trades of tokens that are quoted in another token of the market. */
export class CoinTrades {
  readonly #parts: TradeParts

  constructor(parts: TradeParts) {
    this.#parts = parts
  }

  /** One trade of the token, in the open transaction; none while its quote coin is between curve and pool. */
  trade(row: number, isSell: boolean): void {
    if (this.#parts.tokens.has(this.#parts.tokens.quoteRow[row], Trait.frozen)) return
    if (isSell && this.#parts.tokens.ints[row * TOKEN_INTS + I.holders] > 0) this.#sell(row)
    else {
      this.#parts.sizes.draw(row, 1)
      if (this.#parts.random.chance(DIRECT_SHARE)) this.#buyDirectly(row)
      else {
        const wallet = this.#parts.wallets.trader()
        const known = this.#parts.wallets.isNew ? KNOWN_BALANCES : 0
        this.#parts.wallets.isNew = false
        this.buy(row, wallet, known)
      }
    }
  }

  /**
   * Buys for `amounts[A.quote]` of the coin by a route, in the open transaction. Returns the buyer's place,
   * or -1 when there is no such route: none of the hops may complete a curve.
   */
  buy(row: number, wallet: number, flags: number): number {
    const { amounts } = this.#parts.writer
    const quoteRow = this.#parts.tokens.quoteRow[row]
    if (!this.#putCost(row, quoteRow)) return -1
    const paid = amounts[A.quote]
    const net = this.#parts.fees.netOfFar(row, this.#baseFor(quoteRow, paid))
    amounts[A.quote] = net
    if (this.#parts.trader.wouldComplete(row) || this.#baseFor(row, net) === 0) return -1
    amounts[A.quote] = paid
    this.#parts.trader.exchangeForBase(quoteRow, wallet, FIRST_HOP, FeePart.platform)
    amounts[A.quote] = net
    return this.#parts.trader.buy(row, wallet, flags | SECOND_HOP, FeePart.far)
  }

  /**
   * A wallet buys the coin and, in a transaction of its own, the token for it: what it has left of the coin
   * stands in no swap.
   */
  #buyDirectly(row: number): void {
    const { amounts } = this.#parts.writer
    const quoteRow = this.#parts.tokens.quoteRow[row]
    if (!this.#putCost(row, quoteRow)) return
    const address = this.#parts.wallets.outsider()
    const wallet = this.#parts.book.wallet(address)
    const quotePlace = this.#parts.trader.buy(quoteRow, wallet, KNOWN_BALANCES)
    this.#parts.holders.know(quoteRow, quotePlace, Known.balance, address)
    const held = amounts[A.base]
    amounts[A.quote] = this.#parts.fees.netOfAll(row, held)
    if (this.#baseFor(row, amounts[A.quote]) === 0) return
    this.#parts.writer.beginTransaction()
    const place = this.#parts.trader.buy(row, wallet, KNOWN_BALANCES)
    const { paidRaw } = this.#parts.trader
    this.#parts.holders.know(row, place, paidRaw === held ? Known.noQuote : Known.balance, address)
    this.#parts.holdings.giveAway(quoteRow, quotePlace, paidRaw)
  }

  #sell(row: number): void {
    const bits = this.#parts.random.next()
    const place =
      (((bits >>> 8) & 0xffff) * this.#parts.tokens.ints[row * TOKEN_INTS + I.holders]) >>> 16
    const held = this.#parts.holders.baseAt(row, place)
    if ((bits & 1) === 0 && this.#sellDirectly(row, place, held)) return
    this.#sellByRoute(row, place, (bits & 6) !== 0 ? held : Math.ceil(held / 2))
  }

  /** Sells for the coin and that for what it is quoted in. */
  #sellByRoute(row: number, place: number, base: number): void {
    const { amounts } = this.#parts.writer
    const quoteRow = this.#parts.tokens.quoteRow[row]
    const fetched = this.#quoteFor(row, base)
    if (fetched < MIN_COIN_RAW) return
    const coin = fetched - this.#parts.fees.farFee(row, fetched)
    if (this.#quoteFor(quoteRow, coin) === 0) return
    const wallet = this.#parts.holders.walletAt(row, place)
    amounts[A.base] = base
    this.#parts.trader.sell(row, place, FIRST_HOP, FeePart.far)
    amounts[A.base] = coin
    this.#parts.trader.exchangeForQuote(quoteRow, wallet, SECOND_HOP, FeePart.platform)
  }

  /** Sells for the coin and holds that; false when the wallet's balance of the coin is not known. */
  #sellDirectly(row: number, place: number, base: number): boolean {
    const { amounts } = this.#parts.writer
    const quoteRow = this.#parts.tokens.quoteRow[row]
    const known = this.#parts.holders.knownAt(row, place)
    if (known === Known.nothing || this.#quoteFor(row, base) < MIN_COIN_RAW) return false
    const wallet = this.#parts.holders.walletAt(row, place)
    const address = this.#parts.holders.addressAt(row, place)
    let quotePlace = this.#knownPlaceOf(quoteRow, wallet)
    if (quotePlace < 0 && known !== Known.noQuote) return false
    amounts[A.base] = base
    this.#parts.trader.sell(row, place)
    const fees = amounts[A.platformFee] + amounts[A.creatorFee] + amounts[A.liquidityFee]
    const coin = amounts[A.quote] - fees
    if (quotePlace >= 0) this.#parts.holders.give(quoteRow, quotePlace, coin)
    else {
      quotePlace = this.#parts.holders.add(quoteRow, wallet, coin, this.#parts.random.next() >>> 1)
      this.#parts.holders.know(quoteRow, quotePlace, Known.balance, address)
    }
    this.#parts.writer.balance(quoteRow, address, this.#parts.holders.baseAt(quoteRow, quotePlace))
    return true
  }

  /** Place of a wallet whose balance is known, -1 for none. */
  #knownPlaceOf(row: number, wallet: number): number {
    const count = this.#parts.tokens.ints[row * TOKEN_INTS + I.holders]
    for (let place = 0; place < count; place++) {
      const isKnown = this.#parts.holders.knownAt(row, place) !== Known.nothing
      if (isKnown && this.#parts.holders.walletAt(row, place) === wallet) return place
    }
    return -1
  }

  /** Puts what `amounts[A.quote]` of the coin costs into that lane; false where it would complete its curve. */
  #putCost(row: number, quoteRow: number): boolean {
    if (this.#parts.tokens.has(quoteRow, Trait.frozen) || this.#parts.tokens.has(row, Trait.frozen))
      return false
    const { lanes } = this.#parts.tokens
    const lane = quoteRow * TOKEN_LANES
    const price = lanes[lane + T.virtualQuote] / lanes[lane + T.virtualBase]
    this.#parts.sizes.put(quoteRow, this.#parts.writer.amounts[A.quote] * price)
    return !this.#parts.trader.wouldComplete(quoteRow)
  }

  #baseFor(row: number, quoteRaw: number): number {
    const { lanes } = this.#parts.tokens
    const lane = row * TOKEN_LANES
    return baseBought(lanes[lane + T.virtualBase], lanes[lane + T.virtualQuote], quoteRaw)
  }

  #quoteFor(row: number, baseRaw: number): number {
    const { lanes } = this.#parts.tokens
    const lane = row * TOKEN_LANES
    return quoteFetched(lanes[lane + T.virtualBase], lanes[lane + T.virtualQuote], baseRaw)
  }
}
