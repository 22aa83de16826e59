import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { StreamSetting } from '../config/stream-settings.ts'
import type { Feed } from '../events/event-sink.ts'
import { Backoff } from '../feeds/backoff.ts'
import type { Log } from '../server/http/exchange.ts'
import { StoreError } from '../store/disk/failure.ts'
import { markMarket } from '../store/folder/market-mark.ts'
import { type NatsStream, UNANSWERED } from '../stream/nats-stream.ts'
import { StreamFollower } from '../stream/stream-follower.ts'
import { Durability } from './durability.ts'
import type { Service } from './service.ts'
import {
  beginningOf,
  connected,
  emptyPlace,
  fillFolder,
  hasMarket,
  isCopy,
  markCopy,
  marketOfStream,
  refillFolder,
  type StreamCopy,
  targetOf,
} from './stream-copy.ts'

/** A start with a folder that has a state waits so long for NATS before it serves what it has. */
const CONNECT_MS = 3_000
const LOOK_EVERY_MS = 50
const ASK_AGAIN_MS = 500

type DurableOptions = Parameters<typeof Durability.open>[0]

interface ReplicaOptions {
  readonly config: Config
  readonly setting: StreamSetting
  readonly folder: string
  readonly log: Log
  /** Takes why the API does not answer yet; null: it does. */
  readonly onState: (sentence: string | null) => void
  readonly newService: () => Service
  /** How a service is kept, but for the stream. */
  readonly durable: (service: Service, folder: string) => DurableOptions
  /** What is served now. */
  readonly live: () => StreamCopy
  /** Serves another copy from now on, in one turn of the loop. */
  readonly take: (copy: StreamCopy) => void
}

/**
 * FEED=nats: the service as a copy of the replicated stream. `open` recovers the folder, or fills it; as a feed it follows
 * the stream from there. When the stream is not the one any more that the folder is a copy of, nothing is folded; a second
 * copy is made beside it, of a seed or of the stream's beginning, and takes its place once it has caught up.
 */
export class Replica implements Feed {
  readonly name = 'nats'
  readonly #options: ReplicaOptions
  readonly #stopping = new AbortController()
  #stream: NatsStream | null = null
  #follower: StreamFollower | null = null
  /** The copy that is being made; null: that of now is followed. */
  #next: StreamCopy | null = null
  #epoch: string | null = null
  #wasCaughtUp = false
  /** Why the stream cannot be followed, in one sentence. */
  #broken: string | null = null
  #waiting: string | null = null

  constructor(options: ReplicaOptions) {
    this.#options = options
  }

  /** What `Durability` has to know of a folder of this stream. */
  get stream(): NonNullable<DurableOptions['stream']> {
    return { epoch: this.#epoch, isNew: false }
  }

  /**
   * Recovers the folder, or fills an empty one as soon as that can be; goes on without NATS where it has a state.
   * @throws StoreError with a sentence that says what to do
   */
  async open(service: Service): Promise<Durability> {
    const { folder, durable, onState } = this.#options
    if (hasMarket(folder) && !isCopy(folder))
      throw new StoreError(
        'stream',
        `${folder} holds a market of its own and is no copy of a stream: FEED=nats needs a DATA_DIR of its own.`,
      )
    await this.#reach()
    if (!hasMarket(folder)) await this.#fill()
    const options = () => ({ ...durable(service, folder), stream: this.stream })
    try {
      return await Durability.open(options())
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'stream') throw error
      this.#options.log.warn({ reason: error.message }, 'the copy of another stream is dropped')
      await this.#fill(refillFolder)
      return await Durability.open(options())
    } finally {
      onState(null)
    }
  }

  async start(): Promise<void> {
    const { log } = this.#options
    const backoff = new Backoff()
    while (!this.#stopping.signal.aborted)
      try {
        await this.#follow()
      } catch (error) {
        if (!(error instanceof StoreError)) throw error
        const dropped = this.#next
        this.#next = null
        await dropped?.durability.close()
        if (this.#broken !== error.message)
          log.error({ reason: error.message }, 'the stream is not followed any more')
        this.#broken = error.message
        if (!['stream', 'damaged'].includes(error.code)) return
        await this.#pause(backoff.nextMs())
        await this.#begin(error)
      }
  }

  stop(): void {
    this.#stopping.abort()
    this.#follower?.stop()
    void this.#stream?.close()
  }

  notLive(): string | null {
    const { lagMaxMs } = this.#options.setting
    if (this.#broken !== null) return this.#broken
    if (this.#follower === null) return `NATS cannot be reached: ${this.#waiting}. Reads go on.`
    const { ms, unreachedMs } = this.#follower.lag
    if (unreachedMs > lagMaxMs)
      return `NATS cannot be asked: ${this.#follower.waiting ?? UNANSWERED}. Reads go on.`
    if (!this.#wasCaughtUp) return 'The stream is being folded.'
    if (ms <= lagMaxMs) return null
    return `This replica is ${ms} ms behind the stream, more than REPLICA_LAG_MAX.`
  }

  figures(): Readonly<Record<string, number>> {
    const lag = this.#follower?.lag
    return {
      replica_lag_events: lag?.events ?? 0,
      replica_lag_messages: lag?.messages ?? 0,
      replica_lag_ms: lag?.ms ?? 0,
      stream_sequence: this.#follower?.place?.index ?? 0,
      stream_unreached_ms: lag?.unreachedMs ?? 0,
    }
  }

  /** How far it has come in the stream, for `/readyz`. */
  get place() {
    const lag = this.#follower?.lag
    return {
      position: this.#options.live().service.engine.seq,
      lag_events: lag?.events ?? 0,
      lag_ms: lag?.ms ?? 0,
      stream: this.#options.setting.name,
      server: this.#stream?.server ?? '',
    }
  }

  /** Connects, and learns the stream's epoch; does not wait for it where the folder has a state. */
  async #reach(): Promise<void> {
    const { folder } = this.#options
    const signal = hasMarket(folder)
      ? AbortSignal.any([this.#stopping.signal, AbortSignal.timeout(CONNECT_MS)])
      : this.#stopping.signal
    if (!(await this.#connect(signal))) return
    try {
      this.#epoch = (await this.#beginning())?.epoch ?? null
    } catch (error) {
      this.#waits(messageOf(error))
    }
  }

  async #connect(signal: AbortSignal): Promise<boolean> {
    const { setting, onState } = this.#options
    const onWaiting = (reason: string) => {
      onState(`NATS is waited for: ${reason}.`)
      this.#waits(reason)
    }
    this.#stream ??= await connected(setting, 'replica', onWaiting, signal)
    return this.#stream !== null
  }

  #waits(reason: string): void {
    if (this.#waiting !== reason) this.#options.log.warn({ reason }, 'NATS is waited for')
    this.#waiting = reason
  }

  async #beginning(): ReturnType<typeof beginningOf> {
    return this.#stream === null ? null : beginningOf(this.#stream)
  }

  /** Fills the empty folder as soon as that can be. */
  async #fill(fill = fillFolder): Promise<void> {
    const { folder, onState } = this.#options
    for (let last = ''; !this.#stopping.signal.aborted; await this.#pause(ASK_AGAIN_MS)) {
      const reason = await this.#filled(folder, fill).catch(messageOf)
      if (reason === null) return
      onState(reason)
      if (reason !== last) this.#options.log.warn({ reason }, 'the stream is waited for')
      last = reason
    }
    throw new StoreError('stream', 'The program was stopped before it had a market.')
  }

  /** Why a folder cannot be filled yet, or null. */
  async #filled(folder: string, fill = fillFolder): Promise<string | null> {
    const { config, log, onState } = this.#options
    const [begins, head] = await Promise.all([this.#beginning(), this.#stream?.head()])
    if (begins === null) return 'There is no such stream, or nothing in it yet: start a sequencer.'
    const market = marketOfStream(head?.description ?? '')
    const reason = await fill({ config, folder, begins, market, log, onState })
    if (reason !== null) return reason
    this.#epoch = begins.epoch
    markMarket(folder, market, (sentence) => log.warn({}, sentence))
    markCopy(folder, this.#options.setting.name)
    return null
  }

  async #follow(): Promise<void> {
    const { live, take } = this.#options
    if (!(await this.#connect(this.#stopping.signal)) || this.#stream === null) return
    const follower = new StreamFollower(
      this.#stream,
      targetOf(() => this.#next ?? live()),
    )
    this.#follower = follower
    const timer = setInterval(() => {
      if (!follower.isCaughtUp) return
      this.#wasCaughtUp = true
      const next = this.#next
      this.#next = null
      this.#broken = null
      if (next !== null) take(next)
    }, LOOK_EVERY_MS)
    try {
      await follower.run()
    } finally {
      clearInterval(timer)
    }
  }

  /** Begins another copy, where one can be had; else that of now is tried again. */
  async #begin(error: StoreError): Promise<void> {
    const { folder, log, newService, durable, live } = this.#options
    try {
      const begins = await this.#beginning()
      if (begins === null) return
      // What is damaged there would be so for another copy too.
      if (error.code === 'damaged' && begins.epoch === live().durability.epoch) return
      const place = emptyPlace(folder)
      const reason = await this.#filled(place)
      if (reason !== null) {
        log.warn({ reason }, 'no other copy can be had yet')
        return
      }
      const service = newService()
      const options = { ...durable(service, place), stream: this.stream, isCopy: true }
      this.#next = { service, durability: await Durability.open(options) }
      log.info({ epoch: this.#epoch }, 'another copy of the stream is made')
    } catch (failure) {
      log.warn({ reason: messageOf(failure) }, 'no other copy can be had yet')
    }
  }

  async #pause(ms: number): Promise<void> {
    await sleep(ms, undefined, { signal: this.#stopping.signal }).catch(() => {})
  }
}
