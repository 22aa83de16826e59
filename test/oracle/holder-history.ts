/** Holders of a token at the end of each bar with trades, by its trades alone (docs/live.md). */
import type { Resolution } from '../../src/protocol/queries.ts'
import { barTime } from './candles.ts'
import {
  bundlersOf,
  creatorOf,
  isExcluded,
  isFresh,
  isInsider,
  isProNow,
  isSniper,
} from './classes.ts'
import { percent } from './exact.ts'
import { supplyOf, type Token, type World } from './world.ts'

export function holderHistory(world: World, token: Token, resolution: Resolution): object {
  const bundlers = bundlersOf(token)
  const classes: Record<string, (wallet: string) => boolean> = {
    creator: (wallet) => creatorOf(token) === wallet,
    snipers: (wallet) => isSniper(token, wallet, token.positions.get(wallet)?.swaps ?? []),
    insiders: (wallet) => {
      const position = token.positions.get(wallet)
      return position !== undefined && isInsider(token, position)
    },
    bundlers: (wallet) => bundlers.has(wallet),
    fresh: (wallet) => {
      const position = token.positions.get(wallet)
      return position !== undefined && isFresh(token, position)
    },
    pros: (wallet) => isProNow(world, token, wallet),
  }
  const counted = token.swaps.filter(({ isMiddle }) => !isMiddle)
  let latest = 0
  const times = counted.map(({ swap }) => {
    latest = Math.max(latest, swap.timestamp)
    return barTime(latest, resolution)
  })
  const bars = [...new Set(times)]
  const states = bars.map((bar) => {
    const balances = new Map<string, bigint>()
    for (const [place, { swap, balanceAfterRaw }] of counted.entries())
      if ((times[place] ?? 0) <= bar && !isExcluded(token, swap.signer))
        balances.set(swap.signer, balanceAfterRaw)
    return [...balances].filter(([, raw]) => raw > 0n)
  })
  const shares = Object.entries(classes).map(([name, isOf]) => [
    `${name}_pct`,
    states.map((held) => {
      const raw = held.filter(([wallet]) => isOf(wallet)).reduce((sum, [, one]) => sum + one, 0n)
      return percent(raw, supplyOf(token))
    }),
  ])
  return { t: bars, holders: states.map((held) => held.length), ...Object.fromEntries(shares) }
}
