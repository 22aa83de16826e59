/** Real nats-servers with JetStream on free ports of loopback, which tests kill, stop for a while and start again. */
import { type ChildProcess, spawn } from 'node:child_process'
import { once } from 'node:events'
import { closeSync, mkdirSync, openSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { jetstreamManager } from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { freePort } from '../process/free-port.ts'
import { natsServer, syncsAlways } from './nats-binary.ts'

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
}

/** A start, or the election of a leader, on a busy machine. */
const WITHIN_MS = 60_000
const LOOK_EVERY_MS = 50
const CALL_WITHIN_MS = 2_000
/** How much of a log stands in an error. */
const LOG_LINES = 15
const SCRATCH_STREAM = 'takes_writes'

export class NatsServer {
  readonly name: string
  readonly port: number
  readonly #path: string
  readonly #folder: string
  readonly #healthUrl: string
  #child: ChildProcess | null = null

  constructor(path: string, folder: string, name: string, port: number, monitorPort: number) {
    this.name = name
    this.port = port
    this.#path = path
    this.#folder = folder
    this.#healthUrl = `http://127.0.0.1:${monitorPort}/healthz`
  }

  get isRunning(): boolean {
    return this.#child !== null
  }

  get log(): string {
    return readFileSync(join(this.#folder, 'log'), 'utf8')
  }

  /** Starts it and returns at once. */
  launch(): void {
    if (this.#child !== null) throw new Error(`${this.name} runs already`)
    const log = openSync(join(this.#folder, 'log'), 'a')
    const child = spawn(this.#path, ['-c', join(this.#folder, 'conf')], {
      stdio: ['ignore', log, log],
    })
    closeSync(log)
    this.#child = child
    // Ends it when this process is gone, however that ended: nothing of nats-server does.
    const guard = spawn('sh', ['-c', `read end; kill -9 ${child.pid}`], {
      stdio: ['pipe', 'ignore', 'ignore'],
      detached: true,
    })
    child.once('exit', () => {
      guard.kill('SIGKILL')
      if (this.#child === child) this.#child = null
    })
  }

  /** Starts it again on its port and its store; resolves when it says that it is well. */
  async restart(): Promise<void> {
    this.launch()
    await this.isWell()
  }

  async isWell(): Promise<void> {
    await within(`${this.name} is not well`, this, async () => {
      const signal = AbortSignal.timeout(CALL_WITHIN_MS)
      return (await fetch(this.#healthUrl, { signal })).ok
    })
  }

  /** SIGKILL; resolves when it is gone. */
  kill(): Promise<void> {
    return this.#end('SIGKILL')
  }

  /** SIGTERM; a server that was paused goes on first. */
  stop(): Promise<void> {
    this.resume()
    return this.#end('SIGTERM')
  }

  pause(): void {
    this.#child?.kill('SIGSTOP')
  }

  resume(): void {
    this.#child?.kill('SIGCONT')
  }

  async #end(signal: NodeJS.Signals): Promise<void> {
    const child = this.#child
    if (child === null) return
    const gone = once(child, 'exit')
    child.kill(signal)
    await gone
  }
}

export class NatsServers {
  readonly servers: readonly NatsServer[]
  /** One for each server, user and password in them. */
  readonly urls: readonly string[]
  readonly #auth: NatsOptions['auth']

  constructor(servers: readonly NatsServer[], auth: NatsOptions['auth']) {
    this.servers = servers
    this.#auth = auth
    const user = auth && `${encodeURIComponent(auth.user)}:${encodeURIComponent(auth.password)}@`
    this.urls = servers.map(({ port }) => `nats://${user ?? ''}127.0.0.1:${port}`)
  }

  /** A connection that outlives the death of any server; who made it closes it. */
  connect(): Promise<NatsConnection> {
    return connect({
      servers: this.servers.map(({ port }) => `127.0.0.1:${port}`),
      ...(this.#auth && { user: this.#auth.user, pass: this.#auth.password }),
      maxReconnectAttempts: -1,
      reconnectTimeWait: LOOK_EVERY_MS,
      timeout: CALL_WITHIN_MS,
    })
  }

  /** The server that leads a stream now. */
  async leader(stream: string): Promise<NatsServer> {
    let leader: NatsServer | undefined
    await this.#untilAsked(`${stream} has no leader`, async (manager) => {
      const { cluster } = await manager.streams.info(stream)
      const name = cluster?.leader ?? this.servers[0]?.name
      leader = this.servers.find((server) => server.name === name && server.isRunning)
      return leader !== undefined
    })
    if (leader === undefined) throw new Error(`${stream} has no leader`)
    return leader
  }

  /** Resolves when a stream with a copy on each server can be made, which is later than the servers say it. */
  async takeWrites(): Promise<void> {
    const config = { name: SCRATCH_STREAM, subjects: [SCRATCH_STREAM] }
    await this.#untilAsked('JetStream takes no writes', async (manager) => {
      await manager.streams.add({ ...config, num_replicas: this.servers.length })
      return manager.streams.delete(SCRATCH_STREAM)
    })
  }

  async stopAll(): Promise<void> {
    await Promise.all(this.servers.map((server) => server.stop()))
  }

  async #untilAsked(
    lack: string,
    ask: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<boolean>,
  ): Promise<void> {
    await within(lack, this.servers[0], async () => {
      const connection = await this.connect()
      try {
        return await ask(await jetstreamManager(connection, { timeout: CALL_WITHIN_MS }))
      } finally {
        await connection.close()
      }
    })
  }
}

/** Starts servers and waits until JetStream takes writes, for three of them until it takes three copies. */
export async function startNats(options: NatsOptions): Promise<NatsServers> {
  const { servers: count, folder, auth } = options
  const path = options.path ?? natsServer(count === 3 ? 'cluster' : 'any')
  if (path === null) throw new Error('there is no nats-server to start')
  const clusterPorts = await Promise.all(Array.from({ length: count }, freePort))
  const servers: NatsServer[] = []
  for (const [place, clusterPort] of clusterPorts.entries()) {
    const name = `nats-${place + 1}`
    const own = join(folder, name)
    const [port, monitorPort] = [await freePort(), await freePort()]
    mkdirSync(own, { recursive: true })
    const sync = options.sync === 'always' && syncsAlways(path) ? 'sync_interval: always' : ''
    const parts = [
      `server_name: ${name}\nlisten: "127.0.0.1:${port}"\nhttp: "127.0.0.1:${monitorPort}"`,
      `jetstream {\n  store_dir: ${JSON.stringify(own)}\n  ${sync}\n}`,
    ]
    if (auth !== undefined)
      parts.push(
        `authorization { user: ${JSON.stringify(auth.user)}, password: ${JSON.stringify(auth.password)} }`,
      )
    if (count > 1) {
      const routes = clusterPorts.map((other) => `"nats://127.0.0.1:${other}"`).join(', ')
      parts.push(
        `cluster {\n  name: mintfeed\n  listen: "127.0.0.1:${clusterPort}"\n  routes: [${routes}]\n}`,
      )
    }
    writeFileSync(join(own, 'conf'), `${parts.join('\n')}\n`, { mode: 0o600 })
    servers.push(new NatsServer(path, own, name, port, monitorPort))
  }
  const all = new NatsServers(servers, auth)
  try {
    for (const server of servers) server.launch()
    for (const server of servers) await server.isWell()
    await all.takeWrites()
  } catch (error) {
    await Promise.all(servers.map((server) => server.kill()))
    throw error
  }
  return all
}

/** Asks again until the answer is yes; its refusals and errors are those of a server that is not there yet. */
async function within(
  lack: string,
  server: NatsServer | undefined,
  ask: () => Promise<boolean>,
): Promise<void> {
  const endMs = Date.now() + WITHIN_MS
  for (;;) {
    const answer = await ask().catch((error: unknown) => String(error))
    if (answer === true) return
    if (Date.now() > endMs) {
      const log = server?.log.split('\n').slice(-LOG_LINES).join('\n')
      throw new Error(`${lack} (${answer}); its log ends with:\n${log}`)
    }
    await pause(LOOK_EVERY_MS)
  }
}
