import { expect, test } from 'vitest'
import { Budget } from '../../src/base/budget.ts'
import { Engine } from '../../src/engine/engine.ts'
import { CreatorTokens } from '../../src/engine/index/creator-tokens.ts'
import type { Gap } from '../../src/events/event.ts'
import { readInTurns } from '../budgets.ts'
import { created, START_SECOND, swap } from '../oracle/fixtures.ts'

const MANY = 5_000

const told = (mint: string) => created({ mint, signature: `create ${mint}` })

test('tokens of a creator are listed by the places of their creations, whenever these arrived', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, order, facts } = engine
  const early = new CreatorTokens(state, order, () => engine.areFactsWaiting)
  facts.on('created', (token) => early.created(token))
  engine.accept(swap({ mint: 'A' }))
  const token = state.book.token('A')
  expect(early.ofCreatorOf(token, 9, Budget.unlimited)).toEqual([])
  // F is of one slot with B; C comes later than late events may.
  const told = {
    B: [3_000, 1],
    A: [3_020, 0],
    E: [3_010, 5],
    C: [12, 0],
    D: [3_010, 4],
    F: [3_000, 0],
  }
  for (const [mint, [slot, txIndex]] of Object.entries(told))
    engine.accept(created({ mint, slot, txIndex, signature: `create ${mint}` }))
  const mints = (tokens: readonly number[]) => tokens.map((one) => state.book.mintOf(one))
  const newestFirst = ['A', 'E', 'D', 'B', 'F', 'C']
  const late = new CreatorTokens(state, order, () => engine.areFactsWaiting)
  for (const creators of [early, late]) {
    expect(mints(creators.ofCreatorOf(token, 9, Budget.unlimited))).toEqual(newestFirst)
    expect(mints(creators.ofCreatorOf(token, 2, Budget.unlimited))).toEqual(['A', 'E'])
    const wallet = state.book.wallet('creator')
    expect(mints(creators.of(wallet, Budget.unlimited))).toEqual(newestFirst)
  }
})

test('the tokens of all creators are made in pieces, and what is told meanwhile is in its place, once', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, order, announcements, facts } = engine
  let slot = 1_000
  const toldNext = (mint: string) => ({ ...told(mint), slot: slot++ })
  // Traded before they are told, so that each has its row when the pieces begin.
  for (let i = 0; i < MANY; i += 1)
    engine.accept(swap({ slot: 999, txIndex: i, mint: `mint ${i}`, signature: `swap ${i}` }))
  for (let i = 0; i < MANY; i += 2) engine.accept(toldNext(`mint ${i}`))
  const creators = new CreatorTokens(state, order, () => engine.areFactsWaiting)
  facts.on('created', (token) => creators.created(token))
  const { turns } = readInTurns(
    (budget) => creators.ofCreatorOf(0, 1, budget),
    (turn) => {
      for (let i = 0; i < 40; i += 1) engine.accept(toldNext(`mint ${turn * 80 + i * 2 - 1}`))
    },
  )
  expect(turns).toBeGreaterThan(MANY / 1_024)
  engine.accept(toldNext('last'))
  const newestFirst = Array.from({ length: announcements.launches.length }, (_, place) =>
    announcements.launches.get(place),
  ).toReversed()
  const listed = creators.ofCreatorOf(state.book.token('last'), 2 * MANY, Budget.unlimited)
  expect(listed).toEqual(newestFirst)
})

test('tokens that are asked for while a gap is filled are each listed once behind it, in their places', () => {
  const engine = new Engine({ clock: 'wall', identities: 1 << 12 })
  engine.advance(START_SECOND + 300)
  const { state, order, facts } = engine
  const creators = new CreatorTokens(state, order, () => engine.areFactsWaiting)
  facts.on('created', (token) => creators.created(token))
  const listed = () => {
    const tokens = creators.of(state.book.wallet('creator'), Budget.unlimited)
    return tokens.map((token) => state.book.mintOf(token))
  }
  const gap = (at: Gap['state']): Gap => ({
    ...{ type: 'gap', state: at, fromSlot: 101, toSlot: 180, timestamp: START_SECOND },
  })
  engine.events([{ ...told('A'), slot: 100 }, gap('open'), { ...told('D'), slot: 181 }])
  // D is taken back, and stays so until the gap is filled.
  engine.events([gap('filling'), { ...told('B'), slot: 110 }])
  expect(listed()).toEqual([])
  engine.accept({ ...told('C'), slot: 120 })
  engine.accept(gap('filled'))
  expect(listed()).toEqual(['D', 'C', 'B', 'A'])
})

test('an old token of a creator of many stands last among the newest ones', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, order } = engine
  for (const [slot, mint] of ['A', 'B', 'C', 'D'].entries()) engine.accept({ ...told(mint), slot })
  const creators = new CreatorTokens(state, order, () => engine.areFactsWaiting)
  const listed = (mint: string) =>
    creators
      .ofCreatorOf(state.book.token(mint), 3, Budget.unlimited)
      .map((token) => state.book.mintOf(token))
  expect(['D', 'B', 'A'].map(listed)).toEqual([
    ['D', 'C', 'B'],
    ['D', 'C', 'B'],
    ['D', 'C', 'A'],
  ])
})
