import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { WAITING_METADATA_MAX } from '../../../src/engine/fold/metadata-fold.ts'
import type { Metadata } from '../../../src/events/event.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { created, START_SECOND, twitter } from '../../oracle/fixtures.ts'

const image = (mint: string) => `https://images.example/${mint}`

function told(mint: string): Metadata {
  return { type: 'metadata', timestamp: START_SECOND, mint, image: image(mint) }
}

function birth(mint: string, i: number) {
  return created({ mint, slot: 1_000 + i, signature: `create ${i}` })
}

/** Whose metadata is not what was told. */
function without(engine: Engine, mints: readonly string[]): string[] {
  const answers = new EngineQueries(engine, () => {})
  return mints.filter((mint) => JSON.parse(answers.marketData([mint]))[0].image !== image(mint))
}

test('metadata that is told just before its mint is kept of each, however many mints there were', () => {
  const engine = new Engine({ clock: 'event' })
  const mints = Array.from({ length: WAITING_METADATA_MAX + 3 }, (_, i) => `mint ${i}`)
  for (const [i, mint] of mints.entries()) engine.events([told(mint), birth(mint, i)])
  expect(without(engine, mints)).toEqual([])
})

test('a mint that is told of again waits anew, and a state that is loaded goes on with those that wait', () => {
  const engine = new Engine({ clock: 'event' })
  const mints = Array.from({ length: WAITING_METADATA_MAX }, (_, i) => `mint ${i}`)
  for (const mint of mints) engine.accept(told(mint))
  for (const mint of ['mint 0', 'new 1', 'mint 2', 'new 2']) engine.accept(told(mint))
  const loaded = new Engine({ clock: 'event' })
  copyParts(engine.parts, loaded.parts)
  const some = ['mint 0', 'mint 1', 'mint 2', 'mint 3', 'mint 4', 'mint 5', 'new 1', 'new 4']
  for (const one of [engine, loaded]) {
    for (const mint of ['new 3', 'new 4']) one.accept(told(mint))
    for (const [i, mint] of some.entries()) one.accept(birth(mint, i))
    expect(without(one, some)).toEqual(['mint 1', 'mint 3', 'mint 4', 'mint 5'])
  }
})

test('of more mints that wait than there is room for the one that waited longest loses its metadata', () => {
  const engine = new Engine({ clock: 'event' })
  const mints = Array.from({ length: WAITING_METADATA_MAX + 2 }, (_, i) => `mint ${i}`)
  for (const mint of mints) engine.accept(told(mint))
  const some = ['mint 0', 'mint 1', 'mint 2', mints[mints.length - 1]]
  for (const [i, mint] of some.entries()) engine.accept(birth(mint, i))
  expect(without(engine, some)).toEqual(['mint 0', 'mint 1'])
})

test('a mint that lost its metadata re-used no link, and does so anew once it is told again', () => {
  const engine = new Engine({ clock: 'event' })
  engine.accept(twitter('lost', LINK))
  for (let i = 0; i < WAITING_METADATA_MAX; i++) engine.accept(told(`mint ${i}`))
  engine.accept(twitter('kept', LINK))
  for (const [i, mint] of ['lost', 'kept', 'new'].entries()) engine.accept(birth(mint, i))
  engine.accept(twitter('new', LINK))
  expect(reusing(engine, 1)).toEqual(['new'])
  expect(reusing(engine, 2)).toEqual([])
  engine.accept(twitter('lost', LINK))
  expect(reusing(engine, 1)).toEqual(['kept'])
  expect(reusing(engine, 2)).toEqual(['new'])
})

const LINK = 'https://x.com/dog'

/** Mints that re-used a link so many times. */
function reusing(engine: Engine, times: number): string[] {
  const filters = { new: { xReuses: { min: times, max: times } } }
  const answer = new EngineQueries(engine, () => {}).tables({ type: 'new', filters, limit: 50 })
  return [...answer.matchAll(/"mint":"([^"]+)"/g)].map(([, mint]) => mint)
}

test('metadata of mints that wait is told again and again without taking memory', () => {
  setFlagsFromString('--expose-gc')
  const collect: () => void = runInNewContext('gc')
  const engine = new Engine({ clock: 'event' })
  const mints = Array.from({ length: 500 }, (_, i) => `mint ${i}`)
  const again = mints.map((mint) => ({ ...told(mint), dexPaid: true }))
  const tell = (times: number) => {
    for (let i = 0; i < times; i += 1) for (const event of again) engine.accept(event)
    collect()
    return process.memoryUsage().heapUsed
  }
  const before = tell(200)
  expect((tell(1_000) - before) / 2 ** 20).toBeLessThan(4)
})
