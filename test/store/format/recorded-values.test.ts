import { expect, test } from 'vitest'
import { THRESHOLDS } from '../../../src/base/thresholds.ts'
import { recordedSettings } from '../../../src/store/format/recorded-values.ts'

const SETTINGS = { clock: 'wall', lateSlots: 32 }

function read(rules: unknown): unknown {
  return recordedSettings(JSON.stringify({ ...SETTINGS, rules }))
}

test('recorded settings are read with every rule, with some, and without any', () => {
  for (const rules of [THRESHOLDS, { proTrades: 5 }, {}])
    expect(read(rules)).toEqual({ ...SETTINGS, rules })
  expect(recordedSettings(JSON.stringify(SETTINGS))).toEqual(SETTINGS)
})

test('a recorded rule that is not known is refused, as is one of another type', () => {
  const refused = [
    { proTrade: 5 },
    { ...THRESHOLDS, later: 1 },
    { proTrades: '5' },
    { proMints: -1 },
  ]
  expect(refused.map(read)).toEqual(refused.map(() => null))
})
