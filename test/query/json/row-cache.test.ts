import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { Metadata } from '../../../src/events/event.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { byLength } from '../../lengths.ts'
import { created } from '../../oracle/fixtures.ts'
import { history } from '../../oracle/histories.ts'
import { engineOf } from '../../store/restoring.ts'

const ALL = { type: 'all', filters: {}, limit: 50 } as const
const MINT = 'mint'

/** Places that rows are kept in. */
const KEPT_ROWS = 1 << 14
/** Texts on both sides of what a place has room for, of one byte a character and of several. */
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
  const answers = new EngineQueries(engine, () => {})
  for (const text of [...TEXTS, ...TEXTS.toReversed()]) {
    engine.events([described(text)])
    const fresh = new EngineQueries(engine, () => {})
    const read = answers.tables(ALL).toString()
    expect(read).toBe(fresh.tables(ALL).toString())
    if (text !== '') expect(read).toContain(`"${text}"`)
  }
})

/** Bytes of kept rows, without places in which none was yet. */
function writtenTo(answers: EngineQueries): number {
  const part = answers.memory.find(({ name }) => name === 'table_rows')
  return part === undefined ? 0 : part.bytes - part.untouchedBytes
}

test('rows kept for one token take the place of one, however often it changes', () => {
  const engine = engineOf('event', 1 << 10)
  engine.events([created()])
  const answers = new EngineQueries(engine, () => {})
  const none = writtenTo(answers)
  answers.tables(ALL)
  const one = writtenTo(answers)
  expect(one).toBeGreaterThan(none)
  for (let i = 0; i < 200; i++) {
    engine.events([described(`${i}`)])
    answers.tables(ALL)
  }
  expect(writtenTo(answers)).toBe(one)
})

test('the buffer of a long row is given up for a short one, however often it changes', () => {
  const engine = engineOf('event', 1 << 10)
  engine.events([created()])
  const answers = new EngineQueries(engine, () => {})
  const bytesWith = (text: string) => {
    engine.events([described(text)])
    answers.tables(ALL)
    return writtenTo(answers)
  }
  const long = bytesWith('a'.repeat(4_000))
  const short = bytesWith('')
  expect(short).toBeLessThan(long - 2_000)
  for (let i = 0; i < 5; i++) {
    expect(bytesWith('b')).toBe(short)
    expect(bytesWith('c')).toBe(short)
    expect(bytesWith('d'.repeat(4_000))).toBe(long)
  }
})

/** The second place of the row of token 0. */
const SECOND_PLACE = 0x1357

test('of tokens whose rows fall on the same places each is told as itself', () => {
  const engine = engineOf('event', 1 << 15)
  const mints = Array.from({ length: KEPT_ROWS + 1 }, (_, i) => `mint ${i}`)
  engine.events(mints.map((mint, i) => created({ slot: 1 + i, mint, signature: mint })))
  const named = [mints[KEPT_ROWS], mints[SECOND_PLACE], mints[0]]
  for (const mint of named)
    engine.events([{ type: 'metadata', timestamp: 1, mint, twitter: 'https://x.com/one' }])
  const answers = new EngineQueries(engine, () => {})
  const query = { ...ALL, filters: { new: { socials: { twitter: true } } } }
  for (let i = 0; i < 2; i++) {
    const read: { new: { mint: string }[] } = JSON.parse(answers.tables(query).toString())
    expect(read.new.map(({ mint }) => mint)).toEqual(named)
  }
})

const MINTS = 4
/** Rows of some 900 bytes become as many as four thousand, and short again. */
const link = fc.integer({ min: 0, max: 480 }).map((length) => `https://x.com/${'a'.repeat(length)}`)
const change = fc.record({
  mint: fc.nat(MINTS - 1),
  twitter: link,
  website: fc.option(link),
  image: fc.option(link),
})

test('rows of any length are kept as they would be written anew', () => {
  fc.assert(
    fc.property(fc.array(change, { minLength: 5, maxLength: 40 }), (changes) => {
      const engine = new Engine({ clock: 'event', identities: 1 << 12 })
      for (let mint = 0; mint < MINTS; mint++)
        engine.accept(created({ slot: 100 + mint, mint: `mint ${mint}`, signature: `${mint}` }))
      const answers = new EngineQueries(engine, () => {})
      for (const { mint, ...links } of changes) {
        engine.accept({ type: 'metadata', timestamp: 0, mint: `mint ${mint}`, ...links })
        const kept = answers.tables(ALL)
        expect(answers.tables(ALL)).toEqual(kept)
        expect(new EngineQueries(engine, () => {}).tables(ALL)).toEqual(kept)
      }
    }),
    { numRuns: byLength(15, 60) },
  )
})

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_126)
const HISTORIES = 10
const EVENTS = 200
/** Events between two looks. */
const STEP = 11

test(`kept rows are those of a first read, whatever happened and however much time passed (seed ${SEED})`, () => {
  for (let seed = SEED; seed < SEED + HISTORIES; seed++) {
    const engine = engineOf('event', 1 << 12)
    const kept = new EngineQueries(engine, () => {})
    const events = history(seed, EVENTS)
    for (let from = 0; from < events.length; from += STEP) {
      engine.events(events.slice(from, from + STEP))
      const fresh = new EngineQueries(engine, () => {})
      expect(kept.tables(ALL), `seed ${seed}`).toBe(fresh.tables(ALL))
    }
  }
})
