/**
 * `make reconnects`: COUNT disconnects (100,000) from SEED of readers of URLS replicas (1), in rounds of processes
 * of their own, as many at once as there are processors; the exit code says whether all was whole.
 */
import { fork } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { fileURLToPath } from 'node:url'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { type ReconnectReport, runReconnects } from './reconnect-run.ts'

const HERE = fileURLToPath(import.meta.url)
const ROUND_FLAG = '--round'
/** Disconnects of one round: some 100 restarts, and streams of some 10,000 messages. */
const ROUND_DISCONNECTS = 10_000
/** Ten times what a round takes on two processors. */
const ROUND_MAX_MS = 600_000
/** Faults of a round that are told. */
const FAULTS_TOLD = 20

const Report = Compile(
  Type.Object({
    disconnects: Type.Integer(),
    restarts: Type.Integer(),
    events: Type.Integer(),
    holds: Type.Integer(),
    walletLosses: Type.Integer(),
    moves: Type.Integer(),
    mended: Type.Integer(),
    faults: Type.Array(Type.String()),
    isWhole: Type.Boolean(),
  }),
)

interface Round {
  readonly seed: number
  readonly count: number
  readonly urls: number
}

function tell(line: string): void {
  process.stdout.write(`${line}\n`)
}

/** Runs a round in a process of its own; one that ends without a report, or never, is a fault. */
function runRound({ seed, count, urls }: Round): Promise<ReconnectReport> {
  return new Promise((resolve) => {
    const child = fork(HERE, [ROUND_FLAG, ...[seed, count, urls].map(String)], { execArgv: [] })
    const failed = (fault: string) =>
      resolve({
        ...{ disconnects: 0, restarts: 0, events: 0, holds: 0, walletLosses: 0, mended: 0 },
        ...{ moves: 0, faults: [fault], isWhole: false },
      })
    const timer = setTimeout(() => {
      failed(`no end within ${ROUND_MAX_MS / 1000} s`)
      child.kill('SIGKILL')
    }, ROUND_MAX_MS)
    child.on('message', (message: unknown) => {
      if (Report.Check(message)) resolve(message)
      else failed('its report cannot be read')
    })
    child.once('exit', (code) => {
      clearTimeout(timer)
      failed(`the process ended with ${code} and no report`)
    })
  })
}

/** All rounds, each told when it ends. */
async function runRounds(rounds: readonly Round[]): Promise<readonly ReconnectReport[]> {
  const reports: ReconnectReport[] = []
  let next = 0
  let disconnects = 0
  const work = async () => {
    while (next < rounds.length) {
      const round = rounds[next++]
      const report = await runRound(round)
      reports.push(report)
      disconnects += report.disconnects
      const { faults, isWhole } = report
      const seconds = Math.round(performance.now() / 1000)
      tell(
        `${disconnects} disconnects after ${seconds} s; SEED=${round.seed} COUNT=${round.count} URLS=${round.urls}: ` +
          `${faults.length} faults, ${isWhole ? 'all' : 'not all'} came`,
      )
      for (const fault of faults.slice(0, FAULTS_TOLD)) tell(`fault: ${fault}`)
    }
  }
  await Promise.all(Array.from({ length: availableParallelism() }, work))
  return reports
}

async function main(): Promise<void> {
  const count = Number(process.env.COUNT || 100_000)
  const seed = Number(process.env.SEED || Math.floor(Math.random() * 2 ** 32))
  const urls = Number(process.env.URLS || 1)
  tell(`reconnects: ${count} disconnects, SEED=${seed} URLS=${urls}`)
  const rounds = Array.from({ length: Math.ceil(count / ROUND_DISCONNECTS) }, (_, i) => ({
    seed: seed + i,
    count: Math.min(ROUND_DISCONNECTS, count - i * ROUND_DISCONNECTS),
    urls,
  }))
  const reports = await runRounds(rounds)
  const sum = (of: (report: ReconnectReport) => number) =>
    reports.reduce((total, report) => total + of(report), 0)
  const faults = sum((report) => report.faults.length)
  const mended = sum((report) => report.mended)
  const isWhole = reports.every((report) => report.isWhole)
  tell(
    `${sum((report) => report.disconnects)} disconnects, ${sum((report) => report.restarts)} restarts, ` +
      `${sum((report) => report.moves)} moves to another url, ` +
      `${sum((report) => report.holds)} times a slow reader's stream was left and resumed; ` +
      `${sum((report) => report.events)} events checked; ${sum((report) => report.walletLosses)} ` +
      `losses told of wallets, whose streams end with the process; ${isWhole ? 'all' : 'not all'} ` +
      `came; ${faults} faults, ${mended} that the clients mended; ${Math.round(performance.now() / 1000)} s`,
  )
  process.exitCode = faults + mended === 0 && isWhole ? 0 : 1
}

const [flag, seed, count, urls] = process.argv.slice(2)
if (flag !== ROUND_FLAG) await main()
else {
  process.on('disconnect', () => process.exit(1))
  const report = await runReconnects({
    ...{ seed: Number(seed), count: Number(count), urls: Number(urls) },
  })
  process.send?.(report, () => process.exit(0))
}
