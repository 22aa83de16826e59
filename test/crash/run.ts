/** `make crash`: kills the program ROUNDS times; the exit code says whether anything was lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runCrashRounds } from './rounds.ts'

const ROUNDS_DEFAULT = 200

const rounds = Number(process.env.ROUNDS ?? ROUNDS_DEFAULT)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
const folder = process.env.CRASH_DIR ?? mkdtempSync(join(tmpdir(), 'mintfeed-crash-'))
const tell = (line: string) => void process.stdout.write(`${line}\n`)

tell(`crash: ${rounds} rounds, SEED=${seed}, in ${folder}`)
const startedMs = performance.now()
const { faults, ...counts } = await runCrashRounds({ rounds, seed, folder, tell })
for (const fault of faults) tell(`fault: ${fault}`)
tell(
  `${counts.trades} trades and ${counts.migrations} migrations seen by clients were looked for, ` +
    `lost ${counts.lost}; ${counts.answersCompared} answers compared, ${counts.orphans} compactors ` +
    `outlived their program, ${counts.compactorsKilled} were killed; ${counts.chunks} chunks of the ` +
    `tape on disk; ${counts.snapshots} snapshots waited for; ${faults.length} faults; ` +
    `${Math.round((performance.now() - startedMs) / 1000)} s`,
)
// What failed is left for a look.
if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
process.exitCode = faults.length === 0 ? 0 : 1
