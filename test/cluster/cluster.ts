/** Three nats-servers, two sequencers and three replicas on this machine, each in a process of its own. */
import { join } from 'node:path'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { programPath } from '../../bin/program-path.js'
import { type NatsOptions, type NatsServers, startNats } from '../nats/nats-servers.ts'
import { type Host, LOOPBACK } from '../nats/network.ts'
import { freePort } from '../process/free-port.ts'
import type { Settings } from '../process/program.ts'
import { ServerProcess } from '../process/server-process.ts'

const SEQUENCERS = 2
const REPLICAS = 3
const NATS_SERVERS = 3

export interface ClusterOptions {
  /** Everything is kept here; with the same folder the market goes on. */
  readonly folder: string
  readonly sync: NatsOptions['sync']
  /** The first replica's port; the others have the next ones. Without it all have free ones. */
  readonly firstPort?: number
  readonly sequencerSettings?: Settings
  readonly replicaSettings?: Settings
  /** Where nats-servers and sequencers run; by default on loopback, as replicas do. */
  readonly hostOf?: (name: string) => Host
}

export class Cluster {
  readonly nats: NatsServers
  readonly sequencers: readonly ServerProcess[]
  readonly replicas: readonly ServerProcess[]
  /** Of the replicas, in their order. */
  readonly urls: readonly string[]
  readonly #folder: string
  readonly #replicaSettings: Settings

  private constructor(
    nats: NatsServers,
    sequencers: readonly ServerProcess[],
    replicas: readonly Member[],
    folder: string,
    replicaSettings: Settings,
  ) {
    this.nats = nats
    this.sequencers = sequencers
    this.replicas = replicas.map(({ process }) => process)
    this.urls = replicas.map(({ url }) => url)
    this.#folder = folder
    this.#replicaSettings = replicaSettings
  }

  get members(): readonly ServerProcess[] {
    return [...this.nats.servers, ...this.sequencers, ...this.replicas]
  }

  /** Starts them all; resolves when every replica is ready. */
  static async start(options: ClusterOptions): Promise<Cluster> {
    const { folder, sync, firstPort, sequencerSettings = {}, replicaSettings = {} } = options
    const { hostOf = () => LOOPBACK } = options
    const nats = await startNats({ servers: NATS_SERVERS, sync, folder, hostOf })
    const common = { NATS_URL: nats.urls.join(','), LOG_FORMAT: 'json' }
    const sequencers = await Promise.all(
      Array.from({ length: SEQUENCERS }, (_, place) =>
        sequencer(`sequencer-${place + 1}`, folder, hostOf, {
          ...common,
          NATS_REPLICAS: String(NATS_SERVERS),
          ...sequencerSettings,
        }),
      ),
    )
    const ofReplicas = { ...common, ...replicaSettings }
    const replicas: Member[] = []
    for (let place = 0; place < REPLICAS; place++) {
      const port = firstPort === undefined ? await freePort() : firstPort + place
      replicas.push(replica(`replica-${place + 1}`, folder, port, ofReplicas))
    }
    const cluster = new Cluster(nats, sequencers, replicas, folder, ofReplicas)
    try {
      for (const process of cluster.#services) process.launch()
      for (const process of cluster.#services) await process.isReady()
    } catch (error) {
      await cluster.stop()
      throw error
    }
    return cluster
  }

  /** A replica that has nothing yet, and takes all from the stream; resolves when it is ready. */
  async newReplica(name: string): Promise<Member> {
    const member = replica(name, this.#folder, await freePort(), this.#replicaSettings)
    await member.process.restart()
    return member
  }

  /** Services first: they have no servers to look for then. */
  async stop(): Promise<void> {
    await Promise.all(this.#services.map((process) => process.stop()))
    await this.nats.stopAll()
  }

  get #services(): readonly ServerProcess[] {
    return [...this.sequencers, ...this.replicas]
  }
}

export interface Member {
  readonly process: ServerProcess
  readonly url: string
}

/** It has no port for clients: what it is, its admin surface tells. */
async function sequencer(
  name: string,
  folder: string,
  hostOf: (name: string) => Host,
  settings: Settings,
): Promise<ServerProcess> {
  const port = await freePort()
  const host = hostOf(name)
  const { address } = host
  const own = {
    ADMIN_PORT: String(port),
    ADMIN_HOST: address,
    DATA_DIR: join(folder, name, 'data'),
  }
  const readyUrl = `http://${address}:${port}/readyz`
  return service(name, folder, ['sequence'], { ...own, ...settings }, readyUrl, host)
}

function replica(name: string, folder: string, port: number, settings: Settings): Member {
  const url = `http://127.0.0.1:${port}`
  const own = { FEED: 'nats', PORT: String(port), DATA_DIR: join(folder, name, 'data') }
  return {
    process: service(name, folder, [], { ...own, ...settings }, `${url}/readyz`),
    url,
  }
}

function service(
  name: string,
  folder: string,
  args: readonly string[],
  settings: Settings,
  readyUrl: string,
  /** Of one that may stand by. */
  host: Host | null = null,
): ServerProcess {
  const own = [process.execPath, ...NODE_FLAGS, programPath(), ...args]
  const [path = '', ...others] = [...(host?.runs ?? []), ...own]
  return new ServerProcess({
    name,
    path,
    args: others,
    env: { PATH: process.env.PATH ?? '', ...settings },
    folder: join(folder, name),
    readyUrl,
    standsBy: host !== null,
  })
}
