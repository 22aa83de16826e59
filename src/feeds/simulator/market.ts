import { Random } from '../../base/random.ts'
import type { RecordSink } from '../../events/event-sink.ts'
import { MAYHEM_AGENT } from '../../events/platform.ts'
import { CoinTrades } from './coin-trades.ts'
import { Crowd } from './crowd.ts'
import { Graduation } from './graduation.ts'
import { Launcher } from './launcher.ts'
import { ReserveMoves } from './reserve-moves.ts'
import { SizeDraw, TICKETS } from './size-draw.ts'
import { type HeldMarket, TakeUp } from './take-up.ts'
import { Trader } from './trader.ts'
import { TicketPool, WatchList } from './world/attention.ts'
import { Appointment, Appointments, ChainClock, slotAt } from './world/chain-clock.ts'
import { FeeSchedule } from './world/fee-schedule.ts'
import { HolderTable } from './world/holder-table.ts'
import { Holdings } from './world/holdings.ts'
import { SwapWriter } from './world/swap-writer.ts'
import { TokenTable } from './world/token-table.ts'
import { type Interner, WalletPool } from './world/wallet-pool.ts'

/** 2.9 million curve trades and 34,000 launches a day (mainnet, July 2026). */
const TRADES_PER_LAUNCH = 85
/** Share of the tokens' tickets that is in the draw at a time: the rest of them is dead. */
const LIVE_TICKET_SHARE = 0.25
const MIN_TICKETS = 2_048
const MAX_TICKETS_IN_DRAW = 131_072
/** Rows for tokens that wait for something and have no ticket. */
const SPARE_ROWS = 8_192
const HISTORY_PRICE_INTERVAL_SECONDS = 10
/** More than any history covers. */
const HISTORY_ROOM_SECONDS = 4 * 86_400
/** Numbers of earlier events that give different markets. */
const SEED_EVENTS = 2 ** 20
const START_USD = 150
const DAY_SECONDS = 86_400
/** Standard move in a second: about 4 % a day. */
const MOVE_PER_ROOT_SECOND = 0.04 / Math.sqrt(DAY_SECONDS)
/** Share of the distance to the start price that is made up in a day. */
const PULL_PER_SECOND = 0.2 / DAY_SECONDS
/** A clock may be set ahead by years: one step as long as that could end below nothing. */
const STEP_SECONDS_MAX = DAY_SECONDS

export interface MarketOptions {
  readonly seed: number
  /** Tokens of the market; sets the size of its tables. */
  readonly tokens: number
  /** Unix seconds; part of the seed, so that a later start invents other tokens. */
  readonly startSeconds: number
  /** Nothing before it is emitted; where it is left out, there is room for a history of some days. */
  readonly fromSeconds?: number
  /** No slot below it is emitted: a market that follows another goes on behind it. */
  readonly firstSlot?: number
  /** Events emitted before it; part of the seed, so that two starts in one second do not invent the same. */
  readonly earlierEvents?: number
  /** Dollars per SOL that it goes on from; 0 for none. */
  readonly solPriceUsd?: number
  readonly addressBook: Interner
}

/**
 * The simulated market: everything it emits is a pure function of its options and of the calls made.
 * Fixed memory, whatever the number of tokens and swaps.
 */
export class Market {
  /** Event time, unix seconds with fraction. */
  seconds = 0
  readonly random: Random
  readonly #world: ReturnType<typeof newWorld>
  #priceSeconds = 0

  constructor(options: MarketOptions, sink: RecordSink) {
    this.#world = newWorld(options, sink)
    this.random = this.#world.parts.random
  }

  /** Swaps emitted so far. */
  get swaps(): number {
    return this.#world.parts.writer.swaps
  }

  /**
   * Takes up the market that an earlier run left, so that it goes on where it stopped; before anything else.
   * Yields now and then; returns the number of its tokens, 0 when it has none of the simulator.
   */
  takeUp(held: HeldMarket): Generator<void, number> {
    return new TakeUp(this.#world.parts, held).run()
  }

  /** Moves event time on; it never goes back. */
  advance(seconds: number, priceIntervalSeconds = 1): void {
    const { clock, appointments } = this.#world.parts
    if (seconds > this.seconds) this.seconds = seconds
    if (this.seconds < clock.slotEndSeconds) return
    const target = slotAt(this.seconds)
    appointments.runUntil(target, clock, this.#world.onDue)
    if (clock.slot < target || this.#priceSeconds === 0) clock.enterSlot(target)
    if (clock.timestamp - this.#priceSeconds >= priceIntervalSeconds) this.#emitPrice()
  }

  /** One more transaction: a launch now and then, else a trade. */
  step(launchProbability = 1 / TRADES_PER_LAUNCH): boolean {
    if (this.random.chance(launchProbability) || !this.#world.crowd.trade()) {
      this.#world.launcher.launch('noticed')
      return true
    }
    return false
  }

  /** A launch that nobody notices at first. */
  launchQuietly(): void {
    this.#world.launcher.launch('quiet')
  }

  /** The same, of a token from before the day that the market's history covers. */
  launchOld(): void {
    this.#world.launcher.launch('old')
  }

  /** At least `count` more swaps, event time moving evenly on to `seconds`. */
  run(count: number, seconds: number): void {
    this.#world.crowd.isWatching = true
    const from = this.seconds
    const first = this.#world.parts.writer.swaps
    const pace = (seconds - from) / count
    let made = 0
    while (made < count) {
      this.advance(Math.min(from + pace * made, seconds))
      this.step()
      made = this.#world.parts.writer.swaps - first
    }
    this.advance(seconds)
  }

  /** Advance in history, where the price need not be emitted every second. */
  advanceHistory(seconds: number): void {
    this.advance(seconds, HISTORY_PRICE_INTERVAL_SECONDS)
  }

  /** Hands over the swaps generated so far. */
  flushSwaps(): void {
    this.#world.parts.writer.flush()
  }

  /** Hands over everything generated so far. */
  flush(): void {
    this.#world.launcher.flush()
    this.#world.parts.writer.flush()
  }

  #emitPrice(): void {
    const { timestamp } = this.#world.parts.clock
    // The first price has no price before it: the walk starts with one second.
    const seconds = this.#priceSeconds === 0 ? 1 : timestamp - this.#priceSeconds
    this.#priceSeconds = timestamp
    this.#world.parts.writer.event({
      type: 'sol_price',
      timestamp,
      usd: this.#world.solPrice.next(seconds),
    })
  }
}

/** The tables of a market, and the actors who work on them. */
function newWorld(options: MarketOptions, sink: RecordSink) {
  const { seed, startSeconds, addressBook: book } = options
  const earlier = (options.earlierEvents ?? 0) % SEED_EVENTS
  const random = new Random(seed, startSeconds + earlier * 2 ** 32)
  const draws = ticketsInDraw(options.tokens)
  const tokens = new TokenTable(draws + SPARE_ROWS)
  const tickets = new TicketPool(draws, tokens, random)
  const holders = new HolderTable(draws + SPARE_ROWS, tokens)
  const wallets = new WalletPool(options.tokens, book, random)
  const fromSeconds = options.fromSeconds ?? startSeconds - HISTORY_ROOM_SECONDS
  const clock = new ChainClock(fromSeconds, options.firstSlot ?? 0)
  const appointments = new Appointments()
  const writer = new SwapWriter(sink, clock, tokens, random)
  const watched = new WatchList(tokens)
  const tables = { tokens, tickets, watched, appointments, holders, wallets }
  const shared = { ...tables, clock, writer, book, random }
  const graduation = new Graduation(shared)
  const parts = { ...shared, graduation }
  const sizes = new SizeDraw(parts)
  const holdings = new Holdings(parts)
  const fees = new FeeSchedule(parts)
  const trader = new Trader(shared, graduation, fees)
  const trading = { ...parts, trader, fees, sizes, holdings }
  const moves = new ReserveMoves(trading)
  const coins = new CoinTrades(trading)
  const crowd = new Crowd(trading, coins, moves, book.wallet(MAYHEM_AGENT))
  const solPrice = new SolPriceWalk(random, options.solPriceUsd)
  const launcher = new Launcher(trading, crowd, moves)
  const onDue = (row: number, kind: number) => {
    if (kind === Appointment.migrate) graduation.migrate(row)
    else launcher.snipe(row)
  }
  return { parts, crowd, launcher, solPrice, onDue }
}

function ticketsInDraw(tokens: number): number {
  const meanTickets = TICKETS.reduce((sum, tickets) => sum + tickets, 0) / TICKETS.length
  const wanted = Math.ceil(tokens * meanTickets * LIVE_TICKET_SHARE)
  return Math.min(MAX_TICKETS_IN_DRAW, Math.max(MIN_TICKETS, wanted))
}

/** Dollars per SOL: a random walk around its start, in whole cents. */
export class SolPriceWalk {
  #usd: number
  readonly #random: Random

  /** Goes on from `usd`; 0 for none. */
  constructor(random: Random, usd = 0) {
    this.#random = random
    this.#usd = usd > 0 ? usd : START_USD
  }

  /** The price `seconds` after the last one; after more than a day that of a day. */
  next(seconds: number): number {
    const step = Math.min(seconds, STEP_SECONDS_MAX)
    // Three uniform draws are close enough to a normal one; their sum has a variance of 1/4.
    const draw = (this.#random.unit() + this.#random.unit() + this.#random.unit() - 1.5) * 2
    const pull = PULL_PER_SECOND * step * (START_USD - this.#usd)
    this.#usd = this.#usd * (1 + draw * MOVE_PER_ROOT_SECOND * Math.sqrt(step)) + pull
    return Math.round(this.#usd * 100) / 100
  }
}
