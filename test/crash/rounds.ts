/**
 * Kills the real program at random moments and looks whether everything its clients had seen is
 * there again (contract section 6): real process, real sockets, real files, one data folder.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../src/base/random.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { launch, type Program, type Settings, startProgram, until } from '../process/program.ts'
import { Clients } from './clients.ts'
import { killProcess, nextCompactor } from './compactor-child.ts'
import { EventLines } from './event-lines.ts'
import { findAgain, type Missing } from './find-again.ts'
import { figuresOf, get, type Position } from './http.ts'
import { planRound, type RoundPlan } from './round-plan.ts'
import { differences, sevenAnswers } from './seven-answers.ts'
import { digestOf, LongMemory, Witness } from './witness.ts'

export interface CrashOptions {
  readonly rounds: number
  readonly seed: number
  /** The data folder of all rounds. */
  readonly folder: string
  readonly tell: (line: string) => void
}

export interface CrashReport {
  readonly rounds: number
  /** Trades that a client saw and that were looked for after the kill. */
  trades: number
  migrations: number
  answersCompared: number
  compactorsKilled: number
  orphans: number
  /** Snapshots that a round waited for. */
  snapshots: number
  /** Chunks of the tape that were on the disk at the end. */
  chunks: number
  lost: number
  /** What was not as it has to be, as sentences; empty when all is well. */
  readonly faults: string[]
}

/** One round under way. */
interface Round {
  readonly number: number
  readonly plan: RoundPlan
  readonly random: Random
  readonly witness: Witness
  readonly report: CrashReport
}

/** What a quiet program answered just before it was killed. */
interface Quiet {
  readonly asked: { readonly mints: readonly string[]; readonly wallets: readonly string[] }
  readonly nowSeconds: number
  readonly answers: ReadonlyMap<string, string>
}

/** A round that is over, and what the next start has to show. */
interface Crashed {
  readonly round: Round
  readonly quiet: Quiet | null
}

/** Lines fed at once, and how long the feeder rests between two lots, in ms. */
const LINES_AT_ONCE = 40
const FEED_EVERY_MS = 15
/** How long a round waits for a compactor to appear. */
const COMPACTOR_WITHIN_MS = 1_500
/** How long a program whose compactor was killed goes on. */
const SURVIVE_MS = 400
/** Mints and wallets whose answers are compared. */
const COMPARED = 4

export async function runCrashRounds(options: CrashOptions): Promise<CrashReport> {
  const { rounds, seed, folder, tell } = options
  const report = newReport(rounds)
  const memory = new LongMemory()
  let before: Crashed | null = null
  for (let number = 0; number < rounds; number++) {
    const random = new Random(seed, number)
    const plan = planRound(random, number)
    const round = { number, plan, random, witness: new Witness(), report }
    const startedMs = performance.now()
    before = await crash(round, folder, before)
    memory.take(round.witness)
    tell(lineOf(round, performance.now() - startedMs))
  }
  await checkAtEnd(memory, folder, report, before)
  return report
}

function newReport(rounds: number): CrashReport {
  const counts = { trades: 0, migrations: 0, answersCompared: 0, compactorsKilled: 0, orphans: 0 }
  return { rounds, ...counts, snapshots: 0, chunks: 0, lost: 0, faults: [] }
}

function lineOf({ number, plan, report, witness }: Round, durationMs: number): string {
  const seconds = (durationMs / 1000).toFixed(1)
  return (
    `round ${number} (${plan.name}, compactor: ${plan.compactor}): saw ${witness.tradeCount} ` +
    `trades; lost so far ${report.lost} of ${report.trades}, ${report.faults.length} faults; ${seconds} s`
  )
}

/** Starts the program, looks for what was seen before, loads it, and kills it. */
async function crash(round: Round, folder: string, before: Crashed | null): Promise<Crashed> {
  const { plan, random, witness } = round
  const settings = { ...plan.settings, DATA_DIR: folder }
  if (plan.killsStartAfterMs !== null) await killStart(settings, plan.killsStartAfterMs)
  const program = await startProgram(settings)
  if (before !== null) await checkAfter(program, before)
  const clients = await Clients.open(program.url, random, witness)
  const lines = await linesOf(round, program)
  const feeding = { isOver: lines === null }
  const fed = lines === null ? Promise.resolve() : feed(program, lines, clients, feeding)
  await until('a trade that a client saw', async () => (witness.tradeCount > 0 ? true : null))
  await until('the history', async () =>
    (await figuresOf(program.url)).swaps >= plan.swapsBefore ? true : null,
  )
  await pause(plan.loadMs)
  let quiet: Quiet | null = null
  if (plan.isQuiet && lines !== null) {
    feeding.isOver = true
    await fed
    quiet = await quietAnswers(program, lines)
  }
  await kill(round, program)
  feeding.isOver = true
  await Promise.all([fed, clients.over()])
  return { round, quiet }
}

/** A recovery that is itself killed must leave the folder as good as it was. */
async function killStart(settings: Settings, afterMs: number): Promise<void> {
  const start = launch({ ...settings, PORT: '0', FEED: 'none' })
  await pause(afterMs)
  await start.end('SIGKILL')
}

async function linesOf({ plan, number, random }: Round, program: Program) {
  if (!plan.feedsLines) return null
  const isAlone = plan.settings.FEED === 'stdin'
  const { newest_slot } = await figuresOf(program.url)
  const name = `R${number}x${random.below(1e6)}`
  return new EventLines(name, random, isAlone ? newest_slot + 1 : null)
}

async function feed(
  { child }: Program,
  lines: EventLines,
  clients: Clients,
  feeding: { isOver: boolean },
): Promise<void> {
  clients.follow(lines.mints)
  child.stdin?.write(lines.opening())
  while (!feeding.isOver) {
    child.stdin?.write(lines.more(LINES_AT_ONCE))
    await pause(FEED_EVERY_MS)
  }
}

async function quietAnswers({ url }: Program, lines: EventLines): Promise<Quiet> {
  const nowSeconds = Math.floor(Date.now() / 1000)
  await until('every line is folded', async () =>
    (await figuresOf(url)).feed_events_total === lines.count ? true : null,
  )
  const asked = { mints: lines.mints.slice(0, COMPARED), wallets: lines.wallets.slice(0, COMPARED) }
  return { asked, nowSeconds, answers: await sevenAnswers(url, asked, nowSeconds) }
}

async function kill({ plan, report, random }: Round, program: Program): Promise<void> {
  const { pid } = program.child
  if (plan.compactor === 'finish') {
    await program.seen(/"msg":"snapshot made and verified"/)
    report.snapshots += 1
  } else if (plan.compactor !== 'leave' && pid !== undefined) {
    const compactor = await nextCompactor(pid, COMPACTOR_WITHIN_MS)
    if (compactor !== null) {
      await pause(random.below(120))
      if (plan.compactor === 'orphan') report.orphans += 1
      else {
        killProcess(compactor)
        report.compactorsKilled += 1
      }
      if (plan.compactor === 'survive') await survive(program, report)
    }
  }
  await program.end('SIGKILL')
}

async function survive({ url }: Program, report: CrashReport): Promise<void> {
  await pause(SURVIVE_MS)
  const { httpStatus, reason } = await figuresOf(url)
  if (httpStatus !== 200) report.faults.push(`not ready after its compactor was killed: ${reason}`)
}

/** Looks in a program that was started anew for all that the clients before saw. */
async function checkAfter(program: Program, { round, quiet }: Crashed): Promise<void> {
  const { witness, report, number } = round
  const fault = (text: string) => report.faults.push(`round ${number}: ${text}`)
  const now = await positionOf(program)
  const { seq, epoch } = witness.position
  const wasCut = program.lines.some((line) => line.includes('the tail was cut off'))
  if (epoch !== '' && now.epoch !== epoch)
    fault(`the epoch was ${epoch} and is ${now.epoch}${wasCut ? ' (a tail was cut)' : ''}`)
  if (now.epoch === epoch && now.seq < seq) fault(`seq went back from ${seq} to ${now.seq}`)
  if (quiet !== null) {
    const answers = await sevenAnswers(program.url, quiet.asked, quiet.nowSeconds)
    for (const difference of differences(quiet.answers, answers)) fault(difference)
    report.answersCompared += answers.size
  }
  // New trades come before these: pages move them back, never out of what is read.
  const missing = await findAgain(program.url, witness.trades, witness.migrations)
  report.trades += witness.tradeCount
  report.migrations += witness.migrations.size
  report.lost += missing.lost.length
  note(missing, fault)
}

async function positionOf({ url }: Program): Promise<Position> {
  const { position } = await get(
    `${url}/api/v2/search/tokens/Stranger1111111111111111111111111111111pump/market-data`,
  )
  if (position === null) throw new Error('the answer has no stream position')
  return position
}

function note(missing: Missing, fault: (text: string) => void): void {
  if (missing.lost.length > 0) fault(`${missing.lost.length} trades lost: ${missing.lost[0]}`)
  if (missing.changed.length > 0)
    fault(`${missing.changed.length} trades changed: ${missing.changed[0]}`)
  for (const mint of missing.migrations) fault(`the migration of ${mint} is not there`)
}

/** At the end everything that was ever seen must still be there. */
async function checkAtEnd(
  memory: LongMemory,
  folder: string,
  report: CrashReport,
  before: Crashed | null,
): Promise<void> {
  const settings = { FEED: 'none', CLOCK: 'event', DATA_DIR: folder, RATE_LIMIT: 'off' }
  const program = await startProgram(settings)
  if (before !== null) await checkAfter(program, before)
  const { trades, migrations } = memory
  const missing = await findAgain(program.url, trades, migrations, digestOf)
  // These are the trades of all rounds: what was lost before is among them.
  report.lost = Math.max(report.lost, missing.lost.length)
  note(missing, (text) => report.faults.push(`at the end: ${text}`))
  await program.end('SIGTERM')
  report.chunks = listDataFiles(new NodeDisk(), folder).chunks.length
}
