import { expect, test } from 'vitest'
import type { Engine } from '../../src/engine/engine.ts'
import { StateError, type StatePart } from '../../src/engine/memory/state-part.ts'
import { Progress } from '../../src/engine/order/progress.ts'
import { copyParts } from '../../src/store/recovery/recovery.ts'
import { history } from '../oracle/histories.ts'
import { engineOf, foldSteps, restored, stepsOf } from './restoring.ts'

const NO_SIZES = [Number.NaN, Number.POSITIVE_INFINITY, -2, 0.5, 2 ** 53]
/** The one fact that is no integer: a price. */
const PRICE = 1

function filled(): Engine {
  const engine = engineOf('event')
  foldSteps(engine, stepsOf(history(1, 60), 1))
  return engine
}

function partOf(engine: Engine, name: string): StatePart {
  const part = engine.parts.find((one) => one.name === name)
  if (part === undefined) throw new Error(`there is no part ${name}`)
  return part
}

test('a fact that is no size is refused with one sentence', () => {
  for (const part of filled().parts) {
    const facts = part.facts()
    facts.forEach((_, i) => {
      if (part.name === 'clock and price' && i === PRICE) return
      for (const wrong of NO_SIZES)
        expect(() => part.open(facts.with(i, wrong)), `${part.name} ${i}`).toThrow(StateError)
    })
    expect(() => part.open([...facts, 0]), part.name).toThrow(StateError)
    if (facts.length > 0) expect(() => part.open(facts.slice(1)), part.name).toThrow(StateError)
  }
})

test.each([
  ['undo', [1 << 18, 5, 6], 'an undo log of 262144 lanes cannot reach from 6 to 5'],
  ['undo', [1000, 5, 5], 'an undo log of 1000 lanes cannot reach from 5 to 5'],
  ['undo', [1 << 18, (1 << 18) + 1, 0], 'cannot reach from 0 to 262145'],
  ['order ring', [4096, 3, 4], 'an order ring of 4096 cannot reach from 4 to 3'],
  ['order ring', [4097, 3, 3], 'an order ring of 4097 cannot reach from 3 to 3'],
  ['order ring', [4096, 4097, 0], 'cannot reach from 0 to 4097'],
  ['identities', [128, 0, 0], 'the state remembers 128 swaps but the engine 64'],
  ['identities', [64, 3, 5], "the state's swap 3 cannot follow 5 identities"],
  ['globals', [2], 'the state has 2 rows of globals instead of 1'],
  ['clamps', [15], 'the state has 15 rows of clamps instead of 16'],
  ['clock and price', [0, Number.NaN], "the state's SOL price is NaN, which no price can be"],
  ['clock and price', [0, -1], "the state's SOL price is -1, which no price can be"],
  ['texts', [0], "the state's texts gives out unit 0"],
])('%s of %j is refused', (name, facts, message) => {
  const part = partOf(filled(), name)
  expect(() => part.open(facts)).toThrow(StateError)
  expect(() => part.open(facts)).toThrow(message)
})

test('a hash table whose shard has no free slot, or an odd size, is refused', () => {
  const part = partOf(filled(), 'address slots')
  const facts = part.facts()
  expect(() => part.open(facts.with(0, 33))).toThrow('a shard')
  expect(() => part.open(facts.with(0, 0))).toThrow('a shard')
  for (const view of part.open(facts)) view.fill(1)
  expect(() => part.settle()).toThrow('holds more than it may')
})

test('rows that belong together but are not equally many are refused', () => {
  const [from, into] = [filled(), engineOf('event')]
  const part = partOf(from, 'births')
  part.open([part.facts()[0] + 1])
  expect(() => restored(from, into)).toThrow('tokens but')
  const other = filled()
  for (const name of ['tokens', 'births', 'windows', 'metadata']) partOf(other, name).open([99])
  expect(() => restored(other, engineOf('event'))).toThrow('address book does not know')
})

test('bytes that are not what a part writes are refused', () => {
  for (const name of ['lifecycle events', 'waiting metadata']) {
    const part = partOf(filled(), name)
    for (const text of ['[1]', '[{}]', '{"a":1}']) {
      const bytes = Buffer.from(text)
      part.open([bytes.length])[0]?.set(bytes)
      expect(() => part.settle(), `${name} ${text}`).toThrow(StateError)
    }
  }
})

test('metadata that waits for a token which the state does not have is refused', () => {
  const from = filled()
  const part = partOf(from, 'waiting metadata')
  for (const [token, isRefused] of [
    [from.state.metadata.count - 1, false],
    [from.state.metadata.count, true],
  ] as const) {
    const bytes = new Uint8Array(Uint32Array.of(token).buffer)
    part.open([bytes.length])[0]?.set(bytes)
    if (isRefused) expect(() => part.settle()).toThrow(`waits for token ${token}`)
    else expect(() => part.settle()).not.toThrow()
  }
})

test('how far an engine has come is loaded with each of its numbers, and each has its place', () => {
  const [from, into] = [new Progress(), new Progress()]
  expect([from.taken, from.newest.slot]).toEqual([0, -1])
  expect(Object.values(from.counts)).toEqual(countNames.map(() => 0))
  for (const isSlotKnown of [true, false]) {
    Object.assign(from.newest, { slot: 101, txIndex: 102, ordinal: 103, isSlotKnown })
    from.taken = 104 + 105
    for (const [i, name] of countNames.entries()) from.counts[name] = 105 + i
    expect(new Set(from.part.facts()).size).toBe(from.part.facts().length)
    into.part.open(from.part.facts())
    expect(into.newest).toEqual(from.newest)
    expect(into.taken).toBe(from.taken)
    expect(into.counts).toEqual(from.counts)
  }
  const facts = from.part.facts()
  for (const wrong of [facts.with(0, -2), facts.with(0, 0.5), facts.with(3, 2)])
    expect(() => into.part.open(wrong)).toThrow(StateError)
  for (const right of [facts.with(0, -1), facts.with(0, 0)])
    expect(() => into.part.open(right)).not.toThrow()
  expect(from.part.views()).toEqual([])
})

const countNames = [
  ...(['swaps', 'duplicates', 'lateRefused', 'lateFolded', 'aheadRefused'] as const),
  ...(['secondCreations', 'secondMigrations', 'events'] as const),
]

test('a state goes only into one with the same parts', () => {
  const [from, into] = [filled(), engineOf('event')]
  expect(() => copyParts(from.parts.slice(1), into.parts)).toThrow('parts does not fit')
  expect(() => copyParts(from.parts, into.parts.toReversed())).toThrow('belongs')
})
