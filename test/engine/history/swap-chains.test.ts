import { expect, test } from 'vitest'
import { Budget } from '../../../src/base/budget.ts'
import { SwapChains, swapsOldestFirst } from '../../../src/engine/history/swap-chains.ts'
import { SwapLane } from '../../../src/events/swap-record.ts'
import { NO_TIME, readInTurns } from '../../budgets.ts'
import { price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { engineOf } from '../../store/restoring.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)
const MINTS = 3
const WALLETS = 3
const ROUNDS = 6
const SWAPS = 1_500
const PAGES = 40

test(`pages far back are those of the whole list, also when it grows and late swaps come (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const engine = engineOf('event', 1 << 14)
  const chains = new SwapChains(engine.state, () => engine.settledSwaps)
  engine.events([price(150)])
  const { state } = engine
  let slot = 1_000
  let goes = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < SWAPS; i++) {
      if (random.chance(0.3)) slot += 1
      const at = random.chance(0.1) ? slot - random.integer(1, 30) : slot
      engine.events([
        swap({
          slot: at,
          txIndex: random.integer(1, 50),
          timestamp: START_SECOND + Math.floor(at / 2.5),
          mint: `mint ${random.integer(1, MINTS)}`,
          signature: `swap ${round} ${i}`,
          signer: `wallet ${random.integer(1, WALLETS)}`,
          direction: random.chance(0.7) ? 'buy' : 'sell',
        }),
      ])
    }
    for (let i = 0; i < PAGES; i++) {
      const token = state.book.findToken(`mint ${random.integer(1, MINTS)}`)
      const wallet = state.book.findWallet(`wallet ${random.integer(1, WALLETS)}`)
      const ofToken = swapsOldestFirst(state, token).toReversed()
      const isOfOne = random.chance(0.5)
      const { tape } = state
      const whole = isOfOne
        ? ofToken.filter((index) => tape.u32Of(index)[tape.at(index) + SwapLane.wallet] === wallet)
        : ofToken
      const position = isOfOne ? state.findPosition(token, wallet) : null
      const limit = random.integer(1, 200)
      const page = random.integer(1, Math.ceil(whole.length / limit) + 1)
      const { answer, turns } = readInTurns(
        (budget) => chains.page({ token, position }, page, limit, budget),
        // A turn is never without progress.
        (turn) => expect(turn).toBeLessThanOrEqual(whole.length),
        () => (random.chance(0.7) ? NO_TIME : Budget.unlimited),
      )
      goes += turns - 1
      const start = (page - 1) * limit
      expect(chains.total({ token, position })).toBe(whole.length)
      expect(answer).toEqual(whole.slice(start, start + limit))
    }
  }
  expect(goes).toBeGreaterThan(PAGES)
})
