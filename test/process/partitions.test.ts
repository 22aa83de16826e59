import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { jetstreamManager, type StreamInfo } from '@nats-io/jetstream'
import { afterAll, beforeAll, expect, test } from 'vitest'
import { Cluster } from '../cluster/cluster.ts'
import { Chronicle } from '../cluster-crash/chronicle.ts'
import { ClientReader } from '../cluster-crash/client-reader.ts'
import { Follower } from '../cluster-crash/follower.ts'
import { natsServer } from '../nats/nats-binary.ts'
import { hasNamespaces, Network } from '../nats/network.ts'
import { removedFolder } from '../removed-folder.ts'
import { until } from './program.ts'
import type { ServerProcess } from './server-process.ts'
import { becomes, isReady, readinessOf, STREAM, storedIn, TOKEN } from './stream-programs.ts'

const canCut = natsServer('cluster') !== null && hasNamespaces()
/** Trades that have to come while something is cut off. */
const TRADES = 100
/** Of the end of a log, in an error. */
const LOG_CHARACTERS = 4_000

let folder = ''
let network: Network
let cluster: Cluster
let chronicle: Chronicle
let clients: readonly (Follower | ClientReader)[] = []

beforeAll(async () => {
  if (!canCut) return
  folder = mkdtempSync(join(tmpdir(), 'mintfeed-'))
  network = new Network()
  cluster = await Cluster.start({
    ...{ folder, sync: 'default', hostOf: (name) => network.host(name) },
    sequencerSettings: { SIM_RATE: '200', SIM_TOKENS: '50', CLOCK: 'event', ADMIN_TOKEN: TOKEN },
    replicaSettings: { RATE_LIMIT: 'off', REPLICA_LAG_MAX: '3s' },
  })
  chronicle = new Chronicle([])
  clients = [
    ...cluster.urls.map((_, place) => new Follower(cluster.urls, place, chronicle)),
    new ClientReader(cluster.urls, chronicle),
  ]
  await tradesGoOn()
})

afterAll(async () => {
  await Promise.all(clients.map((client) => client.end()))
  await cluster?.stop()
  await network?.close()
  if (folder !== '') await removedFolder(folder)
})

test.skipIf(!canCut)('clients lose and repeat nothing when the leader is cut off', async () => {
  const { name } = await cluster.nats.leader(STREAM)
  network.cut(name)
  await tradesGoOn()
  network.join(name)
  await copiesAreCurrent()
  expect(chronicle.faults).toEqual([])
})

test.skipIf(!canCut)(
  'a sequencer that is cut off from everything is followed by the other one, and stands by when it is back',
  async () => {
    const writer = await writerNow()
    network.cut(writer.name)
    const next = await writerNow(cluster.sequencers.filter((one) => one !== writer))
    // Clients that lag still get trades of the one that is cut off. Had the other one written nothing, it would go on.
    await streamGoesOn()
    await tradesGoOn()
    network.join(writer.name)
    await becomes(writer.url, 503, /stands by|another sequencer|Another sequencer/).catch(withLogs)
    await tradesGoOn()
    expect(await writerNow()).toBe(next)
    expect(chronicle.faults).toEqual([])
  },
)

test.skipIf(!canCut)('a replica whose server is cut off reads from another one', async () => {
  const [url = ''] = cluster.urls
  const name = await serverOf(url)
  network.cut(name)
  await tradesGoOn()
  await until('it has moved', async () => ((await serverOf(url)) === name ? null : true))
  await isReady(url)
  network.join(name)
  await copiesAreCurrent()
  expect(chronicle.faults).toEqual([])
})

test.skipIf(!canCut)(
  'a replica whose server is cut off from the other servers alone reads from another one',
  async () => {
    const [url = ''] = cluster.urls
    const name = await serverOf(url)
    const others = cluster.nats.servers.map((server) => server.name).filter((one) => one !== name)
    network.cutFrom(name, others)
    await tradesGoOn()
    await until('it has moved', async () => ((await serverOf(url)) === name ? null : true))
    await isReady(url)
    network.joinWith(name, others)
    await copiesAreCurrent()
    expect(chronicle.faults).toEqual([])
  },
)

test.skipIf(!canCut)('every trade is in the stream once, and every client has it', async () => {
  await Promise.all(cluster.sequencers.map((sequencer) => sequencer.stop()))
  const stored = await storedIn(cluster.nats)
  await until('every client has all', async () =>
    clients.every(({ lastTrade }) => lastTrade === stored.swaps.length) ? true : null,
  )
  expect(new Set(stored.signatures).size).toBe(stored.swaps.length)
  expect(stored.epochs.size).toBe(1)
  expect(chronicle.faults).toEqual([])
})

/** Resolves when every client has trades that came after this moment. */
async function tradesGoOn(): Promise<void> {
  const seen = Math.max(...clients.map(({ lastTrade }) => lastTrade))
  await until('every client gets trades again', async () =>
    clients.every(({ lastTrade }) => lastTrade > seen + TRADES) ? true : null,
  )
}

async function writerNow(among = cluster.sequencers): Promise<ServerProcess> {
  return until('a sequencer writes', async () => {
    for (const sequencer of among) {
      const found = await readinessOf(sequencer.url).catch(() => null)
      if (found?.figures.get('sequencer_writes') === 1) return sequencer
    }
    return null
  })
}

/** Name of the server that a replica talks to. */
async function serverOf(url: string): Promise<string> {
  const { figures } = await readinessOf(url)
  const place = cluster.nats.urls.indexOf(`nats://${String(figures.get('server'))}`)
  return cluster.nats.servers[place]?.name ?? ''
}

/** Of both sequencers: which of them wrote when is in no other place. */
function withLogs(error: unknown): never {
  const logs = cluster.sequencers.map(({ name, log }) => `${name}: ${log.slice(-LOG_CHARACTERS)}`)
  throw new Error([String(error), ...logs].join('\n'))
}

/** Resolves when every server has the whole stream and knows it. */
async function copiesAreCurrent(): Promise<void> {
  await until('every copy is current', async () => {
    const { cluster: state } = (await streamNow()) ?? {}
    return state?.replicas?.every(({ current }) => current) ? true : null
  })
}

/** Resolves when the stream has a message more than now. */
async function streamGoesOn(): Promise<void> {
  let before: number | null = null
  await until('a message is written', async () => {
    const last = (await streamNow())?.state.last_seq ?? null
    if (last === null) return null
    before ??= last
    return last > before ? true : null
  })
}

/** The stream as its leader knows it; null: no answer. */
async function streamNow(): Promise<StreamInfo | null> {
  const connection = await cluster.nats.connect()
  try {
    return await (await jetstreamManager(connection)).streams.info(STREAM)
  } catch {
    return null
  } finally {
    await connection.close()
  }
}
