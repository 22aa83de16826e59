import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { jsonNumber, jsonString, timeText } from '../../src/protocol/wire.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { byLength } from '../lengths.ts'
import { history } from '../oracle/histories.ts'

/** Any UTF-16: lone surrogates, controls, quotes, what HTML and JavaScript trip over. */
const hostile = fc.oneof(
  fc.string({ unit: 'binary' }),
  fc.string({ unit: 'grapheme' }),
  fc.array(fc.integer({ min: 0, max: 0xffff })).map((units) => String.fromCharCode(...units)),
  fc.constantFrom('"', '\\', '\u2028\u2029', '\ud800', '\udc00\ud800', '\u0000', '</script>'),
)

test('strings are written as JSON.stringify writes them', () => {
  fc.assert(
    fc.property(hostile, (text) => {
      expect(jsonString(text)).toBe(JSON.stringify(text))
      expect(JSON.parse(jsonString(text))).toBe(text)
    }),
    { numRuns: byLength(500, 5_000) },
  )
})

test('finite numbers are written as JSON.stringify writes them, others as 0', () => {
  const numbers = fc.oneof(fc.double(), fc.integer(), fc.constantFrom(-0, 5e-324, 2 ** 53, 1e21))
  fc.assert(
    fc.property(numbers, (value) => {
      expect(jsonNumber(value)).toBe(Number.isFinite(value) ? JSON.stringify(value) : '0')
    }),
    { numRuns: byLength(500, 5_000) },
  )
})

test('times are written as UTC, whatever was written before them', () => {
  const seconds = fc.integer({ min: 0, max: 2 ** 32 - 1 })
  fc.assert(
    fc.property(fc.array(seconds, { size: 'max', maxLength: 300 }), (times) => {
      for (const time of times) {
        const iso = new Date(time * 1000).toISOString()
        expect(timeText(time)).toBe(iso.slice(0, 19).replace('T', ' '))
      }
    }),
    { numRuns: 100 },
  )
})

test('what the encoders write is what JSON.stringify makes of it again', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const engine = new Engine({ clock: 'event', identities: 1 << 12 })
      const answers = new EngineQueries(engine, () => {})
      const mints = new Set<string>()
      for (const event of history(seed, 40)) {
        engine.accept(event)
        if ('mint' in event) mints.add(event.mint)
      }
      const query = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const
      const texts = [
        answers.marketData([...mints]),
        answers.search('pump'),
        answers.tables({ type: 'all', filters: {}, limit: 200 }),
      ]
      for (const mint of mints) {
        texts.push(answers.swaps(mint, null, query), answers.tokenTraders(mint, query))
      }
      for (const text of texts) expect(JSON.stringify(JSON.parse(text))).toBe(text)
    }),
    { numRuns: 200 },
  )
})
