import type { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import { PositionReader } from '../../engine/read/position-reader.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { WALLET_WINDOWS, type WalletWindow } from '../../protocol/queries.ts'
import { finiteNumber, jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'
import { DAYS, WalletSums, WalletSumsReader, WINDOW_DAYS } from './wallet-sums.ts'

const MICRO = 1e6
const DAY_SECONDS = 86_400

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

/** One token as the best or the worst one of a wallet. */
interface Result {
  readonly mint: string
  readonly pnlUsd: number
  readonly json: string
}

/** What wallets did, by windows and days (docs/live.md, `GET /api/v2/wallets/:wallet`). */
export class WalletSummaries {
  readonly sums: WalletSumsReader
  readonly #trader: PositionReader

  constructor(engine: Engine) {
    this.sums = new WalletSumsReader(engine)
    const { state, top, links } = engine
    this.#trader = new PositionReader(state, new TokenReader(state, top, links))
  }

  /**
   * The keys of a wallet's answer behind its label, without the first comma; row -1 is a wallet that nobody knows.
   * @throws OutOfTime before all of its positions are read
   */
  keys(wallet: number, budget: Budget): string {
    const sums = wallet < 0 ? new WalletSums(this.sums.today) : this.sums.of(wallet, budget)
    const windows = WALLET_WINDOWS.map((name) => `"${name}":${windowJson(figuresOf(sums, name))}`)
    const { unrealizedMicroUsd, best, worst } = this.#resultsOf(sums)
    return (
      `"windows":{${windows.join(',')}},"unrealized_pnl_usd":${jsonNumber(unrealizedMicroUsd / MICRO)}` +
      `,"best":${best?.json ?? 'null'},"worst":${worst?.json ?? 'null'},"days":[${daysJson(sums)}]`
    )
  }

  /** What moves with prices: as of now. */
  #resultsOf(sums: WalletSums) {
    let unrealizedMicroUsd = 0
    let best: Result | null = null
    let worst: Result | null = null
    const settled = [sums.best, sums.worst].flatMap((one) => one?.position ?? [])
    for (const position of new Set([...sums.open, ...settled])) {
      const record = this.#trader.at(position)
      unrealizedMicroUsd += Math.round(finiteNumber(record.unrealizedUsd) * MICRO)
      const [pnlUsd, mint] = [finiteNumber(record.pnlUsd), record.token.mint]
      if (best === null || isFirst(pnlUsd, mint, best.pnlUsd, best.mint))
        best = resultOf(record, pnlUsd, mint)
      if (worst === null || isFirst(-pnlUsd, mint, -worst.pnlUsd, worst.mint))
        worst = resultOf(record, pnlUsd, mint)
    }
    return { unrealizedMicroUsd, best, worst }
  }
}

/** Is a result above another one, or equal and of a lesser mint? */
function isFirst(value: number, mint: string, other: number, otherMint: string): boolean {
  return value === other ? mint < otherMint : value > other
}

function resultOf(record: PositionReader, pnlUsd: number, mint: string): Result {
  const { name, symbol } = record.token
  const json =
    `{"mint":${jsonString(mint)},"name":${jsonString(name)},"symbol":${jsonString(symbol)}` +
    `,"pnl_usd":${jsonNumber(pnlUsd)},"realized_pnl_usd":${jsonNumber(record.realizedUsd)}` +
    `,"unrealized_pnl_usd":${jsonNumber(record.unrealizedUsd)},"is_open":${record.isOpen}}`
  return { mint, pnlUsd, json }
}

/** The figures of a window. */
export function figuresOf(sums: WalletSums, name: WalletWindow): WindowFigures {
  const days = WINDOW_DAYS[name]
  const firstDay = sums.today - days + 1
  const closed = sums.closed.filter(({ day }) => day >= firstDay)
  const wins = closed.filter(({ realized }) => realized > 0).length
  const losses = closed.filter(({ realized }) => realized < 0).length
  const isAll = name === 'all'
  return {
    realizedUsd: (isAll ? sums.realizedInAll : sumOf(sums.realized, days)) / MICRO,
    volumeUsd: (isAll ? sums.volumeInAll : sumOf(sums.volume, days)) / MICRO,
    trades: isAll ? sums.tradesInAll : sumOf(sums.trades, days),
    tokens: sums.lastDays.filter((day) => day >= firstDay).length,
    wins,
    losses,
    winRatePct: wins + losses === 0 ? 0 : (wins * 100) / (wins + losses),
    medianHoldSeconds: medianOf(closed.flatMap(({ holdSeconds }) => holdSeconds ?? [])),
  }
}

/** Of integers: exact. */
function sumOf(values: Float64Array, days: number): number {
  return values.subarray(DAYS - days).reduce((sum, value) => sum + value, 0)
}

/** The middle one, or the mean of the two in the middle; 0 of none. */
export function medianOf(values: readonly number[]): number {
  const sorted = Float64Array.from(values).sort()
  const middle = sorted.length >>> 1
  const [low = 0, high = 0] = [sorted[(sorted.length - 1) >>> 1], sorted[middle]]
  return (low + high) / 2
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
