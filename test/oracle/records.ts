/** Trader records (contract section 5): one wallet in one mint, as both lists show it. */
import type { TraderQuery } from '../../src/protocol/queries.ts'
import { creatorOf, isFresh, isInsider, isProNow, isSniper } from './classes.ts'
import { compareText, percent, whole, wire } from './exact.ts'
import type { Metrics } from './metrics.ts'
import type { Position } from './positions.ts'
import { pageOf } from './swaps.ts'
import { decimalsOf, supplyOf, type Token, type World } from './world.ts'

type TraderRecord = ReturnType<typeof recordOf>

export type MetricsOf = (mint: string) => Metrics | undefined

/** Ties by wallet. */
export function tokenTraders(world: World, of: Metrics | undefined, now: number, q: TraderQuery) {
  const positions = [...(of?.token.positions.values() ?? [])]
  const records = of ? positions.map((position) => recordOf(world, of, position, now)) : []
  return sortedPage(records, q, (record) => record.wallet)
}

/** Wallets that bought, by the second of their first buy, then by its place among the swaps of the mint. */
export function firstBuyers({ swaps, positions }: Token): string[] {
  const places = new Map(swaps.map((folded, place) => [folded, place]))
  const firsts = [...positions.values()].flatMap(({ wallet, swaps: own }) => {
    const first = own.find(({ swap }) => swap.direction === 'buy')
    return first ? [{ wallet, at: first.swap.timestamp, place: places.get(first) ?? -1 }] : []
  })
  return firsts.sort((a, b) => a.at - b.at || a.place - b.place).map(({ wallet }) => wallet)
}

/** Ties by mint. */
export function walletTokens(
  world: World,
  metricsOf: MetricsOf,
  wallet: string,
  now: number,
  query: TraderQuery,
) {
  const positions = [...(world.traders.get(wallet)?.positions.values() ?? [])]
  const records = positions.flatMap((position) => {
    const metrics = metricsOf(position.mint)
    return metrics ? [recordOf(world, metrics, position, now)] : []
  })
  return sortedPage(records, query, (record) => record.mint)
}

function sortedPage(
  records: TraderRecord[],
  query: TraderQuery,
  tieOf: (record: TraderRecord) => string,
) {
  const sign = query.direction === 'asc' ? 1 : -1
  const sorted = records.toSorted(
    (a, b) => sign * (a[query.orderBy] - b[query.orderBy]) || compareText(tieOf(a), tieOf(b)),
  )
  return pageOf(sorted, query, (record) => record)
}

function recordOf(world: World, metrics: Metrics, position: Position, now: number) {
  const { token } = metrics
  const { wallet } = position
  return {
    wallet,
    mint: token.mint,
    pool: metrics.pool,
    name: metrics.name,
    symbol: metrics.symbol,
    image: metrics.known.texts.image || null,
    token_price_usd: wire(metrics.value.priceUsd),
    token_price_sol: wire(metrics.value.priceSol),
    market_cap: wire(metrics.value.marketCapUsd),
    complete: metrics.complete,
    ...holdingOf(metrics, position),
    ...tradingOf(metrics, position),
    ...resultOf(metrics, position),
    ...timesOf(position, now),
    fresh_wallet: isFresh(token, position),
    sniper_wallet: isSniper(token, wallet, position.swaps),
    pro_trader: isProNow(world, token, wallet),
    bundle_wallet: metrics.bundlers.has(wallet),
    insider_wallet: isInsider(token, position),
    creator_wallet: wallet === creatorOf(token),
  }
}

function holdingOf({ token, value }: Metrics, position: Position) {
  const holding = whole(position.balanceRaw, decimalsOf(token))
  return {
    holding_amount: holding,
    holding_pct: percent(position.balanceRaw, supplyOf(token)),
    holding_usd: wire(holding * value.priceUsd),
    holding_sol: wire(holding * value.priceSol),
    cost_basis_usd: position.inventory.costMicroUsd / 1e6,
    cost_basis_sol: position.inventory.costLamports / 1e9,
    is_open: position.balanceRaw > 0n,
  }
}

function tradingOf({ token }: Metrics, position: Position) {
  const decimals = decimalsOf(token)
  const bought = whole(position.boughtRaw, decimals)
  const sold = whole(position.soldRaw, decimals)
  const buys = position.swaps.filter(({ swap }) => swap.direction === 'buy').length
  const usd = { bought: position.boughtMicroUsd / 1e6, sold: position.soldMicroUsd / 1e6 }
  const sol = { bought: position.boughtLamports / 1e9, sold: position.soldLamports / 1e9 }
  return {
    bought_tokens: bought,
    sold_tokens: sold,
    untracked_tokens: whole(position.untrackedRaw, decimals),
    bought_usd: usd.bought,
    sold_usd: usd.sold,
    bought_sol: sol.bought,
    sold_sol: sol.sold,
    buys,
    sells: position.swaps.length - buys,
    trades: position.swaps.length,
    volume_usd: (position.boughtMicroUsd + position.soldMicroUsd) / 1e6,
    volume_sol: (position.boughtLamports + position.soldLamports) / 1e9,
    fees_sol: position.feeLamports / 1e9,
    avg_buy_price_usd: wire(usd.bought / bought),
    avg_sell_price_usd: wire(usd.sold / sold),
    avg_buy_price_sol: wire(sol.bought / bought),
    avg_sell_price_sol: wire(sol.sold / sold),
  }
}

function resultOf({ token, value }: Metrics, position: Position) {
  const { raw, costMicroUsd, costLamports } = position.inventory
  const inventory = whole(raw, decimalsOf(token))
  const realisedUsd = position.realisedMicroUsd / 1e6
  const realisedSol = position.realisedLamports / 1e9
  const unrealisedUsd = inventory * value.priceUsd - costMicroUsd / 1e6
  const unrealisedSol = inventory * value.priceSol - costLamports / 1e9
  const pnl = realisedUsd + unrealisedUsd
  return {
    pnl: wire(pnl),
    pnl_sol: wire(realisedSol + unrealisedSol),
    pnl_pct: wire((pnl * 100) / (position.boughtMicroUsd / 1e6)),
    realized_pnl_usd: wire(realisedUsd),
    unrealized_pnl_usd: wire(unrealisedUsd),
    realized_pnl_sol: wire(realisedSol),
    unrealized_pnl_sol: wire(unrealisedSol),
  }
}

/** First and last as the swaps are ordered. */
function timesOf(position: Position, now: number) {
  const times = (direction: string): number[] =>
    position.swaps
      .filter(({ swap }) => swap.direction === direction)
      .map(({ swap }) => swap.timestamp)
  const buys = times('buy')
  const sells = times('sell')
  const firsts = [...buys.slice(0, 1), ...sells.slice(0, 1)]
  const lasts = [...buys.slice(-1), ...sells.slice(-1)]
  const firstBuy = buys[0] ?? null
  const lastSell = sells.at(-1) ?? null
  const end = position.balanceRaw > 0n ? now : lastSell
  return {
    // Who was only handed tokens was last seen when that was told.
    first_active_ts: firsts.length === 0 ? null : Math.min(...firsts),
    last_active_ts: lasts.length === 0 ? position.toldAt : Math.max(...lasts),
    first_buy_ts: firstBuy,
    last_buy_ts: buys.at(-1) ?? null,
    first_sell_ts: sells[0] ?? null,
    last_sell_ts: lastSell,
    hold_time_seconds: firstBuy === null || end === null ? 0 : Math.max(0, end - firstBuy),
  }
}
