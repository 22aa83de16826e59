/**
 * How long a death lasts for readers (`ROUNDS=5 node bench/deaths.ts`): a cluster of three synced nats-servers, two
 * sequencers and three replicas on loopback, and the typed client, which follows all trades of a simulated market. Prints the
 * longest pause between two trades after `kill -9` of the replica it reads, of the sequencer that writes, and of the
 * server that leads the stream, beside the longest pause of the same market without one.
 */
import { performance } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Mintfeed } from '../client/src/mintfeed.ts'
import { Cluster } from '../test/cluster/cluster.ts'
import { restartInCluster } from '../test/nats/nats-servers.ts'
import type { ServerProcess } from '../test/process/server-process.ts'
import { median } from './medians.ts'
import { scratchFolder } from './scratch-folder.ts'

const ROUNDS = Number(process.env.ROUNDS || 5)
const STREAM = 'mintfeed'
const WATCHED_MS = 12_000
/** What was killed runs again for so long before the next death. */
const SETTLES_MS = 6_000

const scratch = scratchFolder()
const cluster = await Cluster.start({
  folder: scratch.path,
  sync: 'always',
  sequencerSettings: { FEED: 'sim', SIM_RATE: '300' },
})
const client = new Mintfeed(cluster.urls)
let lastMs = performance.now()
let longestMs = 0
const following = follow()

async function follow(): Promise<void> {
  for await (const update of client.live.allTrades({ snapshot: false })) {
    if (update.kind !== 'event') continue
    const nowMs = performance.now()
    longestMs = Math.max(longestMs, nowMs - lastMs)
    lastMs = nowMs
  }
}

/** The longest pause from a death on. */
async function pauseAfter(death: () => Promise<void>): Promise<number> {
  await sleep(SETTLES_MS)
  longestMs = 0
  await death()
  await sleep(WATCHED_MS)
  return Math.max(longestMs, performance.now() - lastMs)
}

/** The one whose log said last that it writes. */
function writer(): ServerProcess {
  const began = ({ log }: ServerProcess) => {
    const lines = log.split('\n').filter((line) => line.includes('this sequencer writes'))
    return /"time":"([^"]+)"/.exec(lines.at(-1) ?? '')?.[1] ?? ''
  }
  const [first, second] = cluster.sequencers
  if (first === undefined || second === undefined) throw new Error('no sequencers')
  return began(first) > began(second) ? first : second
}

const deaths: Readonly<Record<string, () => Promise<ServerProcess | null>>> = {
  nothing: async () => null,
  'the replica that is read': async () => {
    const place = cluster.urls.indexOf(client.replica)
    const replica = cluster.replicas[place]
    await replica?.kill()
    return replica ?? null
  },
  'the sequencer that writes': async () => {
    const sequencer = writer()
    await sequencer.kill()
    return sequencer
  },
  "the stream's leader": async () => {
    const leader = await cluster.nats.leader(STREAM)
    await leader.kill()
    return leader
  },
}

for (const [name, death] of Object.entries(deaths)) {
  const pausesMs: number[] = []
  for (let round = 0; round < ROUNDS; round++) {
    let killed: ServerProcess | null = null
    pausesMs.push(
      await pauseAfter(async () => {
        killed = await death()
      }),
    )
    if (killed !== null) await again(killed)
  }
  const all = pausesMs.map((ms) => Math.round(ms)).join(', ')
  process.stdout.write(`${name}: longest pause ${Math.round(median(pausesMs))} ms (${all})\n`)
}

async function again(server: ServerProcess): Promise<void> {
  if (cluster.nats.servers.includes(server)) await restartInCluster(server)
  else {
    server.launch()
    await server.isReady()
  }
}

client.close()
await following
await cluster.stop()
scratch.remove()
