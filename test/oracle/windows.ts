/** The windows of a token's trades: timestamps in (now - width, now] (contract section 10). */
import { WINDOWS, type Window, type WindowFilter } from '../../src/protocol/filters.ts'
import type { FoldedSwap } from './world.ts'

const WIDTHS = { '1m': 60, '5m': 300, '1h': 3_600, '6h': 21_600, '24h': 86_400 } as const

/** `swaps` are all of the token, in the total order. */
export function windowsOf(swaps: readonly FoldedSwap[], now: number): Record<string, object> {
  return Object.fromEntries(WINDOWS.map((name) => [name, figuresOf(swaps, name, now)]))
}

/** A quantity of a window, by the name of its filter. */
export function windowValue(
  swaps: readonly FoldedSwap[],
  name: Window,
  filter: WindowFilter,
  now: number,
): number {
  const figures = figuresOf(swaps, name, now)
  return {
    priceChangePct: figures.price_change_pct,
    volumeUsd: figures.volume_usd,
    volumeBuyUsd: figures.volume_buy_usd,
    volumeSellUsd: figures.volume_sell_usd,
    txs: figures.txs,
    buys: figures.buys,
    sells: figures.sells,
    traders: figures.traders,
    highUsd: figures.high_usd,
    lowUsd: figures.low_usd,
  }[filter]
}

/** Wallets whose first trade of the token was a buy inside a window. */
export function newHolders(swaps: readonly FoldedSwap[], name: Window, now: number): number {
  const begin = now - WIDTHS[name]
  const firsts = new Map<string, FoldedSwap>()
  for (const one of swaps) if (!firsts.has(one.swap.signer)) firsts.set(one.swap.signer, one)
  return [...firsts.values()].filter(
    ({ swap }) => swap.direction === 'buy' && swap.timestamp > begin && swap.timestamp <= now,
  ).length
}

function figuresOf(swaps: readonly FoldedSwap[], name: Window, now: number) {
  const begin = now - WIDTHS[name]
  const inside = swaps.filter(({ swap }) => swap.timestamp > begin && swap.timestamp <= now)
  const before = swaps.filter(({ swap }) => swap.timestamp <= begin)
  const buys = inside.filter(({ swap }) => swap.direction === 'buy')
  const sells = inside.filter(({ swap }) => swap.direction === 'sell')
  const prices = inside.map(({ value }) => value.priceUsd).filter((price) => price > 0)
  return {
    price_change_pct: inside.length === 0 ? 0 : change(before.at(-1) ?? inside[0], swaps.at(-1)),
    volume_usd: volume(inside),
    volume_buy_usd: volume(buys),
    volume_sell_usd: volume(sells),
    txs: inside.length,
    buys: buys.length,
    sells: sells.length,
    traders: new Set(inside.map(({ swap }) => swap.signer)).size,
    traders_exact: true,
    high_usd: Math.max(0, ...prices),
    low_usd: prices.length === 0 ? 0 : Math.min(...prices),
  }
}

function change(from: FoldedSwap | undefined, to: FoldedSwap | undefined): number {
  const [fromUsd, toUsd] = [from?.value.priceUsd ?? 0, to?.value.priceUsd ?? 0]
  return fromUsd === 0 || toUsd === 0 ? 0 : (toUsd / fromUsd - 1) * 100
}

function volume(swaps: readonly FoldedSwap[]): number {
  return swaps.reduce((sum, { worth }) => sum + worth.microUsd, 0) / 1e6
}
