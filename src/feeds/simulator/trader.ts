import { mulDivCeil } from '../../base/u64.ts'
import { Flag } from '../../events/swap-record.ts'
import type { Graduation } from './graduation.ts'
import type { SizeDraw } from './size-draw.ts'
import { baseBought, quoteFetched } from './world/curve.ts'
import { FeePart, type FeeSchedule } from './world/fee-schedule.ts'
import type { Holdings } from './world/holdings.ts'
import type { MarketParts } from './world/parts.ts'
import { A } from './world/swap-writer.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, Trait } from './world/token-table.ts'

/** Share of the completing buys that go on in the pool to come; mayhem coins do not do it. */
const GOING_ON_SHARE = 1 / 3
/** What goes on takes at most this share of the pool's quote. */
const MAX_REST_SHARE = 0.012
/** Fees of two amounts, each rounded up, may come to so much more than those of their sum, raw units. */
const ROUNDED_FEES_RAW = 3
const BALANCES = Flag.balanceBeforeGiven | Flag.balanceAfterGiven

/** What those need who decide on trades. */
export interface TradeParts extends MarketParts {
  readonly trader: Trader
  readonly fees: FeeSchedule
  readonly sizes: SizeDraw
  readonly holdings: Holdings
}

/** Carries a trade out: price, fees, reserves, ledger, record. Exact to the raw unit. */
export class Trader {
  readonly #parts: MarketParts
  readonly #graduation: Graduation
  readonly #fees: FeeSchedule
  /** What the last `buy` paid, fees within: in a lane so that it is not boxed. */
  readonly #paid = new Float64Array(1)

  constructor(parts: MarketParts, graduation: Graduation, fees: FeeSchedule) {
    this.#parts = parts
    this.#graduation = graduation
    this.#fees = fees
  }

  /** Quote that the last `buy` paid, fees within. */
  get paidRaw(): number {
    return this.#paid[0]
  }

  /**
   * Buys for `amounts[A.quote]` before fees, or for what the rest of the curve costs if that is
   * less. Returns the buyer's place in the holder table.
   */
  buy(row: number, wallet: number, flags: number, feeParts: number = FeePart.all): number {
    const wanted = this.#parts.writer.amounts[A.quote]
    this.#paid[0] = 0
    const complete = this.exchangeForBase(row, wallet, flags, feeParts)
    this.#addPaid()
    const bought = this.#parts.writer.amounts[A.base]
    const place = this.#parts.holders.add(row, wallet, bought, this.#parts.random.next() >>> 1)
    if (complete) {
      this.#graduation.complete(row)
      this.#goOn(row, wallet, place, wanted - this.#parts.writer.amounts[A.quote])
    }
    return place
  }

  /** A buy of the mayhem agent: no fees, and its own balance. */
  agentBuy(row: number, wallet: number): void {
    const complete = this.exchangeForBase(row, wallet, 0, FeePart.none)
    this.#parts.tokens.agentBase[row] += this.#parts.writer.amounts[A.base]
    if (complete) this.#graduation.complete(row)
  }

  /**
   * Sells `amounts[A.base]` of the holder at `place`; false, and no swap, when it fetches nothing.
   */
  sell(row: number, place: number, flags = 0, feeParts: number = FeePart.all): boolean {
    const wallet = this.#parts.holders.walletAt(row, place)
    const isSold = this.exchangeForQuote(row, wallet, flags, feeParts)
    // What fetches nothing is forgotten, and its holder still holds it.
    if (!isSold) this.#parts.holders.lose(row, place)
    this.#parts.holders.take(row, place, this.#parts.writer.amounts[A.base])
    return isSold
  }

  /** A sell of the mayhem agent, of `amounts[A.base]` that it holds. */
  agentSell(row: number, wallet: number): boolean {
    if (!this.exchangeForQuote(row, wallet, 0, FeePart.none)) return false
    this.#parts.tokens.agentBase[row] -= this.#parts.writer.amounts[A.base]
    return true
  }

  /** True when a buy for `amounts[A.quote]` would take the rest of the curve. */
  wouldComplete(row: number): boolean {
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    if (this.#parts.tokens.has(row, Trait.amm)) return false
    const quote = this.#parts.writer.amounts[A.quote]
    const base = baseBought(lanes[lane + T.virtualBase], lanes[lane + T.virtualQuote], quote)
    return base >= lanes[lane + T.realBase]
  }

  /** A buy that no ledger takes down; true when the curve is complete after it. */
  exchangeForBase(row: number, wallet: number, flags: number, feeParts: number): boolean {
    const lanes = this.#parts.tokens.lanes
    const amounts = this.#parts.writer.amounts
    const lane = row * TOKEN_LANES
    const virtualBase = lanes[lane + T.virtualBase]
    const virtualQuote = lanes[lane + T.virtualQuote]
    const realBase = lanes[lane + T.realBase]
    const isAmm = this.#parts.tokens.has(row, Trait.amm)
    let quote = amounts[A.quote]
    let base = baseBought(virtualBase, virtualQuote, quote)
    const complete = !isAmm && base >= realBase
    if (complete) {
      base = realBase
      quote = quoteForBase(virtualBase, virtualQuote, base)
      amounts[A.quote] = quote
    }
    amounts[A.base] = base
    this.#fees.set(row, feeParts)
    lanes[lane + T.virtualBase] = virtualBase - base
    lanes[lane + T.virtualQuote] = virtualQuote + quote + amounts[A.liquidityFee]
    lanes[lane + T.realBase] = realBase - base
    this.#parts.tokens.ints[row * TOKEN_INTS + I.trades]++
    // Balances are those of the transaction, in which a completing buy may go on.
    this.#parts.writer.swap(row, wallet, complete ? flags & ~BALANCES : flags)
    if (!isAmm) this.#parts.watched.consider(row)
    return complete
  }

  /** A sell that no ledger takes down; false, and no swap, when it fetches nothing. */
  exchangeForQuote(row: number, wallet: number, flags: number, feeParts: number): boolean {
    const lanes = this.#parts.tokens.lanes
    const amounts = this.#parts.writer.amounts
    const lane = row * TOKEN_LANES
    const virtualBase = lanes[lane + T.virtualBase]
    const virtualQuote = lanes[lane + T.virtualQuote]
    const base = amounts[A.base]
    const quote = quoteFetched(virtualBase, virtualQuote, base)
    if (quote === 0) return false
    amounts[A.quote] = quote
    this.#fees.set(row, feeParts)
    lanes[lane + T.virtualBase] = virtualBase + base
    lanes[lane + T.virtualQuote] = virtualQuote - quote + amounts[A.liquidityFee]
    lanes[lane + T.realBase] += base
    this.#parts.tokens.ints[row * TOKEN_INTS + I.trades]++
    this.#parts.writer.swap(row, wallet, flags | Flag.sell)
    return true
  }

  /**
   * What is left of a completing buy buys out of the pool to come, at its price and the curve's fees, and
   * is paid to the curve. The row has the pool's reserves already; none of them is the curve's own.
   */
  #goOn(row: number, wallet: number, place: number, left: number): void {
    if (this.#parts.tokens.has(row, Trait.mayhem) || !this.#parts.random.chance(GOING_ON_SHARE))
      return
    const lanes = this.#parts.tokens.lanes
    const amounts = this.#parts.writer.amounts
    const lane = row * TOKEN_LANES
    const poolBase = lanes[lane + T.virtualBase]
    const poolQuote = lanes[lane + T.virtualQuote]
    const most = Math.floor(poolQuote * MAX_REST_SHARE * this.#parts.random.unit())
    const quote = Math.min(left - ROUNDED_FEES_RAW, most)
    const base = quote <= 0 ? 0 : baseBought(poolBase, poolQuote, quote)
    if (base === 0) return
    amounts[A.quote] = quote
    amounts[A.base] = base
    this.#fees.set(row, FeePart.all)
    lanes[lane + T.virtualBase] = poolBase - base
    lanes[lane + T.virtualQuote] = poolQuote + quote
    lanes[lane + T.offsetQuote] = poolQuote + quote
    this.#parts.tokens.ints[row * TOKEN_INTS + I.trades]++
    this.#parts.writer.swap(row, wallet, 0)
    this.#addPaid()
    this.#parts.holders.give(row, place, base)
  }

  #addPaid(): void {
    const amounts = this.#parts.writer.amounts
    const fees = amounts[A.platformFee] + amounts[A.creatorFee] + amounts[A.cashback]
    this.#paid[0] += amounts[A.quote] + fees + amounts[A.liquidityFee]
  }
}

/** Quote (before fees) that exactly `baseRaw` costs. */
function quoteForBase(virtualBaseRaw: number, virtualQuoteRaw: number, baseRaw: number): number {
  return mulDivCeil(virtualQuoteRaw, baseRaw, virtualBaseRaw - baseRaw)
}
