/** What tokens have in common: their creator, and the X link they show. */

import type { Page } from '../../src/protocol/queries.ts'
import { creatorOf } from './classes.ts'
import { compareText, dateText, percent, wire } from './exact.ts'
import type { Metrics } from './metrics.ts'
import { compareBirths, type Key } from './order.ts'
import type { Position } from './positions.ts'
import { pageOf } from './swaps.ts'
import { knownOf, xLink } from './text.ts'
import { isGraduated, supplyOf, type Token, type World } from './world.ts'

export interface CreatorCounts {
  readonly creations: number
  readonly migrations: number
}

/** Tokens whose creation by this creator is known; an unknown creator has none. */
export function creatorCounts(world: World, creator: string): CreatorCounts {
  const own = [...world.tokens.values()].filter(
    (token) => creator !== '' && token.created !== null && creatorOf(token) === creator,
  )
  return { creations: own.length, migrations: own.filter(isGraduated).length }
}

export const creationKeyOf = (token: Token): Key => token.created?.key ?? token.firstKey

/** Tokens created earlier with the same X link. */
export function xReusesOf(world: World, token: Token): number {
  const link = linkOf(world, token)
  if (link === null) return 0
  const earlier = [...world.tokens.values()].filter((other) => {
    const order = compareBirths(creationKeyOf(other), creationKeyOf(token))
    return (order || compareText(other.mint, token.mint)) < 0 && linkOf(world, other) === link
  })
  return earlier.length
}

function linkOf(world: World, token: Token): string | null {
  return xLink(knownOf(world.metadata.get(token.mint) ?? []).texts.twitter)
}

/** Those whose creation by this wallet is known, the newest first. */
export function createdBy(all: readonly Metrics[], wallet: string): Metrics[] {
  const own = all.filter(({ token }) => token.created !== null && creatorOf(token) === wallet)
  return own.sort(
    ({ token: a }, { token: b }) =>
      compareBirths(creationKeyOf(b), creationKeyOf(a)) || compareText(a.mint, b.mint),
  )
}

/** What a creator made of its tokens (docs/live.md). */
export function creatorRow(all: readonly Metrics[], wallet: string, page: Page) {
  const own = createdBy(all, wallet)
  const lives = own.map(({ token }) => lifeOf(token)).sort((a, b) => a - b)
  const graduated = own.filter(({ token }) => isGraduated(token)).length
  const half = lives.length / 2
  const middle = lives.filter((_, place) => Math.abs(place + 0.5 - half) < 1)
  return {
    wallet,
    label: null,
    graduated,
    graduated_pct: wire((graduated * 100) / own.length),
    median_life_seconds: wire(middle.reduce((a, b) => a + b, 0) / middle.length),
    ...pageOf(own, page, (metrics) => createdRow(metrics, wallet)),
  }
}

function lifeOf({ swaps, created }: Token): number {
  const last = swaps.at(-1)?.swap.timestamp
  return last === undefined ? 0 : Math.max(0, last - (created?.event.timestamp ?? 0))
}

function createdRow(metrics: Metrics, wallet: string) {
  const { token, group } = metrics
  const position = token.positions.get(wallet)
  const isListed = position !== undefined && (position.swaps.length > 0 || position.held)
  const own = isListed ? position : undefined
  const migrated = token.migrated?.event.timestamp
  return {
    mint: token.mint,
    name: metrics.name,
    symbol: metrics.symbol,
    timestamp: metrics.timestamp,
    outcome: group,
    migration_timestamp: migrated === undefined ? null : dateText(migrated),
    life_seconds: lifeOf(token),
    market_cap: wire(metrics.value.marketCapUsd),
    creator_bought_pct: percent(own?.boughtRaw ?? 0n, supplyOf(token)),
    creator_sold_pct: percent(own?.soldRaw ?? 0n, supplyOf(token)),
    creator_holding_pct: metrics.creatorPct,
    creator_sold_all: metrics.devSoldAll,
    creator_first_sell: timeOf(own?.swaps.find(isSale)),
    creator_last_sell: timeOf(own?.swaps.findLast(isSale)),
  }
}

const isSale = ({ swap }: Position['swaps'][number]): boolean => swap.direction === 'sell'

function timeOf(folded: Position['swaps'][number] | undefined): string | null {
  return folded === undefined ? null : dateText(folded.swap.timestamp)
}
