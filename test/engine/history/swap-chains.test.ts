import { expect, test } from 'vitest'
import { Budget } from '../../../src/base/budget.ts'
import { SwapChains, swapsOldestFirst } from '../../../src/engine/history/swap-chains.ts'
import { SwapLane } from '../../../src/events/swap-record.ts'
import { NO_TIME, readInTurns } from '../../budgets.ts'
import { byLength } from '../../lengths.ts'
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

test(`the newest swap up to a second is that of the whole list, on a chain whose clock steps back (seed ${SEED})`, () => {
  const random = new Random(SEED ^ 1)
  const engine = engineOf('event', 1 << 14)
  const { state } = engine
  const chains = new SwapChains(state, () => engine.settledSwaps)
  engine.events([price(150)])
  let slot = 1_000
  let second = START_SECOND
  for (let round = 0; round < byLength(2, ROUNDS); round++) {
    for (let i = 0; i < SWAPS; i++) {
      slot += random.integer(0, 1)
      // Whole stretches come with times of long before, or from ahead.
      second += random.chance(0.003) ? random.integer(-900, 900) : random.integer(0, 2)
      const at = random.chance(0.1) ? slot - random.integer(1, 30) : slot
      engine.events([
        swap({
          ...{ slot: at, txIndex: random.integer(1, 50), mint: `mint ${i % 2}` },
          ...{ timestamp: Math.max(1, second), signature: `swap ${round} ${i}` },
        }),
      ])
    }
    for (let i = 0; i < PAGES; i++) {
      const token = state.book.findToken(`mint ${i % 2}`)
      const { tape } = state
      const swaps = swapsOldestFirst(state, token)
      const timeOf = (index: number) => tape.u32Of(index)[tape.at(index) + SwapLane.timestamp]
      const seconds = timeOf(random.pick([swaps[0] ?? 0, ...swaps])) + random.integer(-1, 1)
      const place = swaps.findLastIndex((index) => timeOf(index) <= seconds)
      const { answer } = readInTurns(
        (budget) => chains.newestUntil({ token, position: null }, seconds, budget),
        (turn) => expect(turn).toBeLessThanOrEqual(swaps.length),
        () => (random.chance(0.7) ? NO_TIME : Budget.unlimited),
      )
      expect(answer).toEqual(place < 0 ? null : { index: swaps[place], number: place + 1 })
    }
  }
})

test('a second far back is found in turns, each of a stretch of the chain, and the next one in one', () => {
  const engine = engineOf('event', 1 << 14)
  const { state, chains } = engine
  const count = 6_400
  for (let i = 0; i < count; i++)
    engine.accept(swap({ slot: 1_000 + i, timestamp: START_SECOND + i, signature: `swap ${i}` }))
  const of = { token: state.book.findToken('mint'), position: null }
  let reads = 0
  const { tape } = state
  const read = tape.u32Of.bind(tape)
  tape.u32Of = (index) => {
    reads += 1
    return read(index)
  }
  const most = (seconds: number) => {
    let longest = 0
    const { answer, turns } = readInTurns(
      (budget) => {
        reads = 0
        try {
          return chains.newestUntil(of, seconds, budget)
        } finally {
          longest = Math.max(longest, reads)
        }
      },
      () => {},
      () => NO_TIME,
    )
    return { number: answer?.number, turns, longest }
  }
  const first = most(START_SECOND + 5)
  expect(first).toMatchObject({ number: 6 })
  expect(first.turns).toBeGreaterThan(count / 64 - 3)
  // Two looks at each swap: a stretch of 64, what is left of the first one, and those that late ones may still move.
  expect(first.longest).toBeLessThan(6 * 64)
  expect(most(START_SECOND + 70)).toMatchObject({ number: 71, turns: 1 })
  expect(chains.newestUntil(of, START_SECOND - 1, Budget.unlimited)).toBeNull()
  expect(chains.newestUntil(of, -1, Budget.unlimited)).toBeNull()
})

test('what late swaps may still move is not remembered', () => {
  const engine = engineOf('event', 1 << 14)
  const { state, chains } = engine
  // All of them lie within the slots of late ones.
  for (let i = 0; i < 200; i++)
    engine.accept(
      swap({
        ...{ slot: 1_000 + Math.floor(i / 10), txIndex: 2 * (i % 10) + 1 },
        ...{ timestamp: START_SECOND + 100, signature: `swap ${i}` },
      }),
    )
  const of = { token: state.book.findToken('mint'), position: null }
  expect(chains.newestUntil(of, START_SECOND + 60, Budget.unlimited)).toBeNull()
  const late = { slot: 1_002, txIndex: 4, signature: 'late', timestamp: START_SECOND + 50 }
  engine.accept(swap(late))
  expect(chains.newestUntil(of, START_SECOND + 60, Budget.unlimited)).toEqual({
    ...{ index: 22, number: 23 },
  })
})
