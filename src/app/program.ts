/**
 * The service put together from settings: listen (503), recover DATA_DIR, make feeds, answer, drain. `Program` owns the
 * order of these; `Service` is the engine with its clock and limits, `Durability` puts the journal between feeds and
 * engine, `IntakeLog` logs what becomes of events, `signals.ts` maps signals. A drain runs in the opposite order: feeds,
 * sockets, journal, snapshot. Nothing below this room reads a setting that is not handed to it.
 */

import { randomUUID } from 'node:crypto'
import { performance } from 'node:perf_hooks'
import { AlertOrders } from '../alerts/alert-orders.ts'
import type { AlertService } from '../alerts/alert-service.ts'
import { messageOf } from '../base/errors.ts'
import { redactPaths, totals } from '../base/safe-text.ts'
import type { Config } from '../config/config.ts'
import type { Feed } from '../events/event-sink.ts'
import { newFeedCounters } from '../feeds/feed-counters.ts'
import { EventLoopStallMonitor, LongSteps } from '../figures/event-loop-stall-monitor.ts'
import { memoryFigures, ProcessFigures, spareDescriptors } from '../figures/process-figures.ts'
import { docsHtml } from '../openapi/docs-page.ts'
import { asyncApiJson, openApiJson } from '../openapi/documents.ts'
import { WalletLabels } from '../protocol/wallet-labels.ts'
import { EngineService } from '../query/engine-service.ts'
import { type RunningAdmin, startAdmin } from '../server/admin/admin-server.ts'
import { JSON_TYPE } from '../server/http/reply.ts'
import { type RunningServer, startServer } from '../server/server.ts'
import { checkTlsFiles, type TlsFiles } from '../server/sockets/tls-files.ts'
import { historyOf, newAlerts } from './alerts.ts'
import type { BuildPlan } from './build-plan.ts'
import { BusyPoll } from './busy-poll.ts'
import { Durability } from './durability.ts'
import { makeFeeds } from './feeds/feed-list.ts'
import { HistoryBuilds } from './history-builds.ts'
import { IntakeLog } from './intake-log.ts'
import { LabelFile } from './label-file.ts'
import type { makeLog } from './log.ts'
import { pageOf } from './page.ts'
import type { Replica } from './replica.ts'
import { RunningFeeds } from './running-feeds.ts'
import { ClockReports, Service, WallClock } from './service.ts'

/** How often the market's clock advances without events and requests, in ms. */
const TICK_EVERY_MS = 1_000

const STOPPING = 'The service is being stopped.'

/** The line `stopped` where there is no folder. */
const NOTHING_STORED = {
  kept: 'nothing is kept, as DATA_DIR is none or was not read yet.',
  seq: null,
  snapshotSeq: null,
}

export class Program {
  readonly #config: Config
  readonly #log: ReturnType<typeof makeLog>
  readonly #clock: WallClock
  readonly #clockReports: ClockReports
  #service: Service
  readonly #wired: EngineService
  readonly #labelFile: LabelFile | null
  readonly #counters = newFeedCounters()
  readonly #processFigures = new ProcessFigures()
  readonly #steps = new LongSteps()
  readonly #stalls = new EventLoopStallMonitor(this.#steps)
  readonly #awake = new BusyPoll()
  readonly #alerts: AlertService
  readonly #running: RunningFeeds
  #epoch = ''
  readonly #intakeLog: IntakeLog
  /** Made once the API answers: loading their modules is a third of a start. */
  #feeds: Awaited<ReturnType<typeof makeFeeds>> | null = null
  #isRecovered = false
  #isDraining = false
  #server: RunningServer | null = null
  #admin: RunningAdmin | null = null
  #tlsEndsAt: number | null = null
  #durability: Durability | null = null
  /** Null: nothing is kept, so that nothing can be built. */
  readonly #history: HistoryBuilds | null
  /** Null: FEED is not nats. */
  #replica: Replica | null = null
  /** How far the folder is filled from SEED_URL; null: it is not being filled. */
  #seeding: string | null = null
  /** Why the first feed failed; null: none has. */
  #feedFailure: string | null = null

  constructor(config: Config, log: ReturnType<typeof makeLog>) {
    this.#config = config
    this.#log = log
    this.#clockReports = new ClockReports(log, config.clock === 'event')
    this.#clock = new WallClock((step, seconds) => this.#clockReports.step(step, seconds))
    this.#service = this.#newService()
    this.#service.steps = this.#steps
    this.#intakeLog = new IntakeLog(log, this.#service, () => this.#feedFigures())
    this.#running = new RunningFeeds(log, this.#intakeLog, (feed, error) =>
      this.#feedFailed(feed, error),
    )
    this.#history = this.#historyBuilds()
    const tick = () => this.#service.tick()
    const labels = new WalletLabels()
    this.#alerts = newAlerts(config, {
      ...{ engine: this.#service.engine, log, labels },
      journalSeq: () => this.#durability?.seq ?? 0,
      publish: (body, n) => this.#wired.live.alerted(body, n),
    })
    const { engine } = this.#service
    this.#wired = new EngineService(
      engine,
      tick,
      () => this.#epoch,
      labels,
      historyOf(this.#alerts),
    )
    const { walletLabels } = config
    this.#labelFile = walletLabels === null ? null : new LabelFile(walletLabels, labels, log)
  }

  /**
   * Opens the ports; the API answers 503 until the recovery is done.
   * @throws Error with one sentence when a port cannot be had or the TLS files are not right
   */
  async listen(): Promise<void> {
    const { host, port, rateLimit, trustProxy, corsOrigin, surface } = this.#config
    const { tls, limits } = surface
    if (tls !== null) this.#tlsEndsAt = checkTlsFiles(tls)
    const place = { host, port, isSecure: tls !== null }
    this.#server = await startServer({
      host,
      port,
      ...this.#wired.ports,
      documents: [
        { path: '/openapi.json', contentType: JSON_TYPE, body: openApiJson() },
        { path: '/asyncapi.json', contentType: JSON_TYPE, body: asyncApiJson(place) },
        { path: '/docs', contentType: 'text/html; charset=utf-8', body: docsHtml() },
      ],
      position: {
        epoch: () => this.#epoch,
        seq: () => this.#service.engine.seq,
        onWaiting: (isWaiting) => {
          this.#service.onFolded = isWaiting ? () => this.#server?.folded() : null
        },
      },
      state: {
        isStarting: () => !this.#isRecovered,
        notReady: () => this.#notReadyShown(),
        notice: () =>
          this.#isRecovered ? (this.#service.notice ?? this.#history?.notice ?? null) : null,
        replica: () => (this.#isRecovered ? (this.#replica?.place ?? null) : null),
        figures: () => this.#figures(),
      },
      // Never set back: a window would be forgotten before its end.
      clock: () => performance.timeOrigin + performance.now(),
      checksCache: this.#config.checksCache,
      ...(tls === null ? {} : { tls }),
      limits: { ...limits, sockets: Math.min(limits.sockets, spareDescriptors()) },
      rateLimit,
      trustProxy,
      corsOrigin,
      hasMcp: this.#config.hasMcp,
      ...pageOf(this.#config),
      log: this.#log,
      onStep: (...step) => this.#steps.note(...step),
    })
    this.#admin = await this.#openAdmin(this.#server)
  }

  /**
   * Opens the admin surface when one is wanted, else null.
   * @throws Error with one sentence when its port cannot be had
   */
  async #openAdmin(server: RunningServer): Promise<RunningAdmin | null> {
    const { surface, dataDir } = this.#config
    if (surface.admin === null) return null
    const { host, token } = surface.admin
    const { tls } = surface
    const source = {
      metrics: () => server.metrics(),
      readiness: () => {
        const { statusCode, fields } = server.readiness()
        // With the paths that the public port leaves out.
        return { statusCode, fields: { ...fields, reason: this.#notReady() } }
      },
      stalls: () => this.#stalls.stalls(),
      snapshot:
        dataDir === null
          ? null
          : async () => (await this.#durability?.snapshot()) ?? 'Not yet: the service is starting.',
      seed: dataDir === null ? null : () => this.#durability?.seed ?? null,
      alerts: new AlertOrders(this.#alerts, () => this.#isRecovered && !this.#isDraining),
      reloadTls: tls === null ? null : () => this.#changeTls(tls),
    }
    const admin = await startAdmin({ ...surface.admin, source, log: this.#log })
    this.#log.info({ host, port: admin.port, token: token !== null }, 'admin surface')
    return admin
  }

  /** Reads the TLS files again; the log says what came of it. */
  reloadTls(): void {
    const { tls } = this.#config.surface
    if (tls === null) return
    try {
      this.#log.info({}, this.#changeTls(tls))
    } catch (error) {
      this.#log.error({ reason: messageOf(error) }, 'the certificate stays what it was')
    }
  }

  /**
   * Brings back what DATA_DIR holds, then lets the API answer.
   * @throws StoreError with a sentence that says what to do
   */
  async recover(): Promise<void> {
    const { dataDir: folder } = this.#config
    // Alert rules look at events again as they are folded, and their filters may ask for labels.
    await this.#labelFile?.begin()
    this.#replica = await this.#newReplica()
    const open = (of: string) =>
      this.#replica?.open(this.#service) ?? Durability.open(this.#durable(this.#service, of))
    if (folder === null) this.#alerts.beginRecovery()
    else this.#durability = await open(folder)
    this.#epoch = this.#durability?.epoch ?? randomUUID()
    this.#alerts.recovered(this.#epoch, this.#durability?.found)
    this.#wired.attach()
    this.#service.engine.complete.look()
    this.#isRecovered = true
    this.#intakeLog.begin()
    // Without ticks hours of swaps would leave the window of 24 hours in one go, and alerts go by this clock.
    setInterval(() => this.#keepTime(), TICK_EVERY_MS).unref()
    this.#clockReports.standStill(this.#service.clockReason)
    await this.#history?.begin()
    const reports = {
      line: (feed: string) => this.#intakeLog.line(feed),
      trouble: (source: string, reason: string) =>
        this.#log.warn({ source, reason }, 'trouble with a live feed'),
      sentence: (sentence: string) => this.#log.warn({}, sentence),
    }
    const engine = () => this.#service.engine
    const time = {
      isAhead: (timestamp: number) => this.#service.isAhead(timestamp),
      nowMs: this.#clock.nowMs,
      takeLongGap: (gap: NonNullable<BuildPlan['gap']>) => this.#history?.fill(gap) ?? false,
    }
    const reads = {
      followed: (most: number) => this.#server?.followedMints(most) ?? [],
      asked: () => this.#wired.answers.unseen.mints(),
    }
    this.#feeds = await makeFeeds(this.#config, engine, this.#counters, reports, time, reads)
    if (this.#replica !== null) this.#feeds.main.push(this.#replica)
    if (this.#config.spins) this.#awake.start()
    const { url, wsUrl, port } = this.#server ?? {}
    // Told at every level: with PORT=0 nothing else says where the service is.
    const level = this.#log.level === 'silent' ? 'silent' : 'info'
    this.#log.child({}, { level }).info({ url, ws: wsUrl, port }, 'ready')
  }

  /** How the service as it is now is kept. */
  #durable(service: Service, folder: string): Parameters<typeof Durability.open>[0] {
    return {
      ...{ config: this.#config, folder, service, log: this.#log },
      ...(this.#replica === null ? {} : { stream: this.#replica.stream }),
      onFailure: () => this.#stopFeeds(),
      ...(folder === this.#config.dataDir && {
        onLocked: () => this.#isRecovered || this.#alerts.beginRecovery(),
        beforeSnapshot: () => this.#alerts.sync(),
      }),
      onSeeding: (sentence) => {
        this.#seeding = sentence
      },
      onDiskCall: (call, startMs) => this.#steps.note(`disk ${call}`, startMs),
    }
  }

  #newService(): Service {
    return new Service(this.#config, (reason) => this.#failed(reason), this.#clock.nowMs)
  }

  async #newReplica(): Promise<Replica | null> {
    const { stream: setting, dataDir: folder } = this.#config
    if (setting === null || folder === null) return null
    const { Replica } = await import('./replica.ts')
    return new Replica({
      ...{ config: this.#config, setting, folder, log: this.#log },
      onState: (sentence) => {
        this.#seeding = sentence
      },
      newService: () => this.#newService(),
      durable: (service, of) => this.#durable(service, of),
      live: () => {
        if (this.#durability === null) throw new Error('the stream is followed after the recovery')
        return { service: this.#service, durability: this.#durability }
      },
      take: ({ service, durability }) =>
        this.#replace(service, durability, 'another copy of the stream is served'),
    })
  }

  #historyBuilds(): HistoryBuilds | null {
    const { dataDir: folder, stream } = this.#config
    if (folder === null || stream !== null) return null
    return new HistoryBuilds({
      ...{ config: this.#config, folder, log: this.#log, nowMs: this.#clock.nowMs },
      live: () => this.#durability && { service: this.#service, durability: this.#durability },
      take: ({ service, durability }) => this.#replace(service, durability, 'the history is in'),
      onDiskCall: (call, startMs) => this.#steps.note(`disk ${call}`, startMs),
      onFailure: (reason) => this.#failed(reason),
    })
  }

  /** The service that has what was missing takes the place of the one without, in one turn of the loop. */
  #replace(service: Service, by: Durability, what: string): void {
    const { dataDir } = this.#config
    const before = this.#durability
    if (before === null || dataDir === null) return
    this.#alerts.look()
    this.#service = service
    this.#intakeLog.use(service)
    try {
      this.#durability = Durability.replaced(this.#durable(service, dataDir), before, by)
    } catch (error) {
      // The next start goes on with it.
      this.#feedFailure = `The history could not take its place (${messageOf(error)}): start anew.`
      this.#failed(this.#feedFailure)
      return
    }
    service.steps = this.#steps
    service.engine.complete.look()
    this.#epoch = this.#durability.epoch
    this.#wired.use(service.engine)
    this.#alerts.use(service.engine, this.#epoch)
    this.#server?.renew()
    this.#log.info({ epoch: this.#epoch, seq: service.engine.seq }, what)
  }

  /** No event is taken any more. */
  #failed(reason: string | null): void {
    if (reason !== null) this.#log.error({ reason }, 'no more events are taken')
    this.#stopFeeds()
  }

  /** Runs the feeds; resolves when all have ended. */
  async runFeeds(): Promise<void> {
    const feeds = this.#feeds
    if (feeds === null) throw new Error('feeds run after the recovery')
    if (this.#running.takesNoMore) return
    await this.#running.run(feeds.main, feeds.side)
    this.#intakeLog.sumUp()
  }

  /** Stops in order: feeds, sockets, journal, a last snapshot. */
  async drain(): Promise<void> {
    this.#isDraining = true
    this.#awake.stop()
    this.#stopFeeds()
    this.#intakeLog.sumUp()
    this.#labelFile?.stop()
    await this.#server?.stop()
    await this.#history?.stop()
    await this.#durability?.close()
    this.#alerts.close()
    await this.#admin?.stop()
  }

  /** What DATA_DIR holds after the drain, for the last line of the log. */
  stored(): object {
    return this.#durability?.stored() ?? NOTHING_STORED
  }

  #keepTime(): void {
    this.#clockReports.standStill(this.#service.clockReason)
    try {
      this.#service.tick()
      this.#service.engine.complete.look()
      // A fault of the program: the service has logged it too.
      this.#history?.look().catch((error) => this.#failed(messageOf(error)))
    } catch {
      // A fault of the program: the service has logged it and takes no more events; reads go on.
    }
    this.#alerts.look()
    this.#intakeLog.look()
  }

  /** New connections get the certificate of the files as they are now; throws an Error of one sentence. */
  #changeTls(tls: TlsFiles): string {
    const endsAt = checkTlsFiles(tls)
    this.#server?.changeTls(tls)
    this.#tlsEndsAt = endsAt
    return `New connections get the certificate that ends ${new Date(endsAt * 1000).toISOString()}.`
  }

  #feedFailed({ name: feed }: Feed, error: unknown): void {
    this.#feedFailure ??= `The feed ${feed} has failed (${String(error)}).`
    const stack = error instanceof Error ? error.stack : undefined
    this.#log.error({ feed, reason: String(error), stack }, 'feed failed')
  }

  #stopFeeds(): void {
    this.#running.stop()
    // It may wait for NATS before it is one of them.
    this.#replica?.stop()
  }

  /** The reason for the public port: without paths. */
  #notReadyShown(): string | null {
    const { dataDir, feeds } = this.#config
    const files = feeds.flatMap((feed) => (feed.kind === 'replay' ? [feed.file] : []))
    const reason = this.#notReady()
    return reason === null ? null : redactPaths(reason, dataDir, files)
  }

  #notReady(): string | null {
    // A start that failed drains too.
    if (!this.#isRecovered && this.#isDraining) return STOPPING
    if (!this.#isRecovered)
      return this.#seeding ?? 'The state before the last stop is being recovered.'
    if (this.#feeds === null) return 'The feeds are about to start.'
    const { failure, historyLimit, clockReason, tokenLimit } = this.#service
    const stopped = this.#durability?.failure?.message ?? failure ?? historyLimit.reason
    const held = this.#config.clock === 'event' ? null : this.#clock.heldReason
    const reason = stopped ?? clockReason ?? tokenLimit.reason ?? held
    if (reason !== null) return reason
    if (this.#feedFailure !== null) return this.#feedFailure
    if (this.#isDraining) return STOPPING
    if (this.#isCatchingUp()) return 'A replay is still being read.'
    return this.#running.notLive
  }

  /** Replays at full speed hold readiness back until they are done (contract section 7). */
  #isCatchingUp(): boolean {
    return this.#config.speed === 'max' && this.#running.isReplaying
  }

  /** Counters of feeds and of the intake. */
  #feedFigures(): Readonly<Record<string, number>> {
    return {
      ...this.#service.figures(),
      ...totals(this.#counters, 'feed_'),
      ...this.#running.figures(),
    }
  }

  #figures(): Readonly<Record<string, number>> {
    const durability = this.#durability
    return {
      ...memoryFigures([
        ...this.#service.memory,
        ...this.#wired.memory,
        ...this.#alerts.memory,
        ...(durability === null ? [] : durability.memory),
      ]),
      ...this.#feedFigures(),
      ...durability?.figures(),
      ...this.#history?.figures(),
      ...this.#alerts.figures(),
      ...this.#processFigures.read(),
      ...this.#stalls.figures(),
      ...(this.#tlsEndsAt === null ? {} : { tls_certificate_ends_seconds: this.#tlsEndsAt }),
    }
  }
}
