/** Every figure of a token, once, under one name; the resources pick from here. */

import type { Group } from '../../src/protocol/filters.ts'
import {
  bundlersOf,
  creatorOf,
  isExcluded,
  isFresh,
  isInsider,
  isProNow,
  isSniper,
} from './classes.ts'
import { valuationNow } from './coins.ts'
import { dateText, percent } from './exact.ts'
import type { Position } from './positions.ts'
import type { Valuation } from './quote.ts'
import { devSoldAll } from './sold-all.ts'
import { cleanText, type Known, knownOf, LINK_LENGTH, NAME_LENGTH } from './text.ts'
import { volumeUsd } from './window.ts'
import {
  curveProgressPct,
  initialRealBaseOf,
  isGraduated,
  poolAmmOf,
  supplyOf,
  type Token,
  type World,
} from './world.ts'

export interface Metrics {
  readonly token: Token
  readonly name: string
  readonly symbol: string
  readonly uri: string
  readonly creator: string
  readonly pool: string
  readonly known: Known
  readonly createdSeconds: number
  readonly timestamp: string
  readonly value: Valuation
  readonly group: Group
  /** By event, by an empty curve, or by having graduated. */
  readonly complete: boolean
  readonly completionPct: number
  readonly volumeUsd: number
  readonly bundlers: ReadonlySet<string>
  readonly holders: number
  readonly top10Pct: number
  readonly creatorPct: number
  readonly bundlersPct: number
  readonly insidersPct: number
  readonly snipersPct: number
  readonly freshPct: number
  readonly proPct: number
  readonly proTraders: number
  readonly devSoldAll: boolean
}

export const isComplete = (token: Token): boolean => token.complete || isGraduated(token)

const createdSecondsOf = (token: Token): number =>
  token.created?.event.timestamp ?? token.firstTimestamp

const TOP_HOLDERS = 10
const COMPLETING_PCT = 40n

export function metricsOf(world: World, token: Token): Metrics {
  const supply = supplyOf(token)
  const complete = isComplete(token)
  return {
    token,
    name: cleanText(token.state.name, NAME_LENGTH),
    symbol: cleanText(token.state.symbol, NAME_LENGTH),
    uri: cleanText(token.state.uri, LINK_LENGTH),
    creator: creatorOf(token),
    pool: isGraduated(token) ? poolAmmOf(token) : token.bondingCurve,
    known: knownOf(world.metadata.get(token.mint) ?? []),
    createdSeconds: createdSecondsOf(token),
    timestamp: dateText(createdSecondsOf(token)),
    value: valuationNow(world.coins, token, world.solPriceUsd),
    group: groupOf(token),
    complete,
    completionPct: complete ? 100 : curveProgressPct(token, token.realBaseRaw),
    volumeUsd: volumeUsd(token.swaps),
    ...holdingsOf(world, token, supply),
    devSoldAll: devSoldAll(token),
  }
}

function groupOf(token: Token): Group {
  if (isGraduated(token)) return 'graduated'
  const initial = initialRealBaseOf(token)
  const reached = (initial - token.realBaseRaw) * 100n >= COMPLETING_PCT * initial
  return token.complete || reached ? 'completing' : 'new'
}

function holdingsOf(world: World, token: Token, supply: bigint) {
  const holders = [...token.positions.values()].filter(
    ({ wallet, balanceRaw }) => balanceRaw > 0n && !isExcluded(token, wallet),
  )
  const share = (some: readonly Position[]) =>
    percent(
      some.reduce((sum, { balanceRaw }) => sum + balanceRaw, 0n),
      supply,
    )
  const largest = holders.toSorted((a, b) => Number(b.balanceRaw - a.balanceRaw))
  const bundlers = bundlersOf(token)
  const pros = holders.filter(({ wallet }) => isProNow(world, token, wallet))
  return {
    bundlers,
    holders: holders.length,
    top10Pct: share(largest.slice(0, TOP_HOLDERS)),
    creatorPct: share(holders.filter(({ wallet }) => wallet === creatorOf(token))),
    bundlersPct: share(holders.filter(({ wallet }) => bundlers.has(wallet))),
    insidersPct: share(holders.filter((position) => isInsider(token, position))),
    snipersPct: share(holders.filter(({ wallet, swaps }) => isSniper(token, wallet, swaps))),
    freshPct: share(holders.filter((position) => isFresh(token, position))),
    proPct: share(pros),
    proTraders: pros.length,
  }
}
