/**
 * Kills processes of a whole cluster at random while a market runs, and looks whether clients that go from one replica
 * to the next get every trade once and in order, whether all replicas answer the same, and whether all that clients saw
 * is in the stream.
 */
import { setTimeout as pause } from 'node:timers/promises'
import { Random } from '../../src/base/random.ts'
import { Cluster } from '../cluster/cluster.ts'
import { findAgain } from '../crash/find-again.ts'
import { allSwaps, get, type Position } from '../crash/http.ts'
import { differences } from '../crash/seven-answers.ts'
import { digestOf } from '../crash/witness.ts'
import { answersAbout } from '../process/every-answer.ts'
import { until } from '../process/program.ts'
import type { ServerProcess } from '../process/server-process.ts'
import { Chronicle } from './chronicle.ts'
import { ClientReader } from './client-reader.ts'
import { Follower } from './follower.ts'
import { type KillPlan, planKill } from './kill-plan.ts'

export interface ClusterCrashOptions {
  readonly rounds: number
  readonly seed: number
  /** How long a process is away at most, in ms. */
  readonly awayMsMax: number
  readonly folder: string
  readonly tell: (line: string) => void
}

export interface ClusterCrashReport {
  /** Processes that were killed or held, by the kind of what they are. */
  readonly killed: Record<string, number>
  /** How often a client went to another replica, by reason. */
  readonly moves: Record<string, number>
  frames: number
  /** By the typed client, over HTTP. */
  reads: number
  /** Trades that clients saw, each once, and that were looked for in what the stream gives a new replica. */
  trades: number
  answersCompared: number
  longestPauseMs: number
  /** What was not as it has to be, as sentences; empty when all is well. */
  readonly faults: string[]
}

/** Until the first kill of a round, in ms. */
const LOAD_MS_MAX = 1_500
/** A start is killed again this long after its launch. */
const START_MS_MAX = 1_500
/** In one round of so many all is quiet at the end, and all replicas have to answer the same. */
const QUIET_EVERY = 10
/** How long positions stay the same before a market counts as quiet. */
const STILL_MS = 1_000
/** Mints and wallets whose answers are compared. */
const COMPARED = 12
/** Differences between two replicas that are told. */
const SHOWN = 3
/** Nobody's: every answer of the API has the position. */
const STRANGER = 'Stranger1111111111111111111111111111111pump'

export async function runClusterCrashRounds(
  options: ClusterCrashOptions,
): Promise<ClusterCrashReport> {
  const { rounds, seed, awayMsMax, folder, tell } = options
  const report: ClusterCrashReport = {
    ...{
      killed: {},
      moves: {},
      frames: 0,
      reads: 0,
      trades: 0,
      answersCompared: 0,
      longestPauseMs: 0,
    },
    faults: [],
  }
  const cluster = await Cluster.start({
    folder,
    sync: 'always',
    // The sequencer's clock is everybody's: by that of events equal positions are equal answers, whenever one asks.
    sequencerSettings: { SIM_RATE: '200', SIM_TOKENS: '300', CLOCK: 'event' },
    replicaSettings: { RATE_LIMIT: 'off', SNAPSHOT_EVERY: '15s', TAPE_MEMORY: '1mb' },
  })
  const chronicle = new Chronicle(report.faults)
  const followers = cluster.urls.map((_, place) => new Follower(cluster.urls, place, chronicle))
  const reader = new ClientReader(cluster.urls, chronicle)
  const clients = [...followers, reader]
  try {
    await tradesGoOn(clients)
    for (let number = 0; number < rounds; number++) {
      const random = new Random(seed, number)
      const startedMs = performance.now()
      const plan = await planKill(random, cluster, awayMsMax)
      await killed(plan, random, report)
      const pauseMs = await tradesGoOn(clients)
      report.longestPauseMs = Math.max(report.longestPauseMs, Math.round(pauseMs))
      if (number % QUIET_EVERY === QUIET_EVERY - 1)
        await compareReplicas(cluster, chronicle, report)
      chronicle.condense()
      const seconds = ((performance.now() - startedMs) / 1_000).toFixed(1)
      tell(
        `round ${number} (${plan.name}, away ${plan.awayMs} ms): clients saw ${chronicle.trades} trades, ` +
          `${report.faults.length} faults; ${seconds} s`,
      )
    }
    await quiet(cluster)
    await compareReplicas(cluster, chronicle, report)
    await until('all clients have all trades', async () =>
      new Set(clients.map(({ lastTrade }) => lastTrade)).size === 1 ? true : null,
    )
    await Promise.all(clients.map((client) => client.end()))
    chronicle.condense()
    await lookInTheStream(cluster, chronicle, followers, report)
  } catch (error) {
    report.faults.push(error instanceof Error ? error.message : String(error))
  } finally {
    await Promise.all(clients.map((client) => client.end()))
    await cluster.stop()
  }
  for (const { moves } of clients)
    for (const [reason, count] of Object.entries(moves))
      report.moves[reason] = (report.moves[reason] ?? 0) + count
  report.frames = chronicle.frames
  report.reads = reader.reads
  report.trades = chronicle.trades
  return report
}

async function killed(
  { victims, how, awayMs }: KillPlan,
  random: Random,
  report: ClusterCrashReport,
): Promise<void> {
  await pause(random.below(LOAD_MS_MAX))
  for (const { name } of victims) {
    const kind = `${how === 'pause' ? 'held' : 'killed'} ${name.replace(/-\d+$/, '')}`
    report.killed[kind] = (report.killed[kind] ?? 0) + 1
  }
  const each = (work: (victim: ServerProcess) => unknown) => Promise.all(victims.map(work))
  if (how === 'pause') await each((victim) => victim.pause())
  else await each((victim) => victim.kill())
  await pause(awayMs)
  if (how === 'pause') await each((victim) => victim.resume())
  else await each((victim) => victim.launch())
  if (how === 'twice') {
    await pause(random.below(START_MS_MAX))
    await each((victim) => victim.kill())
    await each((victim) => victim.launch())
  }
  await each((victim) => readyAtLast(victim, report))
}

/** A nats-server may stay out of its groups until it is started once more; nothing may be lost meanwhile. */
async function readyAtLast(victim: ServerProcess, report: ClusterCrashReport): Promise<void> {
  try {
    await victim.isReady()
  } catch (error) {
    if (!victim.name.startsWith('nats')) throw error
    report.killed['nats that did not get well'] =
      (report.killed['nats that did not get well'] ?? 0) + 1
    await victim.kill()
    await victim.restart()
  }
}

/** Resolves when every client has trades that came after this moment; how long that took. */
async function tradesGoOn(clients: readonly { readonly lastTrade: number }[]): Promise<number> {
  const startedMs = performance.now()
  const seen = Math.max(...clients.map(({ lastTrade }) => lastTrade))
  await until('every client gets trades again', async () =>
    clients.every(({ lastTrade }) => lastTrade > seen) ? true : null,
  )
  return performance.now() - startedMs
}

/** Ends the sequencers; resolves when every replica has all that they had published. */
async function quiet(cluster: Cluster): Promise<void> {
  await Promise.all(cluster.sequencers.map((sequencer) => sequencer.stop()))
  let before = ''
  let sinceMs = performance.now()
  await until('all replicas are at one position', async () => {
    const positions = await Promise.all(cluster.urls.map(positionOf))
    const text = JSON.stringify(positions)
    if (text !== before) sinceMs = performance.now()
    before = text
    const isOne = new Set(positions.map((position) => JSON.stringify(position))).size === 1
    return isOne && performance.now() - sinceMs > STILL_MS ? true : null
  })
}

async function compareReplicas(
  cluster: Cluster,
  chronicle: Chronicle,
  report: ClusterCrashReport,
): Promise<void> {
  await quiet(cluster)
  const mints = new Set([...chronicle.memory.trades.keys()].slice(-COMPARED))
  const wallets = new Set([...chronicle.wallets].slice(-COMPARED))
  chronicle.wallets.clear()
  const subjects = { mints, wallets, newestSeconds: Math.floor(Date.now() / 1_000) }
  const [first, ...others] = cluster.urls
  const answers = await answersAbout(first, subjects)
  for (const url of others) {
    const found = await answersAbout(url, subjects)
    report.answersCompared += found.size
    for (const difference of differences(answers, found).slice(0, SHOWN))
      report.faults.push(`replicas differ at one position: ${difference}`)
  }
  await Promise.all(cluster.sequencers.map((sequencer) => sequencer.restart()))
}

/** All that clients saw has to be what a replica makes of the stream that has nothing else. */
async function lookInTheStream(
  cluster: Cluster,
  chronicle: Chronicle,
  followers: readonly Follower[],
  report: ClusterCrashReport,
): Promise<void> {
  await quiet(cluster)
  const { process, url } = await cluster.newReplica('new-replica')
  const head = JSON.stringify(await positionOf(cluster.urls[0]))
  await until('the new replica has the whole stream', async () =>
    JSON.stringify(await positionOf(url)) === head ? true : null,
  )
  const { trades, migrations } = chronicle.memory
  const missing = await findAgain(url, trades, migrations, digestOf)
  for (const text of missing.lost) report.faults.push(`a trade is not in the stream: ${text}`)
  for (const text of missing.changed)
    report.faults.push(`a trade is another in the stream: ${text}`)
  for (const mint of missing.migrations)
    report.faults.push(`the migration of ${mint} is not in the stream`)
  for (const follower of followers)
    for (const mint of follower.mints) {
      const { total } = await allSwaps(url, mint)
      if (total !== follower.lastOf(mint))
        report.faults.push(`of ${total} trades of ${mint} a client saw ${follower.lastOf(mint)}`)
    }
  await process.stop()
}

async function positionOf(url: string): Promise<Position | null> {
  const { position } = await get(`${url}/api/v2/search/tokens/${STRANGER}/market-data`)
  return position
}
