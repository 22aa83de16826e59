import fc from 'fast-check'
import { expect, test } from 'vitest'
import { FLAG_FILTERS, RANGE_FILTERS, SOCIAL_FILTERS } from '../../../src/protocol/filters.ts'
import { parseTables } from '../../../src/protocol/requests/tables.ts'

const number = fc.oneof(fc.integer(), fc.double({ noNaN: true, noDefaultInfinity: true }))
const wrong = fc.constantFrom(null, '1', [], {}, { min: 1 }, -1, true, 'new')
/** Mostly as it has to be. */
const mostly = <T>(value: fc.Arbitrary<T>) =>
  fc.oneof({ weight: 12, arbitrary: value }, { weight: 1, arbitrary: wrong })
const objectOf = (names: readonly string[], value: fc.Arbitrary<unknown>, most: number) =>
  fc.dictionary(
    fc.oneof(
      { weight: 30, arbitrary: fc.constantFrom(...names) },
      { weight: 1, arbitrary: fc.constantFrom('__proto__', 'constructor', 'Min', '') },
    ),
    mostly(value),
    { maxKeys: most },
  )
const group = fc
  .tuple(
    objectOf(RANGE_FILTERS, objectOf(['min', 'max'], number, 2), 4),
    objectOf([...FLAG_FILTERS, 'caEndsWithPump'], fc.boolean(), 2),
    fc.option(objectOf(SOCIAL_FILTERS, fc.boolean(), 2), { nil: undefined }),
  )
  .map(([ranges, flags, socials]) => ({ ...ranges, ...flags, ...(socials && { socials }) }))
const body = fc
  .tuple(
    objectOf(['type'], fc.constantFrom('new', 'completing', 'graduated', 'all'), 1),
    objectOf(['newPools', 'completing', 'graduated'], group, 3),
    objectOf(['limit'], fc.integer({ min: -1, max: 300 }), 1),
  )
  .chain((parts) => fc.subarray(parts, { minLength: 1 }))
  .map((parts): object => Object.assign({}, ...parts))

test('a plain body is read as one that goes through the schema', () => {
  let accepted = 0
  fc.assert(
    fc.property(body, fc.boolean(), (given, isHuge) => {
      const text = isHuge
        ? JSON.stringify(given).replace(/:-?\d+\.\d+(e[-+]?\d+)?/, ':1e999')
        : JSON.stringify(given)
      const parsed = parseTables(text)
      // A key that is null takes it through the schema.
      const other = `{"extra":null${text === '{}' ? '' : ','}${text.slice(1)}`
      expect(parsed).toEqual(parseTables(other))
      accepted += Number(parsed.ok)
    }),
    { numRuns: 2_000 },
  )
  expect(accepted).toBeGreaterThan(200)
})
