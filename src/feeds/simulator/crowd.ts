import type { Random } from '../../base/random.ts'
import { Flag } from '../../events/swap-record.ts'
import type { CoinTrades } from './coin-trades.ts'
import type { ReserveMoves } from './reserve-moves.ts'
import type { SizeDraw } from './size-draw.ts'
import type { Trader } from './trader.ts'
import { type HolderTable, Known } from './world/holder-table.ts'
import type { Holdings } from './world/holdings.ts'
import type { MarketParts } from './world/parts.ts'
import { A, type SwapWriter } from './world/swap-writer.ts'
import type { TicketPool } from './world/ticket-pool.ts'
import { I, T, TOKEN_INTS, TOKEN_LANES, type TokenTable, Trait } from './world/token-table.ts'
import type { WalletPool } from './world/wallet-pool.ts'
import type { WatchList } from './world/watch-list.ts'

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
/** One trade in so many goes to the curves nearest to completion. */
const WATCHED_EVERY = 24
/** One trade in 64 is followed by something that moves reserves or supply without one. */
const MOVES_MASK = 0x30f0
/** One sell in eight of a wallet whose balance is known hands the rest on. */
const HAND_ON_MASK = 0x38

interface CrowdParts
  extends Pick<
    MarketParts,
    'tokens' | 'tickets' | 'watched' | 'holders' | 'wallets' | 'writer' | 'random'
  > {
  readonly trader: Trader
  readonly coins: CoinTrades
  readonly sizes: SizeDraw
  readonly holdings: Holdings
  readonly moves: ReserveMoves
  /** Wallet of the mayhem agent. */
  readonly agent: number
}

/** Decides who trades what next. */
export class Crowd {
  readonly #tokens: TokenTable
  readonly #tickets: TicketPool
  readonly #watched: WatchList
  readonly #holders: HolderTable
  readonly #wallets: WalletPool
  readonly #trader: Trader
  readonly #coins: CoinTrades
  readonly #sizes: SizeDraw
  readonly #holdings: Holdings
  readonly #moves: ReserveMoves
  readonly #writer: SwapWriter
  readonly #random: Random
  readonly #agent: number
  #draws = 0
  /** Somebody looks at the board, so that the curves nearest to completion are traded again and again. */
  isWatching = false

  constructor(parts: CrowdParts) {
    this.#tokens = parts.tokens
    this.#tickets = parts.tickets
    this.#watched = parts.watched
    this.#holders = parts.holders
    this.#wallets = parts.wallets
    this.#trader = parts.trader
    this.#coins = parts.coins
    this.#sizes = parts.sizes
    this.#holdings = parts.holdings
    this.#moves = parts.moves
    this.#writer = parts.writer
    this.#random = parts.random
    this.#agent = parts.agent
  }

  /** One transaction of the market; false when there is no token to trade. */
  trade(): boolean {
    if (this.#tickets.isEmpty) return false
    let row = this.#draw()
    for (let i = 0; i < DRAWS && this.#tokens.has(row, Trait.frozen); i++)
      row = this.#tickets.draw()
    const traits = this.#tokens.ints[row * TOKEN_INTS + I.traits]
    if ((traits & Trait.frozen) !== 0) return false
    // A hop of a route may take its last place in the watch list.
    this.#tokens.hold(row)
    this.#tradeRow(row, traits)
    this.#tokens.release(row)
    return true
  }

  #tradeRow(row: number, traits: number): void {
    // As a signed integer it is not boxed on its way into calls.
    const bits = this.#random.next() | 0
    this.#writer.beginTransaction()
    if ((traits & (Trait.mayhem | Trait.amm)) === Trait.mayhem && (bits & 3) === 0) {
      this.#agentTrade(row, bits)
    } else if ((traits & Trait.coin) !== 0) {
      this.#coins.trade(row, this.#wantsToSell(row, bits))
    } else if (!this.#wantsToSell(row, bits) || !this.#sellSome(row)) {
      if ((bits & 0xf00) === 0) this.#roundTrip(row)
      else this.buySome(row, this.#wallets.trader())
    }
    if ((traits & Trait.amm) !== 0 && (bits & 0xf8000000) === 0) this.#moveTarget(row)
    if ((bits & MOVES_MASK) === 0) this.#moves.any(row)
  }

  #draw(): number {
    if (this.#watched.isEmpty || !this.isWatching) return this.#tickets.draw()
    return ++this.#draws % WATCHED_EVERY === 0 ? this.#watched.next() : this.#tickets.draw()
  }

  /** A buy of a common size; tells the balances of a wallet that is new. */
  buySome(row: number, wallet: number): number {
    this.#sizes.draw(row, 1)
    return this.buyGiven(row, wallet, 0)
  }

  /** A buy of the amount in the writer's lane; -1 when a token that is quoted in a coin has no way to it. */
  buyGiven(row: number, wallet: number, flags: number): number {
    const known = this.#wallets.isNew ? KNOWN_BALANCES : 0
    this.#wallets.isNew = false
    if (this.#tokens.has(row, Trait.coin)) return this.#coins.buy(row, wallet, flags | known)
    return this.#trader.buy(row, wallet, flags | known)
  }

  #wantsToSell(row: number, bits: number): boolean {
    const ints = this.#tokens.ints
    const int = row * TOKEN_INTS
    if (ints[int + I.holders] === 0) return false
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const isAbove = lanes[lane + T.virtualQuote] > lanes[lane + T.targetQuote]
    const isRunner = (ints[int + I.traits] & (Trait.runner | Trait.amm)) === Trait.runner
    const calm = isRunner ? SELLS_OF_RUNNER : SELLS_BELOW_TARGET
    return ((bits >>> 16) & 0xff) < (isAbove ? SELLS_ABOVE_TARGET : calm)
  }

  /** A sell of one of the recent holders: all of it, or a part. */
  #sellSome(row: number): boolean {
    const ints = this.#tokens.ints
    const int = row * TOKEN_INTS
    const bits = this.#random.next()
    let place = (((bits >>> 8) & 0xffff) * ints[int + I.holders]) >>> 16
    let isWhole = (bits & 7) < 5
    const dumpAt = this.#tokens.lanes[row * TOKEN_LANES + T.dumpAt]
    if (
      ints[int + I.trades] >= dumpAt &&
      this.#holders.walletAt(row, 0) === ints[int + I.creator]
    ) {
      place = 0
      isWhole = true
    }
    const held = this.#holders.baseAt(row, place)
    const part = Math.ceil(held * (0.25 + (bits >>> 24) * 2 ** -9))
    const isKnown = this.#holders.knownAt(row, place) !== Known.nothing
    if (isKnown && (bits & HAND_ON_MASK) === 0 && part < held) {
      this.#writer.amounts[A.base] = part
      if (!this.#trader.sell(row, place)) return false
      this.#holdings.handOn(row, place, held - part)
      return true
    }
    this.#writer.amounts[A.base] = isWhole ? held : part
    return this.#trader.sell(row, place)
  }

  /** A volume bot: buys and sells the same in one transaction. */
  #roundTrip(row: number): void {
    const wallet = this.#wallets.bot()
    // Its balance before is that of the transaction, not of the second swap: left untold.
    this.#wallets.isNew = false
    const place = this.buySome(row, wallet)
    if (this.#tokens.has(row, Trait.frozen)) return
    this.#trader.sell(row, place)
  }

  #agentTrade(row: number, bits: number): void {
    const held = this.#tokens.agentBase[row]
    if ((bits & 4) === 0 && held > 0) {
      this.#writer.amounts[A.base] = held
      if (this.#trader.agentSell(row, this.#agent)) return
    }
    this.#sizes.draw(row, 1)
    this.#trader.agentBuy(row, this.#agent)
  }

  /** Opinions change: a pool's price finds a new level now and then. */
  #moveTarget(row: number): void {
    const lanes = this.#tokens.lanes
    const lane = row * TOKEN_LANES
    const launch = this.#tokens.launchQuote[row]
    const moved = lanes[lane + T.targetQuote] * (0.53 + this.#random.unit())
    lanes[lane + T.targetQuote] = Math.min(
      launch * MAX_TARGET,
      Math.max(launch * MIN_TARGET, moved),
    )
  }
}
