import { expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { runReconnects } from './reconnect-run.ts'

const DISCONNECTS = Number(process.env.COUNT ?? byLength(300, 2_000))
const seed = Number(process.env.SEED ?? 20_261_121)

test(`readers that are cut ${DISCONNECTS} times at any byte get every event once, in order (SEED=${seed})`, async () => {
  const report = await runReconnects({ count: DISCONNECTS, seed })
  // All at once: what one of them was tells why another is not as it has to be.
  expect(report).toMatchObject({ faults: [], mended: 0, isWhole: true })
  expect(report.disconnects).toBeGreaterThanOrEqual(DISCONNECTS)
  expect(report.restarts).toBeGreaterThan(0)
  expect(report.holds).toBeGreaterThan(0)
  expect(report.walletLosses).toBeLessThanOrEqual(report.restarts * 8)
  expect(report.moves).toBe(0)
})

test(`readers of two replicas that are cut ${DISCONNECTS} times get every event once, in order (SEED=${seed})`, async () => {
  const report = await runReconnects({ count: DISCONNECTS, seed, urls: 2 })
  expect(report).toMatchObject({ faults: [], mended: 0, isWhole: true })
  expect(report.restarts).toBeGreaterThan(0)
  expect(report.moves).toBeGreaterThan(DISCONNECTS / 10)
})
