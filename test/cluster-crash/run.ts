/** `make cluster-crash`: kills processes of a cluster ROUNDS times; the exit code says whether anything was lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runClusterCrashRounds } from './rounds.ts'

const ROUNDS_DEFAULT = 200
/** Longer than a lease and an election, and shorter. */
const AWAY_MS_MAX = 6_000

const rounds = Number(process.env.ROUNDS || ROUNDS_DEFAULT)
const seed = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 32))
const folder = process.env.CRASH_DIR || mkdtempSync(join(tmpdir(), 'mintfeed-cluster-crash-'))
const tell = (line: string) => void process.stdout.write(`${line}\n`)

tell(`cluster-crash: ${rounds} rounds, SEED=${seed}, in ${folder}`)
const startedMs = performance.now()
const { faults, ...counts } = await runClusterCrashRounds({
  ...{ rounds, seed, folder, tell },
  awayMsMax: AWAY_MS_MAX,
})
for (const fault of faults) tell(`fault: ${fault}`)
tell(`${JSON.stringify(counts, null, 2)}
${faults.length} faults; ${Math.round((performance.now() - startedMs) / 1_000)} s`)
// What failed is left for a look.
if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
process.exitCode = faults.length === 0 ? 0 : 1
