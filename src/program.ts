import { randomUUID } from 'node:crypto'
import { fileURLToPath } from 'node:url'
import type { pino } from 'pino'
import type { Config } from './base/config.ts'
import { Durability } from './durability.ts'
import type { Feed } from './engine/event-sink.ts'
import { makeFeeds } from './feed-list.ts'
import { newFeedCounters } from './feeds/feed-counters.ts'
import { boundedLineReport } from './feeds/lines/line-report.ts'
import { ProcessFigures } from './process-figures.ts'
import { readDashboard } from './server/dashboard-files.ts'
import type { RunningServer } from './server/options.ts'
import { JSON_TYPE } from './server/reply.ts'
import { startServer } from './server/server.ts'
import { Service } from './service.ts'
import { EngineService } from './wire/engine-service.ts'
import { asyncApiJson, openApiJson } from './wire/openapi/documents.ts'
import { docsHtml } from './wire/openapi/page.ts'

/** Where `npm run build` leaves the page. */
const DASHBOARD_FOLDER = fileURLToPath(new URL('../web/dist', import.meta.url))

export type Logger = ReturnType<typeof pino>

/** The running program: listen, recover, take events, drain. */
export class Program {
  readonly #config: Config
  readonly #log: Logger
  readonly #service: Service
  readonly #wired: EngineService
  readonly #counters = newFeedCounters()
  readonly #processFigures = new ProcessFigures()
  readonly #running = new Set<Feed>()
  #epoch = ''
  #isRecovered = false
  #server: RunningServer | null = null
  #durability: Durability | null = null

  constructor(config: Config, log: Logger) {
    this.#config = config
    this.#log = log
    this.#service = new Service(config, (reason) => {
      log.error({ reason }, 'no more events are taken')
      this.#stopFeeds()
    })
    const tick = () => this.#service.tick()
    this.#wired = new EngineService(this.#service.engine, tick, () => this.#epoch)
  }

  /**
   * Opens the port; the API answers 503 until the recovery is done.
   * @throws Error with one sentence when the port cannot be had
   */
  async listen(): Promise<void> {
    const { host, port, rateLimit, trustProxy, corsOrigin, hasDashboard } = this.#config
    const { engine } = this.#service
    this.#server = await startServer({
      host,
      port,
      ...this.#wired.ports,
      documents: [
        { path: '/openapi.json', contentType: JSON_TYPE, body: openApiJson() },
        { path: '/asyncapi.json', contentType: JSON_TYPE, body: asyncApiJson() },
        { path: '/docs', contentType: 'text/html; charset=utf-8', body: docsHtml() },
      ],
      position: { epoch: () => this.#epoch, seq: () => engine.seq },
      state: {
        isStarting: () => !this.#isRecovered,
        notReady: () => this.#notReady(),
        figures: () => this.#figures(),
      },
      clock: Date.now,
      rateLimit,
      trustProxy,
      corsOrigin,
      ...(hasDashboard ? { dashboard: readDashboard(DASHBOARD_FOLDER) } : {}),
      log: this.#log,
    })
  }

  /**
   * Brings back what DATA_DIR holds, then lets the API answer.
   * @throws StoreError with a sentence that says what to do
   */
  async recover(): Promise<void> {
    const { dataDir: folder } = this.#config
    if (folder !== null)
      this.#durability = await Durability.open({
        config: this.#config,
        folder,
        service: this.#service,
        log: this.#log,
        onFailure: () => this.#stopFeeds(),
      })
    this.#epoch = this.#durability?.epoch ?? randomUUID()
    this.#wired.attach()
    this.#isRecovered = true
    const { url, wsUrl, port } = this.#server ?? {}
    this.#log.info({ url, ws: wsUrl, port }, 'ready')
  }

  /** Runs the feeds; resolves when all have ended. */
  async runFeeds(): Promise<void> {
    const badLines = boundedLineReport((line, reason) =>
      this.#log.warn({ line, reason }, 'line skipped'),
    )
    const feeds = makeFeeds(this.#config, this.#service, this.#counters, badLines.report)
    for (const feed of feeds) this.#running.add(feed)
    await Promise.all(feeds.map((feed) => this.#runFeed(feed)))
    const leftOut = badLines.summary()
    if (leftOut !== null) this.#log.warn({}, leftOut)
  }

  /** Stops in order: feeds, sockets, journal, a last snapshot. */
  async drain(): Promise<void> {
    this.#stopFeeds()
    await this.#server?.stop()
    await this.#durability?.close()
  }

  async #runFeed(feed: Feed): Promise<void> {
    this.#log.info({ feed: feed.name }, 'feed started')
    try {
      await feed.start(this.#service)
      this.#log.info({ feed: feed.name, ...this.#service.engine.counts }, 'feed ended')
    } catch (error) {
      this.#log.error({ feed: feed.name, reason: String(error) }, 'feed failed')
    }
    this.#running.delete(feed)
  }

  #stopFeeds(): void {
    for (const feed of this.#running) feed.stop()
  }

  #notReady(): string | null {
    if (!this.#isRecovered) return 'The state before the last stop is being recovered.'
    const failure = this.#durability?.failure?.message ?? this.#service.failure
    if (failure !== null) return failure
    return this.#isCatchingUp() ? 'A replay is still being read.' : null
  }

  /** Replays at full speed hold readiness back until they are done (contract section 7). */
  #isCatchingUp(): boolean {
    const isReplaying = [...this.#running].some((feed) => feed.name.startsWith('replay:'))
    return this.#config.speed === 'max' && isReplaying
  }

  #figures(): Readonly<Record<string, number>> {
    return {
      ...this.#service.figures(),
      ...this.#durability?.figures(),
      ...feedFigures(this.#counters),
      ...this.#processFigures.read(),
    }
  }
}

function feedFigures(counters: object): Record<string, number> {
  const named = Object.entries(counters).map(([name, value]) => [
    `feed_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`,
    Number(value),
  ])
  return Object.fromEntries(named)
}
