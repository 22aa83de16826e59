/** A case is a sentence that holds or does not; the harness runs them one after another. */
import { performance } from 'node:perf_hooks'
import type { Known } from './discover.ts'
import { Skip } from './expect.ts'
import type { Http } from './http.ts'

export interface Settings {
  url: string
  ws: string
  slow: boolean
  skipRateLimit: boolean
  /** Seconds to wait for a live event. */
  liveSeconds: number
  /** What `caEndsWithSuffix` means on this server. */
  suffix: string
}

export interface World {
  settings: Settings
  http: Http
  /** Mints and wallets found on the server; looked for once, on first use. */
  known: () => Promise<Known>
}

export interface Case {
  subject: string
  sentence: string
  run: (world: World) => Promise<void>
}

export interface Tally {
  passed: number
  failed: number
  skipped: number
  failures: { subject: string; sentence: string; reason: string }[]
}

/** Names cases of one subject. */
export const about =
  (subject: string) =>
  (sentence: string, run: Case['run']): Case => ({ subject, sentence, run })

const reasonOf = (error: unknown): string => {
  if (error instanceof AggregateError) return error.errors.map(reasonOf).join('; ')
  return error instanceof Error ? error.message : String(error)
}

async function runCase(one: Case, world: World, tally: Tally, print: (line: string) => void) {
  const began = performance.now()
  try {
    await one.run(world)
    tally.passed += 1
    const took = Math.round(performance.now() - began)
    print(`pass  ${one.subject}: ${one.sentence}${took > 1000 ? ` (${took} ms)` : ''}`)
  } catch (error) {
    const reason = reasonOf(error)
    if (error instanceof Skip) {
      tally.skipped += 1
      print(`skip  ${one.subject}: ${one.sentence} (${reason})`)
      return
    }
    tally.failed += 1
    tally.failures.push({ subject: one.subject, sentence: one.sentence, reason })
    print(`FAIL  ${one.subject}: ${one.sentence}\n      ${reason}`)
  }
}

export async function runCases(cases: Case[], world: World, print: (line: string) => void) {
  const tally: Tally = { passed: 0, failed: 0, skipped: 0, failures: [] }
  for (const one of cases) await runCase(one, world, tally, print)
  return tally
}
