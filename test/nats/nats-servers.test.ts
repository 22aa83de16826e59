import {
  JetStreamApiError,
  jetstream,
  jetstreamManager,
  StorageType,
  type StoredMsg,
} from '@nats-io/jetstream'
import { connect, type NatsConnection } from '@nats-io/transport-node'
import { afterEach, expect, test } from 'vitest'
import { byLength } from '../lengths.ts'
import { newFolder } from '../new-folder.ts'
import { until } from '../process/program.ts'
import { natsServer } from './nats-binary.ts'
import { type NatsOptions, type NatsServers, restartInCluster, startNats } from './nats-servers.ts'

const single = natsServer('any')
const cluster = natsServer('cluster')

const STREAM = 'facts'
const ACK_WITHIN_MS = 2_000
const WRONG_LAST_SEQUENCE = 10071
const FEW = 20

const started: NatsServers[] = []
const connections: NatsConnection[] = []
afterEach(async () => {
  for (const connection of connections.splice(0)) await connection.close()
  for (const nats of started.splice(0)) await nats.stopAll()
})

test.skipIf(single === null)('what one server acked is there after kill -9', async () => {
  const { nats, connection } = await startedNats({ servers: 1, sync: 'default' }, single)
  await publish(connection, 1, FEW)
  const [server] = nats.servers
  await server?.kill()
  expect(server?.isRunning).toBe(false)
  await server?.restart()
  await publish(connection, FEW + 1, 2 * FEW)
  expect(await stored(connection, 2 * FEW)).toEqual(numbers(1, 2 * FEW))
})

test.skipIf(single === null)('a server with a password refuses who does not know it', async () => {
  const auth = { user: 'mintfeed', password: 'a "good" one' }
  const { nats, connection } = await startedNats({ servers: 1, sync: 'always', auth }, single)
  await publish(connection, 1, FEW)
  const stranger = connect({ servers: nats.urls[0].replace(/.*@/, ''), reconnect: false })
  await expect(stranger).rejects.toThrow(/authorization/i)
})

test.skipIf(cluster === null)(
  'three servers go on when their leader is killed, and it catches up once it is back',
  async () => {
    const { nats, connection } = await startedNats({ servers: 3, sync: 'always' }, cluster)
    let last = FEW
    await publish(connection, 1, last)
    for (let round = 0; round < byLength(1, 3); round++) {
      const leader = await nats.leader(STREAM)
      await leader.kill()
      await publish(connection, last + 1, last + FEW)
      expect(await nats.leader(STREAM)).not.toBe(leader)
      await restartInCluster(leader)
      await allCopiesAreCurrent(connection)
      last += FEW
    }
    expect(await stored(connection, last)).toEqual(numbers(1, last))
  },
)

test.skipIf(cluster === null)(
  'a leader that stands still for a while loses its place and takes no more writes when it goes on',
  async () => {
    const { nats, connection } = await startedNats({ servers: 3, sync: 'always' }, cluster)
    await publish(connection, 1, FEW)
    const leader = await nats.leader(STREAM)
    const others = nats.servers.filter((server) => server !== leader)
    leader.pause()
    const elsewhere = await nats.connect(others)
    connections.push(elsewhere)
    await publish(elsewhere, FEW + 1, 2 * FEW)
    leader.resume()
    await allCopiesAreCurrent(elsewhere)
    await publish(elsewhere, 2 * FEW + 1, 3 * FEW)
    expect(await nats.leader(STREAM)).not.toBe(leader)
    expect(await stored(elsewhere, 3 * FEW)).toEqual(numbers(1, 3 * FEW))
  },
)

async function startedNats(options: Omit<NatsOptions, 'folder' | 'path'>, path: string | null) {
  const nats = await startNats({ ...options, folder: newFolder(), path: path ?? '' })
  started.push(nats)
  const connection = await nats.connect()
  connections.push(connection)
  const manager = await jetstreamManager(connection)
  await manager.streams.add({
    name: STREAM,
    subjects: [STREAM],
    storage: StorageType.File,
    num_replicas: options.servers,
  })
  return { nats, connection }
}

/** Publishes numbers, each at its own sequence, again and again until it is acked or found to be stored. */
async function publish(connection: NatsConnection, from: number, to: number): Promise<void> {
  const stream = jetstream(connection)
  for (const number of numbers(from, to))
    await until(`the ack of ${number}`, async () => {
      try {
        const options = { expect: { lastSequence: number - 1 }, timeout: ACK_WITHIN_MS }
        return (await stream.publish(STREAM, String(number), options)).seq
      } catch (error) {
        // A time-out never means that it was not stored: then its place is taken, by itself.
        const isThere = error instanceof JetStreamApiError && error.code === WRONG_LAST_SEQUENCE
        return isThere ? number : null
      }
    })
}

async function allCopiesAreCurrent(connection: NatsConnection): Promise<void> {
  await until('every copy is current', async () => {
    try {
      const manager = await jetstreamManager(connection)
      const { cluster: state } = await manager.streams.info(STREAM)
      return state?.leader && state.replicas?.every(({ current }) => current) ? true : null
    } catch {
      return null
    }
  })
}

async function stored(connection: NatsConnection, last: number): Promise<number[]> {
  const manager = await jetstreamManager(connection)
  const messages: (StoredMsg | null)[] = []
  for (const seq of numbers(1, last))
    messages.push(await manager.streams.getMessage(STREAM, { seq }))
  expect((await manager.streams.info(STREAM)).state.last_seq).toBe(last)
  return messages.map((message) => Number(message?.string()))
}

function numbers(from: number, to: number): number[] {
  return Array.from({ length: to - from + 1 }, (_, place) => from + place)
}
