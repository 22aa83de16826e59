import { Flag } from '../../events/swap-record.ts'
import type { CoinTrades } from './coin-trades.ts'
import type { ReserveMoves } from './reserve-moves.ts'
import type { TradeParts } from './trader.ts'
import { Known } from './world/holder-table.ts'
import { A } from './world/swap-writer.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, Trait } from './world/token-table.ts'

/** Chances of a sell out of 256, by the side of the target that the price is on. */
const SELLS_BELOW_TARGET = 74
const SELLS_ABOVE_TARGET = 150
/** A runner is bought until its curve is empty. */
const SELLS_OF_RUNNER = 64
/** Bounds of a pool's target, in launch quotes of its curve. */
const MIN_TARGET = 0.5
const MAX_TARGET = 60
const KNOWN_BALANCES = Flag.balanceBeforeGiven | Flag.balanceAfterGiven
const DRAWS = 8
/** One trade in so many goes to the curves closest to completion. */
const WATCHED_EVERY = 24
/** One trade in 64 is followed by something that moves reserves or supply without one. */
const MOVES_MASK = 0x30f0
/** One sell in eight of a wallet whose balance is known hands the rest on. */
const HAND_ON_MASK = 0x38

/** Decides who trades what next. */
export class Crowd {
  readonly #parts: TradeParts
  readonly #coins: CoinTrades
  readonly #moves: ReserveMoves
  readonly #agent: number
  #draws = 0
  /** A board is shown, so the curves closest to completion are traded again and again. */
  isWatching = false

  /** @param agent wallet of the mayhem agent */
  constructor(parts: TradeParts, coins: CoinTrades, moves: ReserveMoves, agent: number) {
    this.#parts = parts
    this.#coins = coins
    this.#moves = moves
    this.#agent = agent
  }

  /** One transaction of the market; false when there is no token to trade. */
  trade(): boolean {
    if (this.#parts.tickets.isEmpty) return false
    let row = this.#draw()
    for (let i = 0; i < DRAWS && this.#parts.tokens.has(row, Trait.frozen); i++)
      row = this.#parts.tickets.draw()
    const traits = this.#parts.tokens.ints[row * TOKEN_INTS + I.traits]
    if ((traits & Trait.frozen) !== 0) return false
    // A hop of a route may take its last place in the watch list.
    this.#parts.tokens.hold(row)
    this.#tradeRow(row, traits)
    this.#parts.tokens.release(row)
    return true
  }

  #tradeRow(row: number, traits: number): void {
    // As a signed integer it is not boxed on its way into calls.
    const bits = this.#parts.random.next() | 0
    this.#parts.writer.beginTransaction()
    if ((traits & (Trait.mayhem | Trait.amm)) === Trait.mayhem && (bits & 3) === 0) {
      this.#agentTrade(row, bits)
    } else if ((traits & Trait.coin) !== 0) {
      this.#coins.trade(row, this.#wantsToSell(row, bits))
    } else if (!this.#wantsToSell(row, bits) || !this.#sellSome(row)) {
      if ((bits & 0xf00) === 0) this.#roundTrip(row)
      else this.buySome(row, this.#parts.wallets.trader())
    }
    if ((traits & Trait.amm) !== 0 && (bits & 0xf8000000) === 0) this.#moveTarget(row)
    if ((bits & MOVES_MASK) === 0) this.#moves.any(row)
  }

  #draw(): number {
    if (this.#parts.watched.isEmpty || !this.isWatching) return this.#parts.tickets.draw()
    return ++this.#draws % WATCHED_EVERY === 0
      ? this.#parts.watched.next()
      : this.#parts.tickets.draw()
  }

  /** A buy of a common size; a new wallet's balances are in the swap. */
  buySome(row: number, wallet: number): number {
    this.#parts.sizes.draw(row, 1)
    return this.buyGiven(row, wallet, 0)
  }

  /** A buy of the amount in the writer's lane; -1 when a token that is quoted in a coin has no way to it. */
  buyGiven(row: number, wallet: number, flags: number): number {
    const known = this.#parts.wallets.isNew ? KNOWN_BALANCES : 0
    this.#parts.wallets.isNew = false
    if (this.#parts.tokens.has(row, Trait.coin)) return this.#coins.buy(row, wallet, flags | known)
    return this.#parts.trader.buy(row, wallet, flags | known)
  }

  #wantsToSell(row: number, bits: number): boolean {
    const ints = this.#parts.tokens.ints
    const int = row * TOKEN_INTS
    if (ints[int + I.holders] === 0) return false
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const isAbove = lanes[lane + T.virtualQuote] > lanes[lane + T.targetQuote]
    const isRunner = (ints[int + I.traits] & (Trait.runner | Trait.amm)) === Trait.runner
    const calm = isRunner ? SELLS_OF_RUNNER : SELLS_BELOW_TARGET
    return ((bits >>> 16) & 0xff) < (isAbove ? SELLS_ABOVE_TARGET : calm)
  }

  /** A sell of one of the recent holders: all of it, or a part. */
  #sellSome(row: number): boolean {
    const ints = this.#parts.tokens.ints
    const int = row * TOKEN_INTS
    const bits = this.#parts.random.next()
    let place = (((bits >>> 8) & 0xffff) * ints[int + I.holders]) >>> 16
    let isWhole = (bits & 7) < 5
    const dumpAt = this.#parts.tokens.lanes[row * TOKEN_LANES + T.dumpAt]
    if (
      ints[int + I.trades] >= dumpAt &&
      this.#parts.holders.walletAt(row, 0) === ints[int + I.creator]
    ) {
      place = 0
      isWhole = true
    }
    const held = this.#parts.holders.baseAt(row, place)
    const part = Math.ceil(held * (0.25 + (bits >>> 24) * 2 ** -9))
    const isKnown = this.#parts.holders.knownAt(row, place) !== Known.nothing
    if (isKnown && (bits & HAND_ON_MASK) === 0 && part < held) {
      this.#parts.writer.amounts[A.base] = part
      if (!this.#parts.trader.sell(row, place)) return false
      this.#parts.holdings.handOn(row, place, held - part)
      return true
    }
    this.#parts.writer.amounts[A.base] = isWhole ? held : part
    return this.#parts.trader.sell(row, place)
  }

  /** A volume bot: buys and sells the same in one transaction. */
  #roundTrip(row: number): void {
    const wallet = this.#parts.wallets.bot()
    // Its balance before is that of the transaction, not of the second swap: left unsaid.
    this.#parts.wallets.isNew = false
    const place = this.buySome(row, wallet)
    if (this.#parts.tokens.has(row, Trait.frozen)) return
    this.#parts.trader.sell(row, place)
  }

  #agentTrade(row: number, bits: number): void {
    const held = this.#parts.tokens.agentBase[row]
    if ((bits & 4) === 0 && held > 0) {
      this.#parts.writer.amounts[A.base] = held
      if (this.#parts.trader.agentSell(row, this.#agent)) return
    }
    this.#parts.sizes.draw(row, 1)
    this.#parts.trader.agentBuy(row, this.#agent)
  }

  /** Opinions change: a pool's price finds a new level now and then. */
  #moveTarget(row: number): void {
    const lanes = this.#parts.tokens.lanes
    const lane = row * TOKEN_LANES
    const launch = this.#parts.tokens.launchQuote[row]
    const moved = lanes[lane + T.targetQuote] * (0.53 + this.#parts.random.unit())
    lanes[lane + T.targetQuote] = Math.min(
      launch * MAX_TARGET,
      Math.max(launch * MIN_TARGET, moved),
    )
  }
}
