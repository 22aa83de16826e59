import { setTimeout as pause } from 'node:timers/promises'
import { Mintfeed } from '../../client/src/mintfeed.ts'
import type { FeedEvent } from '../../src/events/event.ts'
import { Random } from '../oracle/random.ts'
import { EngineServer } from '../server/engine-server.ts'
import { waitUntil } from '../server/raw-http.ts'
import { CheckedReader } from './checked-reader.ts'
import { CuttingProxy } from './cutting-proxy.ts'
import { market, Witness } from './witness.ts'

const READERS = 8
/** Every fourth reader is slow, with a buffer that is often full. */
const SLOW_BUFFER = 20
/** The service is started anew behind so many disconnects. */
const CUTS_A_RESTART = 100
const EVENTS_A_CUT = 1
/** Slow readers need so long for the rest of a long round on a machine with much else to do. */
const REST_MS = 120_000
/** Further replicas are behind the first one by so many events at most. */
const LAG_EVENTS = 3
/** Events that come at once now and then: more than one connection brings. */
const BURST = 60

export interface ReconnectReport {
  /** Connections that the clients had and lost. */
  readonly disconnects: number
  readonly restarts: number
  /** Events that all readers were told together, each of which was checked. */
  readonly events: number
  /** Streams left because the reader's buffer was full. */
  readonly holds: number
  readonly walletLosses: number
  /** Times that a reader went to another url. */
  readonly moves: number
  /** What the service sent wrongly and the clients mended: missing, repeated, unreadable messages. */
  readonly mended: number
  /** Gaps, repeats, wrong order, wrong content. */
  readonly faults: readonly string[]
  readonly isWhole: boolean
}

interface Plan {
  readonly count: number
  readonly seed: number
  /** Replicas of the service, each with a url of its own; by default one. */
  readonly urls?: number
}

/**
 * Clients behind proxies that cut them at random bytes, of a service whose replicas are started anew now and
 * then, until there were `count` disconnects; then the rest is read without cuts.
 */
export async function runReconnects({ count, seed, urls = 1 }: Plan): Promise<ReconnectReport> {
  const random = new Random(seed)
  const witness = new Witness()
  const replicas = await Promise.all(Array.from({ length: urls }, () => CutReplica.start(random)))
  const [first] = replicas
  witness.listen(first.service)
  const addresses = replicas.map(({ proxy }) => proxy.url)
  let moves = 0
  const readers = Array.from({ length: READERS }, (_, i) => {
    const reader = readerOf(addresses, witness, i, random)
    reader.client.live.onMove(() => {
      moves += 1
    })
    return reader
  })
  const source = market(random)
  const feed = (count: number, lag: number) => {
    const events = Array.from({ length: count }, () => source.next().value)
    for (const replica of replicas) replica.take(events, replica === first ? 0 : lag)
  }
  const sum = (of: (reader: CheckedReader) => number) =>
    readers.reduce((total, reader) => total + of(reader), 0)
  const cuts = () => sum(({ client }) => client.live.status.disconnects)
  let restarts = 0
  let fed = 0
  while (cuts() < count) {
    for (; fed < cuts() * EVENTS_A_CUT + 50; fed++) feed(1, random.integer(0, LAG_EVENTS))
    const burst = random.chance(0.002) ? BURST : 0
    for (let i = 0; i < burst; i++, fed++) feed(1, LAG_EVENTS)
    if (cuts() >= (restarts + 1) * CUTS_A_RESTART) {
      const replica = replicas[restarts % urls]
      await replica.restart()
      if (replica === first) witness.listen(first.service)
      restarts += 1
    }
    await pause(1)
  }
  const disconnects = cuts()
  feed(0, 0)
  for (const { proxy } of replicas) proxy.isCutting = false
  const isWhole = () => readers.every((reader) => reader.isWhole)
  await waitUntil(isWhole, REST_MS)
  const report = {
    disconnects,
    restarts,
    events: sum((reader) => reader.events),
    holds: sum(({ client }) => client.live.status.holds),
    walletLosses: sum((reader) => reader.walletLosses),
    moves,
    mended: sum(({ client }) => {
      const { gaps, repeats, unreadable } = client.live.status
      return gaps + repeats + unreadable
    }),
    faults: readers.flatMap((reader) => reader.faults),
    isWhole: isWhole(),
  }
  for (const reader of readers) await reader.close()
  for (const replica of replicas) await replica.stop()
  return report
}

/** A replica behind a proxy that cuts its connections. */
class CutReplica {
  readonly proxy: CuttingProxy
  service: EngineServer
  #waiting: readonly FeedEvent[] = []

  private constructor(proxy: CuttingProxy, service: EngineServer) {
    this.proxy = proxy
    this.service = service
  }

  static async start(random: Random): Promise<CutReplica> {
    const service = await EngineServer.start()
    return new CutReplica(await CuttingProxy.start(random, service.server.url), service)
  }

  /** Takes in what there is, but the last `lag` events. */
  take(events: readonly FeedEvent[], lag: number): void {
    const waiting = [...this.#waiting, ...events]
    const count = Math.max(0, waiting.length - lag)
    this.service.feed(waiting.slice(0, count))
    this.#waiting = waiting.slice(count)
  }

  async restart(): Promise<void> {
    this.service = await this.service.restarted()
    this.proxy.aim(this.service.server.url)
  }

  async stop(): Promise<void> {
    await this.proxy.stop()
    await this.service.server.stop()
  }
}

function readerOf(
  urls: readonly string[],
  witness: Witness,
  i: number,
  random: Random,
): CheckedReader {
  const isSlow = i % 4 === 3
  const client = new Mintfeed(urls, {
    backoff: { firstMs: 1, longestMs: 8 },
    random: () => random.unit(),
    silenceMs: 5_000,
    ...(isSlow && { bufferMax: SLOW_BUFFER }),
  })
  return new CheckedReader(client, witness, { random, isSlow })
}
