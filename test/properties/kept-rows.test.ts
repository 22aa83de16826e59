import { expect, test } from 'vitest'
import type { Metadata } from '../../src/engine/event.ts'
import { EngineAnswers } from '../../src/wire/engine-answers.ts'
import { created } from '../oracle/fixtures.ts'
import { engineOf } from '../store/restoring.ts'

const ALL = { type: 'all', filters: {}, limit: 50 } as const
const MINT = 'mint'

/** Texts of every length about the step in which places grow, of one byte and of several. */
const TEXTS = ['', 'a', 'ä'.repeat(64), 'a'.repeat(300), '🚀'.repeat(700), 'b', '', 'é'.repeat(255)]

const described = (description: string): Metadata => ({
  type: 'metadata',
  timestamp: 1,
  mint: MINT,
  description,
})

test('a row that is written over a longer or shorter one is the row of a first read', () => {
  const engine = engineOf('event', 1 << 10)
  engine.events([created()])
  const answers = new EngineAnswers(engine, () => {})
  for (const text of [...TEXTS, ...TEXTS.toReversed()]) {
    engine.events([described(text)])
    const fresh = new EngineAnswers(engine, () => {})
    const read = answers.tables(ALL).toString()
    expect(read).toBe(fresh.tables(ALL).toString())
    if (text !== '') expect(read).toContain(`"${text}"`)
  }
})

test('rows kept for one token take the place of one, however often it changes', () => {
  const engine = engineOf('event', 1 << 10)
  engine.events([created()])
  const answers = new EngineAnswers(engine, () => {})
  const rows = () => answers.memory.find(({ name }) => name === 'table_rows')?.bytes ?? 0
  const before = rows()
  for (let i = 0; i < 200; i++) {
    engine.events([described(`${i}`)])
    answers.tables(ALL)
  }
  expect(rows()).toBeGreaterThan(before)
  expect(rows() - before).toBeLessThan(2_048)
})

test('a place that was made for a long row is given up for short ones', () => {
  const engine = engineOf('event', 1 << 10)
  engine.events([created(), described('a'.repeat(4_000))])
  const answers = new EngineAnswers(engine, () => {})
  const rows = () => answers.memory.find(({ name }) => name === 'table_rows')?.bytes ?? 0
  answers.tables(ALL)
  const long = rows()
  engine.events([described('')])
  answers.tables(ALL)
  expect(rows()).toBeLessThan(long - 2_000)
})
