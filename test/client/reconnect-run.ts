import { setTimeout as pause } from 'node:timers/promises'
import { Mintfeed } from '../../client/src/mintfeed.ts'
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
  /** What the service sent wrongly and the clients mended: missing, repeated, unreadable messages. */
  readonly mended: number
  /** Gaps, repeats, wrong order, wrong content. */
  readonly faults: readonly string[]
  readonly isWhole: boolean
}

interface Plan {
  readonly count: number
  readonly seed: number
}

/**
 * Clients behind a proxy that cuts them at random bytes, of a service that is started anew now and
 * then, until there were `count` disconnects; then the rest is read without cuts.
 */
export async function runReconnects({ count, seed }: Plan): Promise<ReconnectReport> {
  const random = new Random(seed)
  const witness = new Witness()
  let service = await EngineServer.start()
  witness.listen(service)
  const proxy = await CuttingProxy.start(random, service.server.url)
  const readers = Array.from({ length: READERS }, (_, i) => readerOf(proxy.url, witness, i, random))
  const events = market(random)
  const sum = (of: (reader: CheckedReader) => number) =>
    readers.reduce((total, reader) => total + of(reader), 0)
  const cuts = () => sum(({ client }) => client.live.status.disconnects)
  let restarts = 0
  let fed = 0
  while (cuts() < count) {
    for (; fed < cuts() * EVENTS_A_CUT + 50; fed++) service.feed([events.next().value])
    const burst = random.chance(0.002) ? BURST : 0
    for (let i = 0; i < burst; i++, fed++) service.feed([events.next().value])
    if (cuts() >= (restarts + 1) * CUTS_A_RESTART) {
      service = await service.restarted()
      witness.listen(service)
      proxy.aim(service.server.url)
      restarts += 1
    }
    await pause(1)
  }
  const disconnects = cuts()
  proxy.isCutting = false
  const isWhole = () => readers.every((reader) => reader.isWhole)
  await waitUntil(isWhole)
  const report = {
    disconnects,
    restarts,
    events: sum((reader) => reader.events),
    holds: sum(({ client }) => client.live.status.holds),
    walletLosses: sum((reader) => reader.walletLosses),
    mended: sum(({ client }) => {
      const { gaps, repeats, unreadable } = client.live.status
      return gaps + repeats + unreadable
    }),
    faults: readers.flatMap((reader) => reader.faults),
    isWhole: isWhole(),
  }
  for (const reader of readers) await reader.close()
  await proxy.stop()
  await service.server.stop()
  return report
}

function readerOf(url: string, witness: Witness, i: number, random: Random): CheckedReader {
  const isSlow = i % 4 === 3
  const client = new Mintfeed(url, {
    backoff: { firstMs: 1, longestMs: 8 },
    random: () => random.unit(),
    silenceMs: 5_000,
    ...(isSlow && { bufferMax: SLOW_BUFFER }),
  })
  return new CheckedReader(client, witness, { random, isSlow })
}
