import {
  type ConsumerMessages,
  JetStreamApiCodes,
  JetStreamApiError,
  type JetStreamClient,
  type JetStreamManager,
  jetstream,
  jetstreamManager,
  type StreamInfo,
} from '@nats-io/jetstream'
import { type KV, Kvm } from '@nats-io/kv'
import {
  AuthorizationError,
  connect,
  credsAuthenticator,
  type NatsConnection,
} from '@nats-io/transport-node'
import { messageOf } from '../base/errors.ts'
import { jsonOf, recordAt, textAt } from '../base/json-access.ts'
import type { StreamSetting } from '../config/stream-settings.ts'
import { LEASE_MS, type LeaseStore } from './lease.ts'

/** A message that has no answer after this time may be stored or not. */
const PUBLISH_MS = 2_000
/** Any other question that has no answer after this time is asked again: leaders are chosen within seconds. */
const ASK_MS = 1_000
/** A reading that nobody asks for ends on its server, which else keeps one for each that was begun anew. */
const FORGOTTEN_MS = 30_000
/** A connection is looked at so often, and is lost after so many looks without an answer. */
const PING_EVERY_MS = 1_000
const PINGS_MAX = 2
const RECONNECT_MS = 100
/** No answer for longer than leaders take to be chosen: the server of this process may be cut off from the others alone. */
const UNHEARD_MS = 6_000
/** A leader that has heard nothing of another server for so long does not see it: they answer it each second. */
const UNSEEN_MS = 4_000
const NS_PER_MS = 1_000_000
/** Messages that the client holds before they are read. */
const AHEAD_MESSAGES = 256
const HEARTBEAT_MS = 1_000
const PULL_MS = 10_000
const LEASE_KEY = 'writer'
/** The server itself answers it, with its time. */
const USER_INFO = '$SYS.REQ.USER.INFO'

const MISSING = [JetStreamApiCodes.StreamNotFound]
/** Another message stands where this one was to stand. */
const TAKEN = [
  JetStreamApiCodes.StreamWrongLastSequence,
  JetStreamApiCodes.StreamWrongLastSequenceUnknown,
]

const CUT_OFF = 'the server that answers is cut off from the majority of the servers of NATS_URL'
export const UNANSWERED = 'NATS gave no answer in time'

/** What the leader of the stream says of it. */
export interface StreamHead {
  /** When it was made: another time is another stream. */
  readonly created: string
  /** Sequences of the oldest and the newest message; `last` stays when all are gone. */
  readonly first: number
  readonly last: number
  readonly messages: number
  /** What it was made for, in words. */
  readonly description: string
}

/** Messages from a place on, as they come. */
export interface StreamReading {
  /** Ends when it is closed, or when the client gives it up. */
  readonly messages: AsyncIterable<{ readonly seq: number; readonly data: Uint8Array }>
  close(): void
}

/**
 * The stream in NATS JetStream, by the clients of its house. Every question goes to the leader, has a time limit of its own,
 * and rejects with an Error of one sentence when there is no answer.
 */
export class NatsStream {
  readonly name: string
  readonly #setting: StreamSetting
  readonly #connection: NatsConnection
  readonly #manager: JetStreamManager
  readonly #client: JetStreamClient
  #heardAtMs = performance.now()

  private constructor(
    setting: StreamSetting,
    connection: NatsConnection,
    manager: JetStreamManager,
  ) {
    this.name = setting.name
    this.#setting = setting
    this.#connection = connection
    this.#manager = manager
    this.#client = jetstream(connection, { timeout: ASK_MS })
  }

  /** Rejects with an Error of one sentence; the connection then stays up over the loss of servers. */
  static async connect(setting: StreamSetting, who: string): Promise<NatsStream> {
    const { servers, isSecure, login, creds } = setting
    try {
      const connection = await connect({
        servers: [...servers],
        name: `mintfeed ${who}`,
        timeout: PUBLISH_MS,
        pingInterval: PING_EVERY_MS,
        maxPingOut: PINGS_MAX,
        maxReconnectAttempts: -1,
        reconnectTimeWait: RECONNECT_MS,
        reconnectJitter: RECONNECT_MS,
        // One that is set right again is found by trying.
        ignoreAuthErrorAbort: true,
        ...(isSecure ? { tls: {} } : {}),
        ...(login === null ? {} : { user: login.user, pass: login.password }),
        ...(creds === null ? {} : { authenticator: credsAuthenticator(Buffer.from(creds)) }),
      })
      const manager = await jetstreamManager(connection, { checkAPI: false, timeout: ASK_MS })
      return new NatsStream(setting, connection, manager)
    } catch (error) {
      throw new Error(whyNotConnected(error))
    }
  }

  /** `host:port` of the server that this process talks to. */
  get server(): string {
    return this.#connection.isClosed() ? '' : this.#connection.getServer()
  }

  /** Bytes of a message at most. */
  get messageBytesMax(): number {
    return this.#connection.info?.max_payload ?? 0
  }

  /** As its leader knows it; null: there is no such stream. */
  async head(): Promise<StreamHead | null> {
    const info = await this.#heard(
      unless(MISSING, this.#manager.streams.info(this.name).then(ofMajority)),
    )
    if (info === null) return null
    const { created, state, config } = info
    return {
      created,
      first: state.first_seq,
      last: state.last_seq,
      messages: state.messages,
      description: config.description ?? '',
    }
  }

  /** As its leader knows it, for a person; null: there is no such stream. */
  async details() {
    const info = await unless(MISSING, this.#manager.streams.info(this.name))
    if (info === null) return null
    const { created, state, config, cluster } = info
    return {
      name: this.name,
      created,
      first: state.first_seq,
      last: state.last_seq,
      messages: state.messages,
      firstAt: state.first_ts,
      /** On each server. */
      bytes: state.bytes,
      replicas: config.num_replicas,
      keepMs: config.max_age / NS_PER_MS,
      leader: cluster?.leader ?? null,
      followers: (cluster?.replicas ?? []).map(({ name, current, lag, offline }) => ({
        name,
        isCurrent: current && offline !== true,
        lag: lag ?? 0,
      })),
    }
  }

  /** Who holds the lease; null: nobody. */
  async writer(): Promise<string | null> {
    const bucket = new Kvm(this.#client).open(`${this.name}-lease`)
    return (await unless(MISSING, bucket.then(leaseIn)))?.value ?? null
  }

  /** What the server that this process talks to says of itself, and what of JetStream this login may use. */
  async serverFacts() {
    const { info } = this.#connection
    const beforeMs = Date.now()
    const answer = await this.#connection
      .request(USER_INFO, undefined, { timeout: ASK_MS })
      .then((message) => jsonOf(message.string()))
      .catch(() => undefined)
    const nowMs = (beforeMs + Date.now()) / 2
    const timeMs = Date.parse(textAt(recordAt(answer, 'server'), 'time') ?? '')
    const account = await this.#manager.getAccountInfo().catch(() => null)
    return {
      version: info?.version ?? '',
      cluster: info?.cluster ?? '',
      hasJetStream: info?.jetstream === true,
      messageBytesMax: this.messageBytesMax,
      /** How far its clock is ahead of this machine's; null: it does not say, as before 2.10. */
      aheadMs: Number.isNaN(timeMs) ? null : Math.round(timeMs - nowMs),
      /** Bytes that this login may still store; null: there is no limit but the disk. */
      roomBytes:
        account === null || account.limits.max_storage < 0
          ? null
          : account.limits.max_storage - account.storage,
    }
  }

  /** Makes the stream. */
  async make(description: string): Promise<void> {
    const { replicas, keepMs } = this.#setting
    await answered(
      this.#manager.streams.add({
        name: this.name,
        description,
        subjects: [subjectOf(this.name)],
        num_replicas: replicas,
        max_age: keepMs * NS_PER_MS,
      }),
    )
  }

  /** One message, by its leader; null: it is not there. */
  async message(seq: number): Promise<Uint8Array | null> {
    return (await answered(this.#manager.streams.getMessage(this.name, { seq })))?.data ?? null
  }

  /**
   * Publishes behind the message `last`; resolves with its sequence once the stream holds it. Rejects with an Error that
   * says nothing about whether it is stored: one from before may stand in its place.
   */
  async publish(bytes: Uint8Array, last: number): Promise<number> {
    const options = { timeout: PUBLISH_MS, expect: { lastSequence: last, streamName: this.name } }
    return (await answered(this.#client.publish(subjectOf(this.name), bytes, options))).seq
  }

  /** Reads from a sequence on. */
  async read(from: number): Promise<StreamReading> {
    try {
      const consumer = await this.#client.consumers.get(this.name, {
        opt_start_seq: from,
        inactive_threshold: FORGOTTEN_MS,
      })
      const messages: ConsumerMessages = await consumer.consume({
        max_messages: AHEAD_MESSAGES,
        idle_heartbeat: HEARTBEAT_MS,
        expires: PULL_MS,
      })
      return { messages, close: () => void messages.close().catch(() => {}) }
    } catch (error) {
      throw new Error(whyNotAsked(error))
    }
  }

  /** The bucket whose key says who writes. */
  async leases(): Promise<LeaseStore> {
    const { replicas } = this.#setting
    const kvm = new Kvm(this.#client)
    const options = { ttl: LEASE_MS, replicas, history: 1 }
    try {
      return this.#leaseStore(await kvm.create(`${this.name}-lease`, options))
    } catch (error) {
      throw new Error(whyNotAsked(error))
    }
  }

  #leaseStore(bucket: KV): LeaseStore {
    return {
      create: (value) => this.#heard(unless(TAKEN, bucket.create(LEASE_KEY, value))),
      update: (value, revision) =>
        this.#heard(unless(TAKEN, bucket.update(LEASE_KEY, value, revision, ASK_MS))),
      remove: (revision) => bucket.delete(LEASE_KEY, { previousSeq: revision }),
      read: () => leaseIn(bucket),
    }
  }

  /** The answer; after long without one this process talks to the next of its servers. */
  async #heard<T>(asked: Promise<T>): Promise<T> {
    try {
      const answer = await asked
      this.#heardAtMs = performance.now()
      return answer
    } catch (error) {
      if (performance.now() - this.#heardAtMs > UNHEARD_MS) {
        this.#heardAtMs = performance.now()
        void this.#connection.reconnect().catch(() => {})
      }
      throw error
    }
  }

  async close(): Promise<void> {
    await this.#connection.close().catch(() => {})
  }
}

async function leaseIn(bucket: KV): ReturnType<LeaseStore['read']> {
  const entry = await bucket.get(LEASE_KEY)
  if (entry?.operation !== 'PUT') return null
  return { value: entry.string(), revision: entry.revision }
}

/** Rejects with an Error of one sentence when there is no answer. */
async function answered<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    throw new Error(whyNotAsked(error))
  }
}

/** As `answered`; null: it was refused with one of these codes. */
function unless<T>(codes: readonly number[], asked: Promise<T>): Promise<T | null> {
  const refused = (error: unknown) => {
    if (error instanceof JetStreamApiError && codes.includes(error.code)) return null
    throw error
  }
  return answered(asked.catch(refused))
}

/** A leader that is cut off from the others answers for as long as it is, of the stream as it was. */
function ofMajority(info: StreamInfo): StreamInfo {
  const { leader, replicas } = info.cluster ?? {}
  if (replicas === undefined || replicas.length === 0) return info
  const seen = replicas.filter(({ active }) => active < UNSEEN_MS * NS_PER_MS).length
  if (leader === undefined || 2 * (seen + 1) <= replicas.length + 1) throw new Error(CUT_OFF)
  return info
}

/** Messages of the stream are published to it. */
function subjectOf(name: string): string {
  return `${name}.events`
}

function whyNotConnected(error: unknown): string {
  if (error instanceof AuthorizationError)
    return 'NATS refuses the login: check NATS_CREDS, or the user and password in NATS_URL'
  return `no server of NATS_URL can be reached (${messageOf(error)})`
}

function whyNotAsked(error: unknown): string {
  const text = messageOf(error)
  if (/no responders|not enabled/i.test(text))
    return 'NATS answers without JetStream: its leader is being chosen, or the server has jetstream off'
  if (/timeout/i.test(text)) return UNANSWERED
  if (/no space left|maximum (bytes|messages)|insufficient|resource limits/i.test(text))
    return `NATS has no room for more, on its disk or by a limit (${text})`
  return `NATS says: ${text}`
}
