/** `make alerts-crash`: kills the program ROUNDS times while DELIVERIES go out; the exit code says whether one was lost. */
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { runAlertCrashes } from './crash-rounds.ts'

const rounds = Number(process.env.ROUNDS ?? 20)
const deliveries = Number(process.env.DELIVERIES ?? 100_000)
const rate = Number(process.env.RATE ?? 600)
const seed = Number(process.env.SEED ?? Math.floor(Math.random() * 2 ** 32))
const folder = process.env.CRASH_DIR ?? mkdtempSync(join(tmpdir(), 'mintfeed-alerts-'))
const tell = (line: string) => void process.stdout.write(`${line}\n`)

tell(`alerts-crash: ${rounds} kills, ${deliveries} deliveries, SEED=${seed}, in ${folder}`)
const startedMs = performance.now()
const { faults, ...counts } = await runAlertCrashes({
  rounds,
  deliveries,
  seed,
  folder,
  rate,
  tell,
})
for (const fault of faults) tell(`fault: ${fault}`)
tell(
  `${counts.kills} kills; ${counts.taken} deliveries taken, ${counts.repeated} of them more than once, ` +
    `${counts.failed} attempts failed; ${counts.facts} facts looked for; ${faults.length} faults; ` +
    `${Math.round((performance.now() - startedMs) / 1000)} s`,
)
if (faults.length === 0) rmSync(folder, { recursive: true, force: true })
process.exitCode = faults.length === 0 ? 0 : 1
