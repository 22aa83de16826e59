/** What a wallet did, by windows and UTC days (docs/live.md, "GET /api/v2/wallets/:wallet"). */
import type { WalletRanksQuery } from '../../src/protocol/queries.ts'
import { addSaturating, compareText, whole, wire } from './exact.ts'
import type { Metrics } from './metrics.ts'
import { clamp, costOfPart, EMPTY, type Position, proceedsOfPart } from './positions.ts'
import type { MetricsOf } from './records.ts'
import { decimalsOf, type World } from './world.ts'

const DAY_SECONDS = 86_400
const WINDOWS = { '1d': 1, '7d': 7, '30d': 30, all: Number.POSITIVE_INFINITY }

interface Trade {
  readonly day: number
  readonly realised: number
  readonly paid: number
}

const dayOf = (seconds: number): number => Math.floor(seconds / DAY_SECONDS)
const sum = (values: readonly number[]): number => values.reduce((a, b) => a + b, 0)

/** Every swap with what it realised by the balances that swaps show; the last sale has what is missing then. */
function tradesOf(position: Position): Trade[] {
  let inventory = EMPTY
  let unclamped = EMPTY
  const trades: Trade[] = []
  for (const [place, folded] of position.swaps.entries()) {
    const { swap, transaction, balanceBeforeRaw, balanceAfterRaw } = folded
    const isSame = position.swaps[place - 1]?.transaction === transaction
    inventory = isSame ? unclamped : clamp(inventory, balanceBeforeRaw)
    const paid = position.paidMicroUsd.get(folded) ?? 0
    const { raw, costMicroUsd } = inventory
    let realised = 0
    if (swap.direction === 'buy') {
      const held = addSaturating(raw, swap.baseRaw)
      inventory = { ...inventory, raw: held, costMicroUsd: costMicroUsd + paid }
    } else {
      const tracked = swap.baseRaw < raw ? swap.baseRaw : raw
      const part = costOfPart(costMicroUsd, tracked, raw)
      realised = proceedsOfPart(paid, tracked, swap.baseRaw) - part
      inventory = { ...inventory, raw: raw - tracked, costMicroUsd: costMicroUsd - part }
    }
    unclamped = inventory
    inventory = clamp(inventory, balanceAfterRaw)
    trades.push({ day: dayOf(swap.timestamp), realised, paid })
  }
  const missing = position.realisedMicroUsd - sum(trades.map(({ realised }) => realised))
  const sale = position.swaps.findLast(({ swap }) => swap.direction === 'sell')
  if (missing !== 0 && sale !== undefined)
    trades.push({ day: dayOf(sale.swap.timestamp), realised: missing, paid: Number.NaN })
  return trades
}

function lastOf(position: Position, direction: string): number | undefined {
  return position.swaps.findLast(({ swap }) => swap.direction === direction)?.swap.timestamp
}

/** Sold off: some was sold, and nothing is held. */
function closedAt(position: Position): number | undefined {
  return position.balanceRaw > 0n ? undefined : lastOf(position, 'sell')
}

function windowOf(positions: readonly Position[], trades: readonly Trade[], firstDay: number) {
  const inside = trades.filter(({ day }) => day >= firstDay)
  const swaps = inside.filter(({ paid }) => !Number.isNaN(paid))
  const closed = positions.filter((position) => {
    const soldAt = closedAt(position)
    return soldAt !== undefined && dayOf(soldAt) >= firstDay
  })
  const wins = closed.filter(({ realisedMicroUsd }) => realisedMicroUsd > 0).length
  const losses = closed.filter(({ realisedMicroUsd }) => realisedMicroUsd < 0).length
  const holds = closed.flatMap((position) => {
    const bought = position.swaps.find(({ swap }) => swap.direction === 'buy')?.swap.timestamp
    return bought === undefined ? [] : [Math.max(0, (closedAt(position) ?? 0) - bought)]
  })
  const lasts = positions.map((position) =>
    Math.max(lastOf(position, 'buy') ?? 0, lastOf(position, 'sell') ?? 0),
  )
  return {
    realized_pnl_usd: sum(inside.map(({ realised }) => realised)) / 1e6,
    volume_usd: sum(swaps.map(({ paid }) => paid)) / 1e6,
    trades: swaps.length,
    tokens: lasts.filter((seconds) => dayOf(seconds) >= firstDay).length,
    wins,
    losses,
    win_rate_pct: wins + losses === 0 ? 0 : (wins * 100) / (wins + losses),
    median_hold_seconds: medianOf(holds),
  }
}

function medianOf(values: readonly number[]): number {
  const sorted = values.toSorted((a, b) => a - b)
  const half = sorted.length / 2
  const middle = sorted.filter((_, place) => Math.abs(place + 0.5 - half) < 1)
  return middle.length === 0 ? 0 : sum(middle) / middle.length
}

export function walletRow(world: World, metricsOf: MetricsOf, wallet: string, now: number): object {
  const all = [...(world.traders.get(wallet)?.positions.values() ?? [])]
  const positions = all.filter(({ swaps }) => swaps.length > 0)
  const today = dayOf(now)
  // A trade ahead of the clock counts as of today.
  const trades = positions.flatMap(tradesOf).map((trade) => ({
    ...trade,
    day: Math.min(trade.day, today),
  }))
  const results = positions.flatMap((position) => {
    const metrics = metricsOf(position.mint)
    return metrics === undefined ? [] : [resultOf(metrics, position)]
  })
  const ranked = results.toSorted((a, b) => compareText(a.mint, b.mint))
  const best = ranked.toSorted((a, b) => b.pnl_usd - a.pnl_usd)[0] ?? null
  const worst = ranked.toSorted((a, b) => a.pnl_usd - b.pnl_usd)[0] ?? null
  return {
    wallet,
    label: null,
    windows: Object.fromEntries(
      Object.entries(WINDOWS).map(([name, days]) => [
        name,
        windowOf(positions, trades, today - days + 1),
      ]),
    ),
    unrealized_pnl_usd:
      sum(results.map((result) => Math.round(result.unrealized_pnl_usd * 1e6))) / 1e6,
    best,
    worst,
    days: Array.from({ length: 30 }, (_, place) => {
      const day = today - 29 + place
      const swaps = trades.filter((trade) => trade.day === day)
      const paid = swaps.map((trade) => trade.paid).filter((value) => !Number.isNaN(value))
      return {
        day: new Date(day * DAY_SECONDS * 1000).toISOString().slice(0, 10),
        realized_pnl_usd: sum(swaps.map(({ realised }) => realised)) / 1e6,
        volume_usd: sum(paid) / 1e6,
        trades: paid.length,
      }
    }),
  }
}

/** As in its trader record. */
function resultOf({ token, value, name, symbol }: Metrics, position: Position) {
  const { raw, costMicroUsd } = position.inventory
  const realised = position.realisedMicroUsd / 1e6
  const unrealised = whole(raw, decimalsOf(token)) * value.priceUsd - costMicroUsd / 1e6
  return {
    mint: token.mint,
    name,
    symbol,
    pnl_usd: wire(realised + unrealised),
    realized_pnl_usd: wire(realised),
    unrealized_pnl_usd: wire(unrealised),
    is_open: position.balanceRaw > 0n,
  }
}

const MEASURES = {
  realized_pnl: 'realized_pnl_usd',
  volume: 'volume_usd',
  trades: 'trades',
  win_rate: 'win_rate_pct',
} as const
/** A share of wins counts from so many tokens on that were sold off. */
const CLOSED_MIN = 5

/** All wallets by one figure of a window, those that traded in it. */
export function walletRanks(
  world: World,
  { window, by, limit }: WalletRanksQuery,
  now: number,
): object {
  const today = dayOf(now)
  const rows = [...world.traders].flatMap(([wallet, trader]) => {
    const positions = [...trader.positions.values()].filter(({ swaps }) => swaps.length > 0)
    const trades = positions
      .flatMap(tradesOf)
      .map((trade) => ({ ...trade, day: Math.min(trade.day, today) }))
    const figures = windowOf(positions, trades, today - WINDOWS[window] + 1)
    const { tokens, median_hold_seconds, ...shown } = figures
    const isRanked = by === 'win_rate' ? shown.wins + shown.losses >= CLOSED_MIN : shown.trades > 0
    return isRanked ? [{ value: shown[MEASURES[by]], wallet, label: null, ...shown }] : []
  })
  const sorted = rows.toSorted((a, b) => b.value - a.value || compareText(a.wallet, b.wallet))
  const items = sorted.slice(0, limit).map((row, place) => ({ rank: place + 1, ...row }))
  return { window, by, items }
}
