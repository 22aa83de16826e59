import { WALLET_RANKINGS, WALLET_WINDOWS } from '../../src/protocol/queries.ts'
import { labelledHistory } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { difference } from './difference.ts'
import { STEP_BACK_SECONDS } from './full-check.ts'
import { Pair } from './pair.ts'

/** Each has what a fault was found by: a route whose second hop comes late, clamps within a transaction, transfers. */
export const FOUND_SEEDS = [46, 404, 575, 555_120, 555_463] as const

const PAGE = { page: 1, limit: 200 }
/** The first difference between the wallets of the engine and of the oracle. */
function firstUnlike({ oracle, answers, mints, wallets }: Pair): string | null {
  const isOrderly = (wallet: string) => oracle.stepBackSeconds(wallet) < STEP_BACK_SECONDS
  for (const wallet of [...wallets, 'nobody'].filter(isOrderly)) {
    const found = difference(JSON.parse(answers.wallet(wallet)), oracle.wallet(wallet))
    if (found !== null) return `${wallet} at ${found}`
  }
  for (const creator of [...oracle.creators(), 'nobody']) {
    const found = difference(
      JSON.parse(answers.creator(creator, PAGE)),
      oracle.creator(creator, PAGE),
    )
    if (found !== null) return `creator ${creator} at ${found}`
  }
  for (const mint of [...mints, 'unknown'])
    for (const resolution of ['1S', '60', '1D'] as const) {
      const answer = JSON.parse(answers.holderHistory(mint, resolution) ?? 'null')
      const found = difference(answer, oracle.holderHistory(mint, resolution))
      if (found !== null) return `holders of ${mint} by ${resolution} at ${found}`
    }
  if (![...wallets].every(isOrderly)) return null
  for (const window of WALLET_WINDOWS)
    for (const by of WALLET_RANKINGS) {
      const query = { window, by, limit: 3 }
      const found = difference(JSON.parse(answers.walletsTop(query)), oracle.walletsTop(query))
      if (found !== null) return `${window} by ${by} at ${found}`
    }
  return null
}

/**
 * One history with late events, rest, restarts and swaps on the disk; wallets, creators and holders over time are
 * compared on the way. The first difference, and how many wallets traded on several days.
 */
export function runWallets(seed: number): { found: string | null; severalDays: number } {
  const random = new Random(seed ^ 0xda45)
  const pair = new Pair('event')
  let isFilling = false
  for (const { event } of labelledHistory(seed, random.pick([20, 40, 60, 120]))) {
    if (!isFilling && random.chance(0.2)) pair.rest()
    if (!isFilling && random.chance(0.05)) pair.restart()
    if (!isFilling && random.chance(0.05)) pair.leaveMemory()
    pair.apply(event)
    if (event.type === 'gap') isFilling = event.state === 'filling'
    if (isFilling || !random.chance(0.15)) continue
    const found = firstUnlike(pair)
    if (found !== null) return { found, severalDays: 0 }
  }
  // In the middle of a gap nothing is read.
  if (isFilling) return { found: null, severalDays: 0 }
  const ofSeveral = [...pair.wallets].filter((wallet) => {
    const { days } = JSON.parse(pair.answers.wallet(wallet))
    return days.filter(({ trades }: { trades: number }) => trades > 0).length > 1
  })
  return { found: firstUnlike(pair), severalDays: ofSeveral.length }
}
