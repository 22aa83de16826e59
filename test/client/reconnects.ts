/** `make reconnects`: COUNT disconnects (100,000) from SEED; the exit code says whether all was whole. */
import { runReconnects } from './reconnect-run.ts'

const count = Number(process.env.COUNT || 100_000)
const seed = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 32))
const tell = (line: string) => void process.stdout.write(`${line}\n`)

tell(`reconnects: ${count} disconnects, SEED=${seed}`)
const startedMs = performance.now()
const { faults, isWhole, ...counts } = await runReconnects({ count, seed, tell })
for (const fault of faults) tell(`fault: ${fault}`)
tell(
  `${counts.disconnects} disconnects, ${counts.restarts} restarts, ${counts.holds} times a slow ` +
    `reader's stream was left and resumed; ${counts.events} events checked; ${counts.walletLosses} ` +
    `losses told of wallets, whose streams end with the process; ${isWhole ? 'all' : 'not all'} came; ` +
    `${faults.length} faults; ${Math.round((performance.now() - startedMs) / 1000)} s`,
)
process.exitCode = faults.length === 0 && isWhole ? 0 : 1
