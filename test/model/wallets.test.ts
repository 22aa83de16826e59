import { expect, test } from 'vitest'
import { WALLET_RANKINGS, WALLET_WINDOWS } from '../../src/protocol/queries.ts'
import { byLength } from '../lengths.ts'
import { labelledHistory } from '../oracle/histories.ts'
import { Random } from '../oracle/random.ts'
import { difference } from './difference.ts'
import { Pair } from './pair.ts'

const SEED = Number(process.env.MODEL_SEED ?? 20_261_129)
const HISTORIES = byLength(80, 300)

interface Created {
  readonly mint: string
}

const PAGE = { page: 1, limit: 200 }
/** Times that step back by more are promised no day (docs/live.md); feeds without slots bring such ones. */
const STEP_BACK_SECONDS = 600

/** The first difference between the wallets of the engine and of the oracle. */
function firstUnlike({ oracle, answers, wallets }: Pair): string | null {
  const isOrderly = (wallet: string) => oracle.stepBackSeconds(wallet) < STEP_BACK_SECONDS
  for (const wallet of [...wallets, 'nobody'].filter(isOrderly)) {
    const found = difference(JSON.parse(answers.wallet(wallet)), oracle.wallet(wallet))
    if (found !== null) return `${wallet} at ${found}`
  }
  for (const creator of [...oracle.creators(), 'nobody']) {
    const answer = JSON.parse(answers.creator(creator, PAGE))
    // The oracle does not know in which order creations arrived.
    answer.items.sort((a: Created, b: Created) => (a.mint < b.mint ? -1 : 1))
    const found = difference(answer, oracle.creator(creator, PAGE))
    if (found !== null) return `creator ${creator} at ${found}`
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

test(`summaries of wallets are the oracle's, with late events, rest, restarts and swaps on the disk (seed ${SEED})`, () => {
  let severalDays = 0
  for (let i = 0; i < HISTORIES; i += 1) {
    const seed = SEED + i
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
      expect(firstUnlike(pair), `seed ${seed}`).toBeNull()
    }
    // In the middle of a gap nothing is read.
    if (isFilling) continue
    expect(firstUnlike(pair), `seed ${seed}`).toBeNull()
    for (const wallet of pair.wallets) {
      const { days } = JSON.parse(pair.answers.wallet(wallet))
      const traded = days.filter(({ trades }: { trades: number }) => trades > 0)
      if (traded.length > 1) severalDays += 1
    }
  }
  expect(severalDays).toBeGreaterThan(HISTORIES / 2)
})
