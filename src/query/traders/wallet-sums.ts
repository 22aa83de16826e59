import { LRUCache } from 'lru-cache'
import { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import { PositionTrades } from '../../engine/history/position-trades.ts'
import { dayOf, PositionDays } from '../../engine/read/position-days.ts'
import { copyPosition } from '../../engine/state/lanes.ts'
import { PositionLane, PositionRowLane } from '../../engine/state/layout.ts'
import { PositionRecord } from '../../engine/state/position-rows.ts'
import type { WalletWindow } from '../../protocol/queries.ts'

/** Days that a wallet is shown by, today among them. */
export const DAYS = 30

/** Windows in UTC days with today; `all` has no begin. */
export const WINDOW_DAYS: { readonly [W in WalletWindow]: number } = {
  ...{ '1d': 1, '7d': 7, '30d': DAYS },
  all: Number.POSITIVE_INFINITY,
}

/** Positions between two looks at the budget. */
export const POSITIONS_A_LOOK = 256
/** Wallets whose sums are remembered; the one read longest ago goes. */
const WALLETS_MAX = 64
/** A read that was begun so often, because the wallet went on trading, is made in one go. */
const BEGUN_MAX = 4

/** Figures of a wallet in one window, in the units of the wire. */
export interface WindowFigures {
  readonly realizedUsd: number
  readonly volumeUsd: number
  readonly trades: number
  readonly tokens: number
  readonly wins: number
  readonly losses: number
  readonly winRatePct: number
  readonly medianHoldSeconds: number
}

/** A token that the wallet sold off: it had some, sold, and holds none. */
interface Closed {
  readonly day: number
  readonly realized: number
  /** From its first buy to its last sale; null: it never bought. */
  readonly holdSeconds: number | null
}

/** A position whose result no price changes. */
interface Settled {
  readonly position: number
  readonly realized: number
  readonly mint: string
}

/** Is `value` above `other`, or equal and of a lesser mint? */
function isBefore(
  value: number,
  { mint }: { readonly mint: string },
  other: number,
  { mint: otherMint }: { readonly mint: string },
): boolean {
  return value === other ? mint < otherMint : value > other
}

/** What a wallet did by days and in all, in micro-USD. */
export class WalletSums {
  /** Number of the UTC day that is today. */
  readonly today: number
  /** Days before and today, the oldest first. */
  readonly realized = new Float64Array(DAYS)
  readonly volume = new Float64Array(DAYS)
  readonly trades = new Float64Array(DAYS)
  realizedInAll = 0
  volumeInAll = 0
  tradesInAll = 0
  readonly closed: Closed[] = []
  /** Day of the last trade of each token. */
  readonly lastDays: number[] = []
  /** Traded positions with an inventory or a cost: their result moves with the price. */
  readonly open: number[] = []
  /** Of the other traded positions the one that brought most, and the one that brought least. */
  best: Settled | null = null
  worst: Settled | null = null
  /** Of the windows that were asked for. */
  readonly figures = new Map<WalletWindow, WindowFigures>()
  /** How often they were begun since an answer was made of them. */
  readonly begun: number
  /** Was an answer made of them? */
  isTold = false

  constructor(today: number, begun = 1) {
    this.today = today
    this.begun = begun
  }

  /** What the answer may take in this turn: all of it, where the wallet's trades had it begun so often. */
  budgetOf(budget: Budget): Budget {
    return this.begun >= BEGUN_MAX ? Budget.unlimited : budget
  }

  /** A position whose result is what it realised. */
  takeSettled(one: Settled): void {
    if (this.best === null || isBefore(one.realized, one, this.best.realized, this.best))
      this.best = one
    if (this.worst === null || isBefore(this.worst.realized, one, one.realized, this.worst))
      this.worst = one
  }

  /** Place of a day in the columns; -1: long ago. A trade ahead of the clock counts as of today. */
  placeOf(day: number): number {
    return Math.max(-1, Math.min(DAYS - 1, day - this.today + DAYS - 1))
  }
}

/** A read of a wallet's sums, as far as it came. */
interface Reading {
  readonly sums: WalletSums
  readonly positions: readonly number[]
  /** Positions before this place are in the sums. */
  next: number
  /** The log of changes was looked at up to this place. */
  readTo: number
  /** Evictions and restores so far: they move positions. */
  readonly moves: number
}

/**
 * Sums of wallets over all of their positions, those of dormant tokens too. Nearly every position is read in its own
 * lanes; `PositionDays` says which are folded again. The sums of a wallet stay good until one of its positions
 * changes or is moved, so that a read can be made in pieces and made again.
 */
export class WalletSumsReader {
  readonly #engine: Engine
  readonly #days: PositionDays
  readonly #trades: PositionTrades
  readonly #readings = new LRUCache<number, Reading>({ max: WALLETS_MAX })
  readonly #record = new PositionRecord()

  constructor(engine: Engine) {
    this.#engine = engine
    this.#trades = new PositionTrades(engine.state, () => engine.coldStore.reach())
    this.#days = new PositionDays(this.#trades)
  }

  get bytes(): number {
    return this.#trades.bytes
  }

  /**
   * The sums of a wallet row as of now; positions in them are good until the next event.
   * @throws OutOfTime before all is read; the next call goes on
   */
  of(wallet: number, budget: Budget): WalletSums {
    const reading = this.#current(wallet) ?? this.#begin(wallet, budget)
    const { sums, positions } = reading
    const slice = sums.budgetOf(budget)
    while (reading.next < positions.length) {
      const end = Math.min(positions.length, reading.next + POSITIONS_A_LOOK)
      for (; reading.next < end; reading.next++) this.#add(sums, positions[reading.next], budget)
      if (end < positions.length) slice.throwIfSpent()
    }
    return sums
  }

  /** What was read of the wallet, if it is still right. */
  #current(wallet: number): Reading | undefined {
    const reading = this.#readings.get(wallet)
    if (reading === undefined) return undefined
    const { positionChanges: log, positions } = this.#engine.state
    const isSame =
      reading.sums.today === this.today &&
      reading.moves === this.#moves &&
      log.reaches(reading.readTo)
    if (!isSame) return undefined
    for (; reading.readTo < log.end; reading.readTo++)
      if (positions.get(log.at(reading.readTo), PositionRowLane.wallet) === wallet) return undefined
    return reading
  }

  #begin(wallet: number, budget: Budget): Reading {
    const before = this.#readings.get(wallet)?.sums
    const reading = {
      sums: new WalletSums(this.today, before?.isTold === false ? before.begun + 1 : 1),
      positions: [...this.#engine.positions.ofWallet(wallet, budget)],
      next: 0,
      readTo: this.#engine.state.positionChanges.end,
      moves: this.#moves,
    }
    this.#readings.set(wallet, reading)
    return reading
  }

  /** Number of the present UTC day. */
  get today(): number {
    return dayOf(this.#engine.state.now)
  }

  get #moves(): number {
    const { dormant } = this.#engine.state
    return dormant.tape.count + dormant.wakings
  }

  #add(sums: WalletSums, position: number, budget: Budget): void {
    copyPosition(this.#engine.state, position, this.#record)
    const { u32: p, f64: pf } = this.#record
    const trades = p[PositionLane.buys] + p[PositionLane.sells]
    if (trades === 0) return
    const firstDay = sums.today - DAYS + 1
    const found: (readonly [number, number, number, number])[] = []
    const note = (...day: (typeof found)[number]) => void found.push(day)
    // It may end here for now: nothing of the position is in the sums yet.
    this.#days.visit(position, this.#record, firstDay, note, budget)
    for (const [day, realized, volume, count] of found) {
      const place = sums.placeOf(day)
      if (place < 0) continue
      sums.realized[place] += realized
      sums.volume[place] += volume
      sums.trades[place] += count
    }
    const realized = pf[PositionLane.realizedUsdF]
    sums.realizedInAll += realized
    sums.volumeInAll += pf[PositionLane.boughtUsdF] + pf[PositionLane.soldUsdF]
    sums.tradesInAll += trades
    sums.lastDays.push(dayOf(lastTradeAt(p)))
    const closed = closedAt(p, realized)
    if (closed !== null) sums.closed.push(closed)
    const inventory = p[PositionLane.inventoryLo] | p[PositionLane.inventoryLo + 1]
    const isOpen = inventory !== 0 || pf[PositionLane.costUsdF] !== 0
    if (isOpen) sums.open.push(position)
    else {
      const mint = this.#engine.state.book.mintOf(p[PositionLane.token])
      sums.takeSettled({ position, realized, mint })
    }
  }
}

function lastTradeAt(p: Uint32Array): number {
  const buy = p[PositionLane.buys] > 0 ? p[PositionLane.lastBuyAt] : 0
  const sell = p[PositionLane.sells] > 0 ? p[PositionLane.lastSellAt] : 0
  return Math.max(buy, sell)
}

function closedAt(p: Uint32Array, realized: number): Closed | null {
  const balance = p[PositionLane.balanceLo] | p[PositionLane.balanceLo + 1]
  if (balance !== 0 || p[PositionLane.sells] === 0) return null
  const soldAt = p[PositionLane.lastSellAt]
  const hasBought = p[PositionLane.buys] > 0
  const holdSeconds = hasBought ? Math.max(0, soldAt - p[PositionLane.firstBuyAt]) : null
  return { day: dayOf(soldAt), realized, holdSeconds }
}
