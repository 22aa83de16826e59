import type { MintTraders, TraderPart } from '../../engine/index/trader-columns.ts'
import { type RankKeys, ranked } from '../../engine/memory/ranked.ts'
import { sharedF64 } from '../../engine/memory/views.ts'
import type { PositionReader } from '../../engine/read/position-reader.ts'
import type { Positions } from '../../engine/state/position-lists.ts'
import { finiteNumber } from '../../protocol/json-text.ts'
import type { Page, TraderOrder, TraderQuery } from '../../protocol/queries.ts'
import { traderJson } from './trader-json.ts'

/** What each order of a mint's traders is made of. */
export const ORDER_PARTS: { readonly [O in TraderOrder]: readonly TraderPart[] } = {
  pnl: ['realizedUsd', 'inventory', 'costUsd', 'walletOrder'],
  holding_amount: ['balance', 'walletOrder'],
  bought_tokens: ['bought', 'walletOrder'],
  sold_tokens: ['sold', 'walletOrder'],
  last_active_ts: ['lastActiveAt', 'walletOrder'],
}
export const HOLDER_PARTS: readonly TraderPart[] = ['held', 'walletOrder']
export const FIRST_BUYER_PARTS: readonly TraderPart[] = ['firstBuyAt']

/** As `traderPage` of all traders of a mint, by wallet where they are equal, out of its columns. */
export function columnPage(
  columns: MintTraders,
  trader: PositionReader,
  query: TraderQuery,
): string {
  const { priceUsd } = trader.at(columns.rowAt(0)).token
  const sign = query.direction === 'asc' ? 1 : -1
  const values =
    query.orderBy === 'pnl'
      ? pnlsUsd(columns, priceUsd, sign)
      : signed(columns, ORDER_PARTS[query.orderBy][0], sign)
  return pageByWallet(columns, trader, values, query)
}

/** The page of holders, the largest first. */
export function holdersPage(columns: MintTraders, trader: PositionReader, page: Page): string {
  return pageByWallet(columns, trader, signed(columns, HOLDER_PARTS[0], -1), page)
}

/** The page of those that bought, in order of their first buy. */
export function firstBuyersPage(columns: MintTraders, trader: PositionReader, page: Page): string {
  const values = signed(columns, FIRST_BUYER_PARTS[0], 1)
  const arrival = (place: number) => columns.arrivalOf(place)
  return pageOf(columns, trader, values, { level: arrival, text: () => '' }, page)
}

/** The same steps as `PositionReader.pnlUsd`, so the same bits, in a direction. */
function pnlsUsd(columns: MintTraders, priceUsd: number, sign: number): Float64Array {
  const realized = columns.part('realizedUsd')
  const inventory = columns.part('inventory')
  const cost = columns.part('costUsd')
  const values = rankedValues(columns.count)
  for (let place = 0; place < values.length; place++) {
    const unrealized = inventory[place] * priceUsd - cost[place]
    const isListed = !Number.isNaN(realized[place])
    values[place] = isListed ? finiteNumber(realized[place] + unrealized) * sign : Number.NaN
  }
  return values
}

function signed(columns: MintTraders, name: TraderPart, sign: number): Float64Array {
  const part = columns.part(name)
  const values = rankedValues(columns.count)
  for (let place = 0; place < values.length; place++) values[place] = part[place] * sign
  return values
}

function pageByWallet(
  columns: MintTraders,
  trader: PositionReader,
  values: Float64Array,
  page: Page,
): string {
  const orders = columns.part('walletOrder')
  const level = (place: number) => orders[place]
  const text = (place: number) => trader.at(columns.rowAt(place)).wallet
  return pageOf(columns, trader, values, { level, text }, page)
}

/** A page of those who have a value (not NaN), ascending by it; the others are made the last. */
function pageOf(
  columns: MintTraders,
  trader: PositionReader,
  values: Float64Array,
  equal: { level: (place: number) => number; text: (place: number) => string },
  page: Page,
): string {
  let total = 0
  for (let place = 0; place < values.length; place++) {
    if (Number.isNaN(values[place])) values[place] = Number.POSITIVE_INFINITY
    else total += 1
  }
  const keys = { levels: [(place: number) => values[place], equal.level], text: equal.text }
  const from = (page.page - 1) * page.limit
  const to = Math.min(total, from + page.limit)
  const shown = ranked(allPlaces(values.length), keys, from, to, values)
  const items = shown.map((place) => traderJson(trader.at(columns.rowAt(place)), page.extra))
  return pageJson(total, page, items)
}

// Buffers that are used again: those of a page are megabytes, which would be garbage to collect each time.
let rankedScratch = sharedF64(0)
let places = new Uint32Array(0)

/** Room for a value of each place, good until the next call. */
function rankedValues(count: number): Float64Array {
  if (count > rankedScratch.length) rankedScratch = sharedF64(count)
  return rankedScratch.subarray(0, count)
}

function allPlaces(count: number): Uint32Array {
  if (count > places.length) {
    places = new Uint32Array(count)
    for (let place = 0; place < count; place++) places[place] = place
  }
  return places.subarray(0, count)
}

/** Ascending by a number, equal ones by wallet. */
export function byWallet(trader: PositionReader, value: (position: number) => number): RankKeys {
  return {
    levels: [value, (position) => trader.at(position).walletOrder],
    text: (position) => trader.at(position).wallet,
  }
}

/** Ascending by a number, equal ones by mint. */
export function byMint(trader: PositionReader, value: (position: number) => number): RankKeys {
  return {
    levels: [value, (position) => trader.at(position).token.mintOrder],
    text: (position) => trader.at(position).token.mint,
  }
}

/** One page of positions in their order; the reader stands on any of them afterwards. */
export function traderPage(
  trader: PositionReader,
  positions: Positions,
  keys: RankKeys,
  page: Page,
): string {
  const from = (page.page - 1) * page.limit
  const shown = ranked(positions, keys, from, from + page.limit)
  return pageJson(
    positions.length,
    page,
    shown.map((position) => traderJson(trader.at(position), page.extra)),
  )
}

/** A page of a list with so many in all. */
export function pageJson(total: number, page: Page, items: readonly string[]): string {
  return `{"total":${total},"page":${page.page},"limit":${page.limit},"items":[${items.join(',')}]}`
}
