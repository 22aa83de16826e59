import type { PositionReader } from '../../engine/read/position-reader.ts'
import type { Positions } from '../../engine/state/position-lists.ts'
import type { Page } from '../../protocol/answers.ts'
import { type RankKeys, ranked } from './ranked.ts'
import { traderJson } from './trader-json.ts'

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
