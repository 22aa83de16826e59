/** A nats-server or three, with the real sequencers and replicas of a stream. */
import { DiscardPolicy, jetstreamManager } from '@nats-io/jetstream'
import { onTestFinished } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { swapOfRecord } from '../../src/engine/read/swap-outtake.ts'
import type { Swap } from '../../src/events/event.ts'
import { SWAP_U32_LANES } from '../../src/events/swap-record.ts'
import { SegmentScan } from '../../src/store/format/journal-format.ts'
import { foldFrame, opensRecords } from '../../src/store/journal/journal-fold.ts'
import { readMessage } from '../../src/stream/stream-message.ts'
import { get, type Position } from '../crash/http.ts'
import { type NatsOptions, type NatsServers, startNats } from '../nats/nats-servers.ts'
import { newFolder } from '../new-folder.ts'
import { partOf } from './data-folders.ts'
import { freePort } from './free-port.ts'
import {
  launch,
  type Program,
  type Running,
  type Settings,
  startProgram,
  until,
} from './program.ts'

export const STREAM = 'mintfeed'
export const TOKEN = 'a-token-of-sixteen'
const NOBODY = 'Stranger1111111111111111111111111111111pump'

/** A small market whose answers depend on no clock. */
const MARKET = {
  ...{ FEED: 'sim', SIM_TOKENS: '40', SIM_RATE: '100', CLOCK: 'event' },
  ...{ ADMIN_PORT: '0', ADMIN_TOKEN: TOKEN, JOURNAL_KEEP: 'all' },
}

/** A program without a line `ready`. */
export interface Sequencer extends Running {
  /** Its admin surface, or that of clients. */
  readonly url: string
}

export interface Readiness {
  readonly status: number
  readonly reason: string
  readonly figures: ReadonlyMap<string, unknown>
}

export class StreamPrograms {
  readonly #nats: NatsServers | null
  readonly #urls: readonly string[]

  private constructor(nats: NatsServers | null, urls: readonly string[]) {
    this.#nats = nats
    this.#urls = urls
  }

  /** With servers that somebody else has started. */
  static of(urls: readonly string[]): StreamPrograms {
    return new StreamPrograms(null, urls)
  }

  static async start(options: Partial<NatsOptions> = {}): Promise<StreamPrograms> {
    const nats = await startNats({ servers: 1, sync: 'default', folder: newFolder(), ...options })
    onTestFinished(() => nats.stopAll())
    return new StreamPrograms(nats, nats.urls)
  }

  get nats(): NatsServers {
    if (this.#nats === null) throw new Error('somebody else has started it')
    return this.#nats
  }

  get settings(): Settings {
    return { NATS_URL: this.#urls.join(',') }
  }

  async sequencer(settings: Settings = {}): Promise<Sequencer> {
    const own = { ...this.settings, DATA_DIR: newFolder(), ...MARKET, ...settings }
    const program = launch(own, ['sequence'])
    onTestFinished(() => void program.end('SIGKILL'))
    const port = partOf(await program.seen(/"msg":"admin surface"/), 'port')
    return { ...program, url: `http://127.0.0.1:${String(port)}` }
  }

  /** A replica that may never have anything to answer with. */
  async launched(settings: Settings): Promise<Sequencer> {
    const port = await freePort()
    const program = launch({ ...this.replicaSettings(), ...settings, PORT: String(port) })
    onTestFinished(() => void program.end('SIGKILL'))
    return { ...program, url: `http://127.0.0.1:${port}` }
  }

  /** Resolves once it answers. */
  async replica(settings: Settings = {}): Promise<Program> {
    const program = await startProgram({ ...this.replicaSettings(), ...settings })
    onTestFinished(() => void program.end('SIGKILL'))
    return program
  }

  replicaSettings(): Settings {
    return {
      ...this.settings,
      FEED: 'nats',
      DATA_DIR: newFolder(),
      RATE_LIMIT: 'off',
      CLOCK: 'event',
      REPLICA_LAG_MAX: '30s',
    }
  }

  async deleteStream(): Promise<void> {
    await asked(this.nats, async (manager) => manager.streams.delete(STREAM))
  }

  /** The stream refuses what is beyond so many bytes; -1: it has no limit. */
  async limit(bytes: number): Promise<void> {
    const limits = { max_bytes: bytes, discard: DiscardPolicy.New }
    await asked(this.nats, async (manager) => manager.streams.update(STREAM, limits))
  }

  stored(): Promise<Stored> {
    return storedIn(this.nats)
  }
}

/** Every message of the stream, from its beginning. */
export async function storedIn(nats: NatsServers): Promise<Stored> {
  return asked(nats, async (manager) => {
    const { state } = await manager.streams.info(STREAM)
    const stored = new Stored()
    for (let seq = state.first_seq; seq <= state.last_seq; seq++) {
      const message = await manager.streams.getMessage(STREAM, { seq })
      if (message === null) throw new Error(`message ${seq} is not there`)
      stored.add(message.data, seq)
    }
    return stored
  })
}

async function asked<T>(
  nats: NatsServers,
  ask: (manager: Awaited<ReturnType<typeof jetstreamManager>>) => Promise<T>,
): Promise<T> {
  const connection = await nats.connect()
  try {
    return await ask(await jetstreamManager(connection))
  } finally {
    await connection.close()
  }
}

/** What a stream holds, folded on its own; complains of what does not go on where the message before it ends. */
export class Stored {
  readonly engine = new Engine({ clock: 'event' })
  readonly swaps: Swap[] = []
  readonly epochs = new Set<string>()
  messages = 0
  endSeq = 0
  #crc = 0

  add(data: Uint8Array, seq: number): void {
    const { header, bytes, endSeq, crc } = readMessage(data, seq)
    if (header.firstSeq !== this.endSeq || header.previousCrc !== this.#crc)
      throw new Error(
        `message ${seq} begins at ${header.firstSeq}, the one before it ends at ${this.endSeq}`,
      )
    const frame = new SegmentScan(bytes, header.crc, header.firstSeq)
    while (frame.next()) {
      const { u32, f64, payloadAt, events } = frame
      if (opensRecords(frame))
        for (let i = 0; i < events; i++) {
          const at = (payloadAt >>> 2) + i * SWAP_U32_LANES
          this.swaps.push(swapOfRecord({ u32, f64, at }, this.engine.state.book))
        }
      foldFrame(this.engine, frame)
    }
    this.epochs.add(header.epoch)
    this.messages += 1
    this.endSeq = endSeq
    this.#crc = crc
  }

  get signatures(): readonly string[] {
    return this.swaps.map(({ signature, ordinal }) => `${signature}/${ordinal}`)
  }
}

/** `/readyz`, whatever its status. */
export async function readinessOf(url: string): Promise<Readiness> {
  const headers = { authorization: `Bearer ${TOKEN}` }
  const { status, text } = await get(`${url}/readyz`, { headers })
  const body: unknown = JSON.parse(text)
  const figures = new Map<string, unknown>(Object.entries(body ?? {}))
  return { status, reason: String(figures.get('reason')), figures }
}

export async function positionOf(url: string): Promise<Position> {
  const { position } = await get(`${url}/api/v2/search/tokens/${NOBODY}/market-data`)
  if (position === null) throw new Error(`${url} tells no position`)
  return position
}

/** Resolves once `/readyz` has a status and a reason that fits. */
export async function becomes(url: string, status: number, reason: RegExp): Promise<Readiness> {
  let last = ''
  try {
    return await until(`${url} answers ${status} with ${reason}`, async () => {
      const found = await readinessOf(url).catch(() => null)
      if (found === null) return null
      last = `${found.status}: ${found.reason}`
      return found.status === status && reason.test(found.reason) ? found : null
    })
  } catch (error) {
    throw new Error(`${String(error)}, at last ${last}`)
  }
}

export function isReady(url: string): Promise<Readiness> {
  return becomes(url, 200, /^null$/)
}

/** Resolves once it has so many events more than now. */
export async function goesOn(url: string, events: number): Promise<void> {
  const { seq } = await positionOf(url)
  await reaches(url, seq + events)
}

export async function reaches(url: string, seq: number): Promise<void> {
  await until(`${url} has ${seq} events`, async () =>
    (await positionOf(url)).seq >= seq ? true : null,
  )
}
