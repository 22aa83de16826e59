import { randomUUID } from 'node:crypto'
import { hostname } from 'node:os'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import { totals } from '../base/safe-text.ts'
import type { Config } from '../config/config.ts'
import { marketOf } from '../config/source-settings.ts'
import type { StreamSetting } from '../config/stream-settings.ts'
import { newFeedCounters } from '../feeds/feed-counters.ts'
import { memoryFigures, ProcessFigures } from '../figures/process-figures.ts'
import { type RunningAdmin, startAdmin } from '../server/admin/admin-server.ts'
import { HttpCounters, metricsText } from '../server/metrics/metrics.ts'
import { readinessOf } from '../server/routes/system-routes.ts'
import { StoreError } from '../store/disk/failure.ts'
import { markMarket } from '../store/folder/market-mark.ts'
import { Lease } from '../stream/lease.ts'
import type { NatsStream } from '../stream/nats-stream.ts'
import { StreamFollower } from '../stream/stream-follower.ts'
import type { StreamPlace } from '../stream/stream-message.ts'
import { StreamWriter } from '../stream/stream-writer.ts'
import { Durability } from './durability.ts'
import { makeFeeds } from './feeds/feed-list.ts'
import { IntakeLog } from './intake-log.ts'
import type { makeLog } from './log.ts'
import { RunningFeeds } from './running-feeds.ts'
import { ClockReports, Service, WallClock } from './service.ts'
import {
  beginningOf,
  connected,
  descriptionOf,
  fillFolder,
  hasMarket,
  isCopy,
  markCopy,
  marketOfStream,
  refillFolder,
  targetOf,
} from './stream-copy.ts'

/** Those that wait for the lease ask so often. */
const ASK_EVERY_MS = 100
/** A term that could not begin, or that ended, is followed by another one after so long. */
const AGAIN_MS = 500
/** At its end a term waits so long for the stream to take what was published. */
const CLOSE_MS = 3_000
const TICK_EVERY_MS = 1_000
const LOOK_EVERY_MS = 5
/** What the sequencer before had under way is stored after so long, or never. */
const SETTLE_MS = 50
/** What no other term would do better. */
const FOR_A_PERSON: readonly string[] = [
  'other_market',
  'in_use',
  'newer_version',
  'older_version',
  'fault',
  'missing',
]
const OTHER_MARKET =
  'The stream has the simulated market and FEED that of the chain, or the other way round: set the other FEED, or another NATS_STREAM.'

/** Where a stream goes on, and which it is. */
type Writable = StreamPlace & { readonly created: string }

/**
 * `mintfeed sequence`: runs the feeds of FEED and publishes what they bring to the stream, in order. Several may run: one
 * holds the lease, the others stand by. A term begins as a copy of the stream that follows it, warm; with the lease, and all
 * folded, its feeds begin where the engine stands, as after any restart. Events are folded at once, which nobody reads, and
 * are written to the folder once the stream holds them. A term that ends with events that the stream does not hold is thrown
 * away: the next one begins with the folder, which has what the stream has.
 */
export class Sequencer {
  readonly #config: Config
  readonly #setting: StreamSetting
  readonly #folder: string
  readonly #log: ReturnType<typeof makeLog>
  readonly #clock: WallClock
  readonly #reports: ClockReports
  readonly #stopping = new AbortController()
  readonly #counters = newFeedCounters()
  readonly #process = new ProcessFigures()
  readonly #holder = `${hostname()} ${process.pid} ${randomUUID()}`
  #service: Service
  #intake: IntakeLog
  #durability: Durability | null = null
  #stream: NatsStream | null = null
  #follower: StreamFollower | null = null
  #writer: StreamWriter | null = null
  #lease: Lease | null = null
  /** Of the newest term that wrote. */
  #feeds: RunningFeeds | null = null
  #admin: RunningAdmin | null = null
  #running: Promise<void> = Promise.resolve()
  #state = 'The sequencer is starting.'
  #terms = 0
  /** Did the log tell that the stream takes no events? */
  #isTroubleTold = false
  /** Ends the term that writes. */
  #endTerm: (reason: string) => void = () => {}

  constructor(
    config: Config,
    setting: StreamSetting,
    folder: string,
    log: ReturnType<typeof makeLog>,
  ) {
    this.#config = config
    this.#setting = setting
    this.#folder = folder
    this.#log = log
    this.#reports = new ClockReports(log, config.clock === 'event')
    this.#clock = new WallClock((step, seconds) => this.#reports.step(step, seconds))
    this.#service = this.#newService()
    this.#intake = this.#newIntake()
  }

  /**
   * Opens the admin surface, where one is wanted.
   * @throws Error with one sentence when its port cannot be had
   */
  async listen(): Promise<void> {
    const { admin } = this.#config.surface
    if (admin === null) return
    const source = {
      metrics: () => metricsText(new HttpCounters(), this.#figures()),
      readiness: () => readinessOf(this.#notReady(), this.#figures()),
      stalls: () => [],
      snapshot: async () => (await this.#durability?.snapshot()) ?? 'Not yet: it is starting.',
      seed: () => this.#durability?.seed ?? null,
      reloadTls: null,
    }
    this.#admin = await startAdmin({ ...admin, source, log: this.#log })
    this.#log.info({ host: admin.host, port: this.#admin.port }, 'admin surface')
  }

  /**
   * Runs term after term; resolves when it was stopped, or its feeds have ended by themselves.
   * @throws StoreError when the folder or the stream cannot be used by anybody
   */
  run(): Promise<void> {
    const timer = setInterval(() => this.#keepTime(), TICK_EVERY_MS)
    this.#running = this.#runTerms().finally(() => clearInterval(timer))
    return this.#running
  }

  /** Stops in order: feeds, what is under way, lease, folder. */
  async drain(): Promise<void> {
    this.#stopping.abort()
    this.#endTerm('It is being stopped.')
    this.#follower?.stop()
    await this.#running.catch(() => {})
    await this.#stream?.close()
    await this.#admin?.stop()
  }

  stored(): object {
    return { seq: this.#service.engine.seq }
  }

  reloadTls(): void {}

  async #runTerms(): Promise<void> {
    const { signal } = this.#stopping
    for (let last = ''; !signal.aborted; ) {
      const reason = await this.#term().finally(() => this.#close())
      if (signal.aborted) return
      this.#state = reason
      if (reason !== last) this.#log.warn({ reason }, 'this sequencer does not write')
      last = reason
      await sleep(AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  }

  /** One term; resolves with why it has ended. */
  async #term(): Promise<string> {
    try {
      const onWaiting = (reason: string) => {
        this.#state = `NATS is waited for: ${reason}.`
      }
      const { signal } = this.#stopping
      this.#stream ??= await connected(this.#setting, 'sequencer', onWaiting, signal)
      if (this.#stream === null) return this.#state
      this.#lease = new Lease(await this.#stream.leases(), this.#holder)
      const place = await this.#begin(this.#stream)
      return place === null ? this.#state : await this.#lead(this.#stream, place)
    } catch (error) {
      if (error instanceof StoreError && FOR_A_PERSON.includes(error.code)) throw error
      return messageOf(error)
    }
  }

  /** Becomes a copy of the stream, and follows it until the lease is held and all is folded; null: it was stopped. */
  async #begin(stream: NatsStream): Promise<Writable | null> {
    const market = marketOf(this.#config.feeds)
    const made = await stream.head()
    if (made === null) await stream.make(descriptionOf(market))
    const held = made === null ? market : marketOfStream(made.description)
    if (held !== market && held !== null && market !== null)
      throw new StoreError('other_market', OTHER_MARKET)
    const begins = await beginningOf(stream)
    return begins === null ? this.#found(stream) : this.#join(stream, begins)
  }

  /** The first of an empty stream: it goes on where the folder ends, with an epoch of its own. */
  async #found(stream: NatsStream): Promise<Writable | null> {
    this.#state = 'The stream is empty: the sequencer that has the lease begins it.'
    while (!this.#stopping.signal.aborted) {
      if (await this.#lease?.take()) break
      if ((await beginningOf(stream)) !== null)
        throw new Error('another sequencer has begun the stream')
      await sleep(ASK_EVERY_MS)
    }
    const head = await stream.head()
    if (this.#stopping.signal.aborted || head === null || head.messages > 0) return null
    const epoch = randomUUID()
    const durability = await this.#open({ epoch, isNew: true })
    this.#mark()
    this.#log.info({ epoch, seq: durability.copy.seq }, 'a new stream is begun')
    const { created, last } = head
    return { created, epoch, index: last + 1, seq: durability.copy.seq, crc: 0 }
  }

  async #join(
    stream: NatsStream,
    begins: { readonly epoch: string; readonly firstSeq: number },
  ): Promise<Writable | null> {
    const { epoch } = begins
    if (!hasMarket(this.#folder)) await this.#fill(begins, fillFolder)
    if (!isCopy(this.#folder))
      throw new StoreError(
        'other_market',
        `${this.#folder} holds a market of its own and the stream another one: give another DATA_DIR or NATS_STREAM.`,
      )
    try {
      await this.#open({ epoch, isNew: false })
      const follower = new StreamFollower(
        stream,
        targetOf(() => this.#copy()),
      )
      this.#follower = follower
      const following = follower.run()
      try {
        return await Promise.race([this.#stoodBy(follower, epoch), following.then(() => null)])
      } finally {
        follower.stop()
        this.#follower = null
        await following.catch(() => {})
      }
    } catch (error) {
      // It is a copy of another stream, or the stream no longer has what comes next.
      if (!(error instanceof StoreError) || error.code !== 'stream') throw error
      this.#log.warn({ reason: error.message }, 'the folder is filled anew')
      await this.#close()
      await this.#fill(begins, refillFolder)
      throw error
    }
  }

  /** @throws Error with why it cannot be filled yet */
  async #fill(
    begins: { readonly epoch: string; readonly firstSeq: number },
    fill: typeof fillFolder,
  ): Promise<void> {
    const onState = (sentence: string) => {
      this.#state = sentence
    }
    const market = marketOf(this.#config.feeds)
    const about = { config: this.#config, folder: this.#folder, log: this.#log }
    const reason = await fill({ ...about, begins, market, onState })
    if (reason !== null) throw new Error(reason)
    this.#mark()
  }

  #mark(): void {
    markMarket(this.#folder, marketOf(this.#config.feeds), (text) => this.#log.warn({}, text))
    markCopy(this.#folder, this.#setting.name)
  }

  /** Waits for the lease; what the one before has published comes first. */
  async #stoodBy(follower: StreamFollower, epoch: string): Promise<Writable | null> {
    // It may go on for a moment when the follower has ended its term.
    const isOver = () => this.#stopping.signal.aborted || this.#follower !== follower
    this.#state = 'It stands by: another sequencer holds the lease.'
    for (; !isOver(); await sleep(ASK_EVERY_MS)) {
      if (!follower.hasRead) continue
      if (!(await this.#lease?.take().catch(() => false))) continue
      await sleep(SETTLE_MS)
      while (this.#lease?.isHeld && !isOver()) {
        if ((await follower.look()) && follower.hasRead && follower.place !== null) {
          follower.end()
          return { ...follower.place, epoch }
        }
        await sleep(LOOK_EVERY_MS)
      }
      await this.#lease?.release()
    }
    return null
  }

  /** Publishes what the feeds bring, until the lease is another one's, or NATS or the disk takes no more. */
  async #lead(stream: NatsStream, place: Writable): Promise<string> {
    const { service, durability } = this.#copy()
    const ended = new Promise<string>((resolve) => {
      this.#endTerm = resolve
    })
    const writer = new StreamWriter({
      ...{ stream, place, created: place.created },
      mayWrite: () => this.#lease?.isHeld ?? false,
      onStored: (message) => {
        // The disk has told its failure, which ends the term.
        if (durability.failure === null) durability.copy.write(message)
      },
      onFailed: (failure) => this.#endTerm(failure.message),
    })
    this.#writer = writer
    const { clock, lateSlots, rules } = this.#config
    service.engine.settle({ clock, lateSlots, rules, takesAhead: true })
    service.dropsAhead = true
    durability.lead(service, writer)
    this.#terms += 1
    this.#state = ''
    const { epoch, seq, index } = place
    this.#log.info({ epoch, seq, sequence: index }, 'this sequencer writes the stream')
    await this.#runFeeds()
    const reason = await ended
    this.#stopFeeds()
    await writer.close(CLOSE_MS)
    return reason
  }

  /** Begins the feeds where the engine stands; they run until the term ends. */
  async #runFeeds(): Promise<void> {
    this.#intake = this.#newIntake()
    this.#intake.begin()
    const service = this.#service
    const reports = {
      line: (feed: string) => this.#intake.line(feed),
      trouble: (source: string, reason: string) =>
        this.#log.warn({ source, reason }, 'trouble with a live feed'),
      sentence: (sentence: string) => this.#log.warn({}, sentence),
    }
    const time = {
      isAhead: (timestamp: number) => service.isAhead(timestamp),
      whenRoom: () => this.#writer?.whenRoom() ?? null,
      nowMs: this.#clock.nowMs,
    }
    const { main, side } = await makeFeeds(
      this.#config,
      () => service.engine,
      this.#counters,
      reports,
      time,
    )
    const feeds = new RunningFeeds(this.#log, this.#intake, (feed, error) =>
      this.#endTerm(`The feed ${feed.name} has failed (${messageOf(error)}).`),
    )
    this.#feeds = feeds
    void feeds.run(main, side)
  }

  #stopFeeds(): void {
    this.#feeds?.stop()
  }

  /** Ends a term: another one may have the lease at once. */
  async #close(): Promise<void> {
    this.#endTerm = () => {}
    this.#stopFeeds()
    this.#follower?.stop()
    this.#follower = null
    this.#writer = null
    await this.#lease?.release()
    this.#lease = null
    const durability = this.#durability
    this.#durability = null
    await durability?.close()
  }

  async #open(stream: { readonly epoch: string; readonly isNew: boolean }): Promise<Durability> {
    const service = this.#newService()
    this.#service = service
    const durability = await Durability.open({
      ...{ config: this.#config, folder: this.#folder, service, log: this.#log, stream },
      onFailure: () => this.#endTerm('The disk refused.'),
      onSeeding: () => {},
      onDiskCall: () => {},
    })
    this.#durability = durability
    return durability
  }

  #copy(): { readonly service: Service; readonly durability: Durability } {
    if (this.#durability === null) throw new Error('a term has a folder')
    return { service: this.#service, durability: this.#durability }
  }

  #newService(): Service {
    return new Service(this.#config, (reason) => this.#endTerm(reason), this.#clock.nowMs)
  }

  #newIntake(): IntakeLog {
    return new IntakeLog(this.#log, this.#service, () => this.#figures())
  }

  #keepTime(): void {
    if (this.#durability === null) return
    this.#reports.standStill(this.#service.clockReason)
    try {
      this.#service.tick()
    } catch {
      // A fault of the program, which has ended the term.
    }
    this.#intake.look()
    this.#tellTrouble()
    if (this.#writer !== null && this.#lease?.isOthers)
      this.#endTerm('Another sequencer holds the lease.')
  }

  #tellTrouble(): void {
    if (this.#writer === null) return
    const { trouble: reason } = this.#writer
    if ((reason !== null) === this.#isTroubleTold) return
    this.#isTroubleTold = reason !== null
    if (reason === null) this.#log.info({}, 'the stream takes events again')
    else this.#log.warn({ reason }, 'the stream takes no events: they wait')
  }

  #notReady(): string | null {
    if (this.#state !== '') return this.#state
    const trouble = this.#writer?.trouble ?? null
    if (trouble !== null) return `${trouble}: what the feeds bring waits for it.`
    if (!this.#lease?.isHeld) return 'NATS gives no answer: what the feeds bring waits for it.'
    const notLive = this.#feeds?.notLive ?? null
    return notLive ?? this.#service.clockReason ?? this.#service.tokenLimit.reason
  }

  #figures(): Readonly<Record<string, number>> {
    const waiting = this.#writer?.waiting
    return {
      ...memoryFigures([...this.#service.memory, ...(this.#durability?.memory ?? [])]),
      ...this.#service.figures(),
      ...totals(this.#counters, 'feed_'),
      ...this.#feeds?.figures(),
      ...this.#durability?.figures(),
      ...this.#process.read(),
      sequencer_writes: this.#writer !== null && this.#lease?.isHeld ? 1 : 0,
      sequencer_terms_total: this.#terms,
      sequencer_waiting_messages: waiting?.messages ?? 0,
      sequencer_waiting_bytes: waiting?.bytes ?? 0,
      replica_lag_messages: this.#follower?.lag.messages ?? 0,
    }
  }
}
