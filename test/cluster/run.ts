/** `make cluster`: a whole cluster on this machine until Ctrl-C; what dies is told and started again. */
import { mkdirSync, rmSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { get } from '../crash/http.ts'
import { natsServer } from '../nats/nats-binary.ts'
import type { ServerProcess } from '../process/server-process.ts'
import { Cluster } from './cluster.ts'
import { clusterFolder, readPids, writePids } from './pids.ts'

const RESTART_AFTER_MS = 1_000
const POSITIONS_EVERY_MS = 5_000
const FIRST_PORT = 8080
/** What the API is asked about: every answer of it has the position. */
const NOBODY = 'Stranger1111111111111111111111111111111pump'

const folder = clusterFolder()
const firstPort = Number(process.env.PORT || FIRST_PORT)
const { SIM_RATE = '50', SIM_TOKENS = '2000' } = process.env
const tell = (text: string) => process.stdout.write(`mintfeed: ${text}\n`)
const sentenceOf = (error: unknown) => (error instanceof Error ? error.message : String(error))

if (natsServer('cluster') === null)
  end('make cluster needs nats-server 2.10 or newer; docs/scale-out.md says where it is from.')
const other = readPids(folder)
if (other !== null) end(`A cluster runs in ${folder} already, as process ${other.cluster}.`)

const ending = new AbortController()
for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const)
  process.on(signal, () => (ending.signal.aborted ? process.exit(1) : ending.abort()))

mkdirSync(folder, { recursive: true })
tell(`starting three nats-servers, two sequencers and three replicas in ${folder}`)
const cluster = await Cluster.start({
  folder,
  sync: 'always',
  firstPort,
  sequencerSettings: { SIM_RATE, SIM_TOKENS },
}).catch((error: unknown) => end(sentenceOf(error)))
writePids(folder, cluster.members)
tell(`it runs; Ctrl-C ends it, and what is in ${folder} is there again at the next start
  pages and API   ${cluster.urls.join('  ')}
  nats-servers    ${cluster.nats.urls.join('  ')}
  logs            ${folder}/<name>/log
  kill one        make cluster-kill, or with a name: make cluster-kill NAME=sequencer-1
Below: the position of each replica, and what dies and comes back.`)
const work = [...cluster.members.map(keepRunning), tellPositions()]
await Promise.race([
  ...work,
  new Promise((resolve) => ending.signal.addEventListener('abort', resolve)),
])
tell('stopping: the services first, then the nats-servers')
await cluster.stop()
rmSync(`${folder}/pids.json`)
process.exit()

async function keepRunning(member: ServerProcess): Promise<void> {
  while (!ending.signal.aborted) {
    await member.exited
    if (ending.signal.aborted) return
    tell(`${member.name} died; it is started again in ${RESTART_AFTER_MS / 1_000} s`)
    writePids(folder, cluster.members)
    await pause(RESTART_AFTER_MS)
    if (ending.signal.aborted) return
    const startedMs = performance.now()
    member.launch()
    writePids(folder, cluster.members)
    await member.isReady().then(
      () =>
        tell(
          `${member.name} is ready after ${((performance.now() - startedMs) / 1_000).toFixed(1)} s`,
        ),
      (error: unknown) => tell(sentenceOf(error)),
    )
  }
}

async function tellPositions(): Promise<void> {
  while (!ending.signal.aborted) {
    const positions = cluster.urls.map(async (url) => {
      const answer = await get(`${url}/api/v2/search/tokens/${NOBODY}/market-data`).catch(
        () => null,
      )
      return answer?.position?.seq.toLocaleString('en') ?? 'away'
    })
    tell(`positions ${(await Promise.all(positions)).join('  ')}`)
    await pause(POSITIONS_EVERY_MS)
  }
}

function end(sentence: string): never {
  process.stderr.write(`mintfeed: ${sentence}\n`)
  process.exit(1)
}
