import { expect, onTestFinished, test, vi } from 'vitest'
import { TapeDamage } from '../../../../src/base/errors.ts'
import { LiveFailures } from '../../../../src/server/live/connection/live-failures.ts'

/** Failures at a time that is given, and what the log got of them. */
function logged() {
  const at = { ms: 0 }
  const clock = vi.spyOn(performance, 'now').mockImplementation(() => at.ms)
  onTestFinished(() => clock.mockRestore())
  const lines: Readonly<Record<string, unknown>>[] = []
  const nothing = () => {}
  const failures = new LiveFailures({
    log: { info: nothing, warn: nothing, error: (fields) => void lines.push(fields) },
    onStep: nothing,
    send: nothing,
    close: nothing,
  })
  /** So many failures; the lines that they brought. */
  const fail = (count: number, error: Error) => {
    const before = lines.length
    for (let n = 0; n < count; n += 1) failures.failed(error, [])
    return lines.slice(before)
  }
  return { at, failures, fail }
}

test('of history that cannot be read 20 lines are written at once and then one a second, with how many were left out', () => {
  const { at, failures, fail } = logged()
  const damage = new TapeDamage('it is gone')
  const first = fail(100, damage)
  expect(first).toHaveLength(20)
  for (const line of first) expect(line).not.toHaveProperty('leftOut')
  at.ms = 999
  expect(fail(7, damage)).toHaveLength(0)
  at.ms = 1_000
  expect(fail(5, damage)).toMatchObject([{ leftOut: 87 }])
  at.ms = 3_000
  const later = fail(5, damage)
  expect(later).toMatchObject([{ leftOut: 4 }, {}])
  expect(later[1]).not.toHaveProperty('leftOut')
  // After an hour it is 20 again, and not 3,600.
  at.ms = 3_600_000
  expect(fail(100, damage)).toHaveLength(20)
  expect(failures.figures()).toEqual({ live_defects_total: 0 })
})

test('every defect is written and counted', () => {
  const { failures, fail } = logged()
  const lines = fail(100, new Error('a defect'))
  expect(lines).toHaveLength(100)
  expect(lines[0].stack).toContain('a defect')
  expect(failures.figures()).toEqual({ live_defects_total: 100 })
})
