import { expect, test } from 'vitest'
import { Budget } from '../../src/base/budget.ts'
import { Engine } from '../../src/engine/engine.ts'
import { CreatorTokens } from '../../src/engine/index/creator-tokens.ts'
import { U32List } from '../../src/engine/memory/rows.ts'
import { readInTurns } from '../budgets.ts'
import { created, swap } from '../oracle/fixtures.ts'

const MANY = 5_000

const told = (mint: string) => created({ mint, signature: `create ${mint}` })

test('tokens of a creator are listed by when they were told, whenever it is first asked for', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, announcements, facts } = engine
  const early = new CreatorTokens(state, announcements.launches)
  facts.on('created', (token) => early.created(token))
  engine.accept(swap({ mint: 'A' }))
  const token = state.book.token('A')
  expect(early.ofCreatorOf(token, 9, Budget.unlimited)).toEqual([])
  for (const mint of ['B', 'A', 'C']) engine.accept(told(mint))
  const mints = (tokens: readonly number[]) => tokens.map((one) => state.book.mintOf(one))
  expect(mints(early.ofCreatorOf(token, 9, Budget.unlimited))).toEqual(['C', 'A', 'B'])
  const late = new CreatorTokens(state, announcements.launches)
  expect(mints(late.ofCreatorOf(token, 9, Budget.unlimited))).toEqual(['C', 'A', 'B'])
  expect(mints(late.ofCreatorOf(token, 2, Budget.unlimited))).toEqual(['C', 'A'])
  const ofVersion1 = new CreatorTokens(state, new U32List())
  expect(mints(ofVersion1.ofCreatorOf(token, 9, Budget.unlimited))).toEqual(['C', 'B', 'A'])
})

test('the tokens of all creators are made in pieces, and what is told meanwhile is in its place, once', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, announcements, facts } = engine
  let slot = 1_000
  const toldNext = (mint: string) => ({ ...told(mint), slot: slot++ })
  // Traded before they are told, so that each has its row when the pieces begin.
  for (let i = 0; i < MANY; i += 1)
    engine.accept(swap({ slot: 999, txIndex: i, mint: `mint ${i}`, signature: `swap ${i}` }))
  for (let i = 0; i < MANY; i += 2) engine.accept(toldNext(`mint ${i}`))
  const creators = new CreatorTokens(state, announcements.launches)
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

test('an old token of a creator of many stands last among the newest ones', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, announcements } = engine
  for (const mint of ['A', 'B', 'C', 'D']) engine.accept(told(mint))
  const creators = new CreatorTokens(state, announcements.launches)
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
