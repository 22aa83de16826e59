/**
 * The program: reads the configuration, starts the feeds, serves, and drains on SIGTERM or SIGINT.
 * The only file that names every ring.
 */
import { randomUUID } from 'node:crypto'
import { pino } from 'pino'
import { type Config, ConfigError, readConfig } from './base/config.ts'
import type { Feed } from './engine/event-sink.ts'
import { checkFeeds, makeFeeds } from './feed-list.ts'
import { newFeedCounters } from './feeds/feed-counters.ts'
import { boundedLineReport } from './feeds/lines/line-report.ts'
import { ProcessFigures } from './process-figures.ts'
import type { RunningServer } from './server/options.ts'
import { JSON_TYPE } from './server/reply.ts'
import { startServer } from './server/server.ts'
import { Service } from './service.ts'
import { EngineAnswers } from './wire/engine-answers.ts'
import { EngineLive } from './wire/engine-live.ts'
import { docsHtml, openApiJson } from './wire/openapi/documents.ts'

type Logger = ReturnType<typeof pino>

/** Exit code of a start that the user has to mend: a bad flag, value, file or port. */
const EXIT_USAGE = 2

function makeLog(level: string): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  if (!process.stderr.isTTY) return pino(options, pino.destination({ dest: 2, sync: true }))
  const target = { target: 'pino-pretty', options: { destination: 2, ignore: 'pid,hostname' } }
  return pino({ ...options, transport: target })
}

function usageError(message: string): never {
  process.stderr.write(`mintfeed: ${message}\n`)
  process.exit(EXIT_USAGE)
}

function configOrExit(): Config {
  try {
    const config = readConfig(process.argv.slice(2), process.env)
    checkFeeds(config.feeds)
    return config
  } catch (error) {
    if (error instanceof ConfigError) usageError(error.message)
    throw error
  }
}

/** Replays at full speed hold readiness back until they are done (contract section 7). */
function isCatchingUp(config: Config, running: ReadonlySet<Feed>): boolean {
  return config.speed === 'max' && [...running].some((feed) => feed.name.startsWith('replay:'))
}

async function run(): Promise<void> {
  const config = configOrExit()
  const log = makeLog(config.logLevel)
  const service = new Service(config)
  const counters = newFeedCounters()
  const processFigures = new ProcessFigures()
  const badLines = boundedLineReport((line, reason) => log.warn({ line, reason }, 'line skipped'))
  const feeds = makeFeeds(config, service, counters, badLines.report)
  const running = new Set(feeds)
  let server: RunningServer
  try {
    server = await startServer({
      host: config.host,
      port: config.port,
      answers: new EngineAnswers(service.engine, () => service.tick()),
      live: new EngineLive(service.engine),
      documents: [
        { path: '/openapi.json', contentType: JSON_TYPE, body: openApiJson() },
        { path: '/docs', contentType: 'text/html; charset=utf-8', body: docsHtml() },
      ],
      // Nothing is kept over a restart, so every start begins a stream of its own.
      position: { epoch: randomUUID(), seq: () => service.engine.seq },
      state: {
        isStarting: () => false,
        notReady: () => (isCatchingUp(config, running) ? 'a replay is still being read' : null),
        figures: () => ({
          ...service.figures(),
          ...feedFigures(counters),
          ...processFigures.read(),
        }),
      },
      clock: Date.now,
      rateLimit: config.rateLimit,
      trustProxy: config.trustProxy,
      corsOrigin: config.corsOrigin,
      log,
    })
  } catch (error) {
    usageError(error instanceof Error ? error.message : String(error))
  }
  drainOnSignals(server, feeds, log)
  log.info({ url: server.url, ws: server.wsUrl, port: server.port }, 'ready')
  const ended = feeds.map((feed) => runFeed(feed, service, running, log))
  await Promise.all(ended)
  const leftOut = badLines.summary()
  if (leftOut !== null) log.warn({}, leftOut)
}

async function runFeed(
  feed: Feed,
  service: Service,
  running: Set<Feed>,
  log: Logger,
): Promise<void> {
  log.info({ feed: feed.name }, 'feed started')
  try {
    await feed.start(service)
    log.info({ feed: feed.name, ...service.engine.counts }, 'feed ended')
  } catch (error) {
    log.error({ feed: feed.name, reason: String(error) }, 'feed failed')
  }
  running.delete(feed)
}

function feedFigures(counters: object): Record<string, number> {
  const named = Object.entries(counters).map(([name, value]) => [
    `feed_${name.replace(/[A-Z]/g, (letter) => `_${letter.toLowerCase()}`)}_total`,
    Number(value),
  ])
  return Object.fromEntries(named)
}

function drainOnSignals(server: RunningServer, feeds: readonly Feed[], log: Logger): void {
  let isDraining = false
  const drain = (signal: NodeJS.Signals) => {
    if (isDraining) return
    isDraining = true
    log.info({ signal }, 'draining')
    for (const feed of feeds) feed.stop()
    server.stop().then(
      () => process.exit(0),
      () => process.exit(1),
    )
  }
  process.on('SIGTERM', drain)
  process.on('SIGINT', drain)
}

await run()
