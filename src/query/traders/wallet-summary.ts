import type { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import { select } from '../../engine/memory/ranked.ts'
import { PositionReader } from '../../engine/read/position-reader.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import type { State } from '../../engine/state/state.ts'
import { WALLET_WINDOWS, type WalletWindow } from '../../protocol/queries.ts'
import { finiteNumber, jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'
import { PositionResults } from './position-results.ts'
import {
  DAYS,
  POSITIONS_A_LOOK,
  WalletSums,
  WalletSumsReader,
  WINDOW_DAYS,
  type WindowFigures,
} from './wallet-sums.ts'

const MICRO = 1e6
const DAY_SECONDS = 86_400

/** What wallets did, by windows and days (docs/live.md, `GET /api/v2/wallets/:wallet`). */
export class WalletSummaries {
  readonly sums: WalletSumsReader
  readonly #state: State
  readonly #trader: PositionReader
  readonly #results = new WeakMap<WalletSums, PositionResults>()

  constructor(engine: Engine) {
    this.sums = new WalletSumsReader(engine)
    const { state, top, links } = engine
    this.#state = state
    this.#trader = new PositionReader(state, new TokenReader(state, top, links))
  }

  /**
   * The keys of a wallet's answer behind its label, without the first comma; row -1 is a wallet that nobody knows.
   * @throws OutOfTime before all of its positions are read
   */
  keys(wallet: number, budget: Budget): string {
    const sums = wallet < 0 ? new WalletSums(this.sums.today) : this.sums.of(wallet, budget)
    const slice = sums.budgetOf(budget)
    const windows = WALLET_WINDOWS.map(
      (name) => `"${name}":${windowJson(figuresOf(sums, name, slice))}`,
    )
    const { unrealizedMicroUsd, best, worst } = this.#resultsOf(sums).now(slice)
    sums.isTold = true
    return (
      `"windows":{${windows.join(',')}},"unrealized_pnl_usd":${jsonNumber(unrealizedMicroUsd / MICRO)}` +
      `,"best":${this.#resultJson(best)},"worst":${this.#resultJson(worst)},"days":[${daysJson(sums)}]`
    )
  }

  #resultsOf(sums: WalletSums): PositionResults {
    const known = this.#results.get(sums)
    if (known !== undefined) return known
    const settled = [sums.best, sums.worst].flatMap((one) => one?.position ?? [])
    const positions = Array.from(new Set([...sums.open, ...settled]))
    const results = new PositionResults(this.#state, this.#trader, positions)
    this.#results.set(sums, results)
    return results
  }

  #resultJson(position: number | null): string {
    if (position === null) return 'null'
    const record = this.#trader.at(position)
    const { mint, name, symbol } = record.token
    return (
      `{"mint":${jsonString(mint)},"name":${jsonString(name)},"symbol":${jsonString(symbol)}` +
      `,"pnl_usd":${jsonNumber(finiteNumber(record.pnlUsd))},"realized_pnl_usd":${jsonNumber(record.realizedUsd)}` +
      `,"unrealized_pnl_usd":${jsonNumber(record.unrealizedUsd)},"is_open":${record.isOpen}}`
    )
  }
}

/**
 * The figures of a window, made once.
 * @throws OutOfTime behind those of a wallet with many tokens
 */
export function figuresOf(sums: WalletSums, name: WalletWindow, budget: Budget): WindowFigures {
  const known = sums.figures.get(name)
  if (known !== undefined) return known
  const figures = windowOf(sums, name)
  sums.figures.set(name, figures)
  if (sums.lastDays.length > POSITIONS_A_LOOK) budget.throwIfSpent()
  return figures
}

function windowOf(sums: WalletSums, name: WalletWindow): WindowFigures {
  const days = WINDOW_DAYS[name]
  const firstDay = sums.today - days + 1
  const closed = sums.closed.filter(({ day }) => day >= firstDay)
  let [wins, losses] = [0, 0]
  const holds: number[] = []
  for (const { realized, holdSeconds } of closed) {
    wins += Number(realized > 0)
    losses += Number(realized < 0)
    if (holdSeconds !== null) holds.push(holdSeconds)
  }
  const isAll = name === 'all'
  return {
    realizedUsd: (isAll ? sums.realizedInAll : sumOf(sums.realized, days)) / MICRO,
    volumeUsd: (isAll ? sums.volumeInAll : sumOf(sums.volume, days)) / MICRO,
    trades: isAll ? sums.tradesInAll : sumOf(sums.trades, days),
    tokens: sums.lastDays.filter((day) => day >= firstDay).length,
    wins,
    losses,
    winRatePct: wins + losses === 0 ? 0 : (wins * 100) / (wins + losses),
    medianHoldSeconds: medianOf(holds),
  }
}

/** Of integers: exact. */
function sumOf(values: Float64Array, days: number): number {
  return values.subarray(DAYS - days).reduce((sum, value) => sum + value, 0)
}

/** The middle one, or the mean of the two in the middle; 0 of none. */
export function medianOf(values: ArrayLike<number>): number {
  if (values.length === 0) return 0
  const moved = new Float64Array(values)
  const middle = moved.length >>> 1
  select(moved, middle, 0, moved.length - 1)
  const high = moved[middle]
  if (moved.length % 2 === 1) return high
  // What stands before is none greater.
  return (moved.subarray(0, middle).reduce((most, one) => Math.max(most, one)) + high) / 2
}

function windowJson(figures: WindowFigures): string {
  return (
    `{"realized_pnl_usd":${jsonNumber(figures.realizedUsd)}` +
    `,"volume_usd":${jsonNumber(figures.volumeUsd)},"trades":${figures.trades}` +
    `,"tokens":${figures.tokens},"wins":${figures.wins},"losses":${figures.losses}` +
    `,"win_rate_pct":${jsonNumber(figures.winRatePct)}` +
    `,"median_hold_seconds":${jsonNumber(figures.medianHoldSeconds)}}`
  )
}

/** The oldest first, with the days of nothing. */
function daysJson(sums: WalletSums): string {
  const days = Array.from({ length: DAYS }, (_, place) => {
    const day = timeText((sums.today - DAYS + 1 + place) * DAY_SECONDS).slice(0, 10)
    const realized = (sums.realized[place] ?? 0) / MICRO
    const volume = (sums.volume[place] ?? 0) / MICRO
    return (
      `{"day":"${day}","realized_pnl_usd":${jsonNumber(realized)}` +
      `,"volume_usd":${jsonNumber(volume)},"trades":${sums.trades[place] ?? 0}}`
    )
  })
  return days.join(',')
}
