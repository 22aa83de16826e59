import { expect, test } from 'vitest'
import { runConformance } from '../conformance/conformance.ts'
import { startProgram } from './program.ts'

/** The whole suite over real sockets takes some seconds more on a busy machine. */
const SUITE_MS = 240_000

test(
  'the running program conforms to specification and contract',
  async () => {
    // A market that hardly moves: two reads of it must agree.
    const program = await startProgram({ SIM_TOKENS: '400', SIM_RATE: '1', RATE_LIMIT: 'off' })
    const tally = await runConformance({ url: program.url, liveSeconds: 1 })
    expect(await program.end('SIGTERM')).toBe(0)
    console.log(`conformance: ${tally.passed} passed, ${tally.skipped} skipped`)
    expect(tally.failures).toEqual([])
    expect(tally.passed).toBeGreaterThan(400)
  },
  SUITE_MS,
)

test(
  'the live feed of a moving market conforms',
  async () => {
    const program = await startProgram({ SIM_TOKENS: '400', SIM_RATE: '200', RATE_LIMIT: 'off' })
    const tally = await runConformance({ url: program.url, only: 'live:' })
    expect(await program.end('SIGTERM')).toBe(0)
    expect(tally.failures).toEqual([])
    expect(tally.passed).toBeGreaterThan(2)
  },
  SUITE_MS,
)

test(
  'the rate limit conforms as well',
  async () => {
    const program = await startProgram({ SIM_TOKENS: '50', SIM_RATE: '10' })
    const tally = await runConformance({ url: program.url, only: 'rate limit' })
    expect(await program.end('SIGTERM')).toBe(0)
    expect(tally.failures).toEqual([])
    expect(tally.passed).toBeGreaterThan(0)
  },
  SUITE_MS,
)
