import { expect, test } from 'vitest'
import { CreatorTokens } from '../../src/engine/creator-tokens.ts'
import { Engine } from '../../src/engine/engine.ts'
import { U32List } from '../../src/engine/memory/u32-list.ts'
import { created, swap } from '../oracle/fixtures.ts'

const told = (mint: string) => created({ mint, signature: `create ${mint}` })

test('tokens of a creator are listed by when they were told, whenever it is first asked for', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, announcements, facts } = engine
  const early = new CreatorTokens(state, announcements.launches)
  facts.on('created', (token) => early.created(token))
  engine.accept(swap({ mint: 'A' }))
  const token = state.book.token('A')
  expect(early.ofCreatorOf(token, 9)).toEqual([])
  for (const mint of ['B', 'A', 'C']) engine.accept(told(mint))
  const mints = (tokens: readonly number[]) => tokens.map((one) => state.book.mintOf(one))
  expect(mints(early.ofCreatorOf(token, 9))).toEqual(['C', 'A', 'B'])
  const late = new CreatorTokens(state, announcements.launches)
  expect(mints(late.ofCreatorOf(token, 9))).toEqual(['C', 'A', 'B'])
  expect(mints(late.ofCreatorOf(token, 2))).toEqual(['C', 'A'])
  const ofVersion1 = new CreatorTokens(state, new U32List())
  expect(mints(ofVersion1.ofCreatorOf(token, 9))).toEqual(['C', 'B', 'A'])
})

test('an old token of a creator of many stands last among the newest ones', () => {
  const engine = new Engine({ clock: 'event', identities: 1 << 12 })
  const { state, announcements } = engine
  for (const mint of ['A', 'B', 'C', 'D']) engine.accept(told(mint))
  const creators = new CreatorTokens(state, announcements.launches)
  const listed = (mint: string) =>
    creators.ofCreatorOf(state.book.token(mint), 3).map((token) => state.book.mintOf(token))
  expect(['D', 'B', 'A'].map(listed)).toEqual([
    ['D', 'C', 'B'],
    ['D', 'C', 'B'],
    ['D', 'C', 'A'],
  ])
})
