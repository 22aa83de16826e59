/** Real nats-servers with JetStream on free ports of loopback, which tests kill, pause and start again. */
import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type JetStreamManager, jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { freePort } from '../process/free-port.ts'
import { ServerProcess } from '../process/server-process.ts'
import { natsServer, syncsAlways } from './nats-binary.ts'
import { type Host, LOOPBACK } from './network.ts'

export interface NatsOptions {
  /** Three are a cluster. */
  readonly servers: 1 | 3
  /** `always`: an ack comes once the message is on the disk, where the server's version can do that. */
  readonly sync: 'default' | 'always'
  /** For stores, configurations and logs: a scratch folder, or one that is kept for the next start. */
  readonly folder: string
  readonly auth?: { readonly user: string; readonly password: string }
  /** The binary; by default what `natsServer` finds. */
  readonly path?: string
  /** Where each runs; by default on loopback. */
  readonly hostOf?: (name: string) => Host
}

const CALL_WITHIN_MS = 2_000
const RECONNECT_EVERY_MS = 50
const SCRATCH_STREAM = 'takes_writes'
/** A cluster that starts well takes writes after one or two. */
const WELL_MS = 15_000
/** Three that connect to one another at once may each close the other's connection as a second one, and stay apart. */
const MAX_STARTS = 3

export class NatsServers {
  readonly servers: readonly ServerProcess[]
  /** One for each server, user and password in them. */
  readonly urls: readonly string[]
  /** `address:port` of each. */
  readonly #places: readonly string[]
  readonly #auth: NatsOptions['auth']

  constructor(
    servers: readonly ServerProcess[],
    places: readonly string[],
    auth: NatsOptions['auth'],
  ) {
    this.servers = servers
    this.#places = places
    this.#auth = auth
    const user = auth && `${encodeURIComponent(auth.user)}:${encodeURIComponent(auth.password)}@`
    this.urls = places.map((place) => `nats://${user ?? ''}${place}`)
  }

  /** A connection to some of the servers, that outlives the death of any; who made it closes it. */
  connect(servers: readonly ServerProcess[] = this.servers): Promise<NatsConnection> {
    const places = this.#places.filter((_, place) => servers.includes(this.servers[place]))
    return connect({
      servers: places,
      ignoreClusterUpdates: true,
      ...(this.#auth && { user: this.#auth.user, pass: this.#auth.password }),
      maxReconnectAttempts: -1,
      reconnectTimeWait: RECONNECT_EVERY_MS,
      timeout: CALL_WITHIN_MS,
    })
  }

  /** The server that leads a stream now. */
  async leader(stream: string): Promise<ServerProcess> {
    let [leader] = this.servers
    await this.#untilAsked('tells no leader', async (manager) => {
      const { cluster } = await manager.streams.info(stream)
      const name = cluster?.leader ?? leader.name
      const found = this.servers.find((server) => server.name === name && server.isRunning)
      leader = found ?? leader
      return found !== undefined
    })
    return leader
  }

  /** Resolves when a stream with a copy on each server can be made, which is later than the servers say it. */
  async takeWrites(withinMs = WELL_MS): Promise<void> {
    const config = { name: SCRATCH_STREAM, subjects: [SCRATCH_STREAM] }
    const ask = async (manager: JetStreamManager) => {
      await manager.streams.add({ ...config, num_replicas: this.servers.length })
      return manager.streams.delete(SCRATCH_STREAM)
    }
    await this.#untilAsked('takes no writes', ask, withinMs)
  }

  async start(): Promise<void> {
    for (const server of this.servers) server.launch()
    for (const server of this.servers) await server.isReady()
    await this.takeWrites()
  }

  async killAll(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.kill()))
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }

  async #untilAsked(
    lack: string,
    ask: (manager: JetStreamManager) => Promise<boolean>,
    withinMs?: number,
  ): Promise<void> {
    const asked = async () => {
      const connection = await this.connect()
      try {
        return await ask(await jetstreamManager(connection, { timeout: CALL_WITHIN_MS }))
      } finally {
        await connection.close()
      }
    }
    await this.servers[0].eventually(lack, asked, withinMs)
  }
}

/** Starts servers and waits until JetStream takes writes, for three of them until it takes three copies. */
export async function startNats(options: NatsOptions): Promise<NatsServers> {
  const { hostOf = () => LOOPBACK } = options
  const path = options.path ?? natsServer(options.servers === 3 ? 'cluster' : 'any')
  if (path === null) throw new Error('there is no nats-server to start')
  const places = await Promise.all(
    Array.from({ length: options.servers }, async (_, place) => ({
      name: `nats-${place + 1}`,
      port: await freePort(),
      monitorPort: await freePort(),
      routePort: await freePort(),
      host: hostOf(`nats-${place + 1}`),
    })),
  )
  const routes = places.map(({ routePort, host }) => `"nats://${host.address}:${routePort}"`)
  const servers = places.map((place) => {
    const folder = join(options.folder, place.name)
    mkdirSync(folder, { recursive: true })
    const conf = join(folder, 'conf')
    writeFileSync(conf, configuration(options, path, folder, place, routes), { mode: 0o600 })
    const readyUrl = `http://${place.host.address}:${place.monitorPort}/healthz`
    const [command = path, ...args] = [...place.host.runs, path, '-c', conf]
    return new ServerProcess({
      name: place.name,
      path: command,
      args,
      env: {},
      folder,
      readyUrl,
    })
  })
  const urls = places.map(({ port, host }) => `${host.address}:${port}`)
  const nats = new NatsServers(servers, urls, options.auth)
  for (let attempt = 1; ; attempt++) {
    try {
      await nats.start()
      return nats
    } catch (error) {
      await nats.killAll()
      if (attempt === MAX_STARTS) throw error
    }
  }
}

interface Place {
  readonly name: string
  readonly port: number
  readonly monitorPort: number
  readonly routePort: number
  readonly host: Host
}

function configuration(
  { auth, sync }: NatsOptions,
  path: string,
  folder: string,
  { name, port, monitorPort, routePort, host: { address } }: Place,
  routes: readonly string[],
): string {
  const sync_interval = sync === 'always' && syncsAlways(path) ? 'sync_interval: always' : ''
  const text = JSON.stringify
  const lines = [
    `server_name: ${name}`,
    `listen: "${address}:${port}"`,
    `http: "${address}:${monitorPort}"`,
    `jetstream { store_dir: ${text(folder)}\n ${sync_interval} }`,
  ]
  if (auth !== undefined)
    lines.push(`authorization { user: ${text(auth.user)}, password: ${text(auth.password)} }`)
  if (routes.length > 1)
    lines.push(
      `cluster { name: mintfeed, listen: "${address}:${routePort}", routes: [${routes.join(', ')}] }`,
    )
  return `${lines.join('\n')}\n`
}

/** Starts a server of a cluster again: after a kill one may stay out of its groups until it is started once more. */
export async function restartInCluster(server: ServerProcess): Promise<void> {
  server.launch()
  await server.isReady(WELL_MS).catch(async () => {
    await server.kill()
    await server.restart()
  })
}
