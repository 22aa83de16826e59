import { expect, test } from 'vitest'
import { stackOf } from '../../src/base/errors.ts'
import { byLength } from '../lengths.ts'
import { LIES } from './lies.ts'
import type { Outcome, Tally } from './outcome.ts'
import { Simulation } from './simulation.ts'
import { Violation } from './violation.ts'

/** Fixed, so that a run says the same twice; SIM_TEST_SEED=<n> looks elsewhere. */
const FIRST_SEED = Number(process.env.SIM_TEST_SEED ?? 20_261_121)
/** Of the tests' time; `make sim` takes as long as one likes. */
const BUDGET_MS = byLength(5_000, 25_000)
/** On the slowest machine too: fewer say little. */
const SEEDS_MIN = 12
/** Seeds within which a planted fault has to be found. */
const LIE_SEEDS_MAX = 100
const TIMEOUT_MS = 300_000

async function run(seed: number): Promise<Outcome> {
  try {
    return await new Simulation(seed).run()
  } catch (error) {
    throw new Error(`make sim SEED=${seed} replays it: ${stackOf(error)}`, { cause: error })
  }
}

test('no seed breaks a promise of the service', { timeout: TIMEOUT_MS }, async () => {
  const startedMs = performance.now()
  const tallies: Tally[] = []
  let virtualMs = 0
  while (tallies.length < SEEDS_MIN || performance.now() - startedMs < BUDGET_MS) {
    const outcome = await run(FIRST_SEED + tallies.length)
    tallies.push(outcome.tally)
    virtualMs += outcome.virtualMs
  }
  const sum = (name: keyof Tally) => tallies.reduce((total, tally) => total + tally[name], 0)
  const ratio = Math.round(virtualMs / (performance.now() - startedMs))
  console.info(
    `${tallies.length} seeds from ${FIRST_SEED}: ${sum('events')} events, ${sum('kills')} kills, ` +
      `${sum('powerFailures')} power failures, ${sum('diskFaults')} disk faults, ` +
      `${sum('snapshots')} snapshots, ${sum('tokensRested')} tokens rested, ` +
      `${sum('tokensWoken')} woken, ${ratio} × real time`,
  )
  // A simulation in which nothing goes wrong proves nothing.
  const unhappy = [
    ...(['kills', 'powerFailures', 'stopsInOrder', 'diskFaults', 'snapshots'] as const),
    ...(['tokensRested', 'tokensWoken'] as const),
  ]
  expect(unhappy.filter((name) => sum(name) === 0)).toEqual([])
  expect(ratio).toBeGreaterThan(1_000)
})

test('the same seed runs the same way twice', { timeout: TIMEOUT_MS }, async () => {
  for (let seed = FIRST_SEED; seed < FIRST_SEED + 3; seed++)
    expect((await run(seed)).trace).toBe((await run(seed)).trace)
})

test.each(LIES)('a planted fault is found: $name', { timeout: TIMEOUT_MS }, async (lie) => {
  let found: unknown = null
  for (let seed = 1; seed <= LIE_SEEDS_MAX && found === null; seed++)
    try {
      await new Simulation(seed, { lie }).run()
    } catch (error) {
      found = error
    }
  expect(found).toBeInstanceOf(Violation)
})
