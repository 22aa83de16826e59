/** What is known of a wallet over all mints: how new it is, and whether it is a pro trader. */
import type { Swap } from '../../src/events/event.ts'
import type { Position } from './positions.ts'

export interface ProRule {
  readonly trades: number
  readonly mints: number
}

export const DEFAULT_PRO_RULE: ProRule = { trades: 100, mints: 20 }

const FRESH_SECONDS = 86_400
const FRESH_TRADES = 10

export interface Trader {
  trades: number
  firstTimestamp: number | null
  /** The feed's last flag. */
  proFlag: boolean | null
  /** Also where it was only handed tokens. */
  readonly positions: Map<string, Position>
}

export function newTrader(): Trader {
  return { trades: 0, firstTimestamp: null, proFlag: null, positions: new Map() }
}

/** Judged before the trade is counted; a first trade is its own first. */
export function judgeFresh(trader: Trader, timestamp: number): boolean {
  const first = trader.firstTimestamp ?? timestamp
  return timestamp - first < FRESH_SECONDS && trader.trades < FRESH_TRADES
}

/** By the flags and trades counted so far. */
export function isPro(trader: Trader, rule: ProRule): boolean {
  if (trader.proFlag !== null) return trader.proFlag
  const mints = [...trader.positions.values()].filter(({ swaps }) => swaps.length > 0).length
  if (trader.trades < rule.trades || mints < rule.mints) return false
  let realisedMicroUsd = 0
  for (const position of trader.positions.values()) realisedMicroUsd += position.realisedMicroUsd
  return realisedMicroUsd > 0
}

/** `position` is null where the coin is the middle of a route: a trade, but in no mint. */
export function foldTrade(trader: Trader, swap: Swap, position: Position | null): void {
  trader.trades += 1
  trader.firstTimestamp ??= swap.timestamp
  trader.proFlag = swap.pro ?? trader.proFlag
  if (position) trader.positions.set(swap.mint, position)
}
