import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { EngineAnswers } from '../../src/wire/engine-answers.ts'
import { created } from '../oracle/fixtures.ts'

const TABLES = { type: 'all', filters: {}, limit: 200 } as const
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
      const answers = new EngineAnswers(engine, () => {})
      for (const { mint, ...links } of changes) {
        engine.accept({ type: 'metadata', timestamp: 0, mint: `mint ${mint}`, ...links })
        const kept = answers.tables(TABLES)
        expect(answers.tables(TABLES)).toEqual(kept)
        expect(new EngineAnswers(engine, () => {}).tables(TABLES)).toEqual(kept)
      }
    }),
    { numRuns: 60 },
  )
})
