import type { HttpResponse } from 'uWebSockets.js'
import { setTimeout as sleep } from 'node:timers/promises'
import type { RequestError } from '../protocol/errors.ts'
import { type AdmissionParts, admit } from './http/admission.ts'
import { corsHeaders } from './http/cors.ts'
import { DamageLines } from './http/damage-lines.ts'
import { Exchange, type ExchangeContext } from './http/exchange.ts'
import { httpFront } from './http/front.ts'
import { positionHeaders } from './http/front-replies.ts'
import { httpCounters } from './http/http-counters.ts'
import { metricsText } from './http/metrics-text.ts'
import type { RunningServer, ServerOptions } from './http/options.ts'
import { type Readiness, readinessOf } from './http/readiness.ts'
import { errorReply } from './http/reply.ts'
import type { ServerRequest } from './http/request.ts'
import { ResponseCache } from './http/response-cache.ts'
import { responseWriter } from './http/response-writer.ts'
import { type Route, routerOf } from './http/router.ts'
import { LiveGate } from './live/connection/live-gate.ts'
import { EventStreams, eventStreamRoute } from './live/event-streams.ts'
import { LiveFeed } from './live/feed.ts'
import { LastTables } from './live/hub/last-tables.ts'
import { Deadlines } from './load/deadlines.ts'
import * as limits from './load/limits.ts'
import { LoopScheduler } from './load/loop-scheduler.ts'
import { type RateLimiter, rateLimiter } from './load/rate-limiter.ts'
import { apiRoutes } from './routes/api-routes.ts'
import { cachedChart } from './routes/chart-cache.ts'
import { dashboardRoutes } from './routes/dashboard-routes.ts'
import { documentRoutes, feedRoutes, systemRoutes } from './routes/system-routes.ts'
import { tokenReadRoutes, withCursors } from './routes/token-routes.ts'
import { udfRoutes } from './routes/udf-routes.ts'
import { Apps } from './sockets/apps.ts'
import { type ClientAddresses, clientAddresses } from './sockets/client-address.ts'
import { NewSockets } from './sockets/new-sockets.ts'

const DEFAULT_LIVE_TIMES = { pingMs: limits.PING_MS, silenceMs: limits.SILENCE_MS }

/** Characters of a name that an event line may give a mint or a wallet (docs/feeds.md). */
const NAME_CHARACTERS_MAX = 64

/** The parts of one server, before it listens. */
interface Parts {
  readonly apps: Apps
  readonly live: LiveFeed
  readonly eventStreams: EventStreams
  readonly context: ExchangeContext
  readonly metrics: () => Promise<string>
  readonly readiness: () => Readiness
  /** Set when the server stops: answers then close their connections. */
  readonly stopping: { isStopping: boolean }
}

/**
 * Starts the HTTP API and the live feed on one port. Rejects with an Error of one sentence when
 * the port or the address cannot be had or `trustProxy` holds something else than addresses.
 */
export async function startServer(options: ServerOptions): Promise<RunningServer> {
  const parts = assemble(options, clientAddresses(options.trustProxy))
  let port: number
  try {
    port = await parts.apps.listen(options.host, options.port)
  } catch (error) {
    stopLive(parts)
    throw error
  }
  const authority = `${options.host.includes(':') ? `[${options.host}]` : options.host}:${port}`
  let stopped: Promise<void> | null = null
  return {
    url: `http${options.tls ? 's' : ''}://${authority}`,
    wsUrl: `ws${options.tls ? 's' : ''}://${authority}/ws`,
    port,
    metrics: parts.metrics,
    readiness: parts.readiness,
    changeTls: (tls) => parts.apps.changeTls(tls),
    stop() {
      stopped ??= stopServer(parts)
      return stopped
    },
  }
}

function assemble(options: ServerOptions, addresses: ClientAddresses): Parts {
  const bounds = { ...limits.DEFAULT_LIMITS, ...options.limits }
  const newSockets = new NewSockets(bounds, addresses)
  const apps = new Apps(options.tls ?? null, bounds.sockets, newSockets)
  const stopping = { isStopping: false }
  const { position, onStep = () => {} } = options
  const context: ExchangeContext = {
    writer: responseWriter(options.corsOrigin, () => {
      if (stopping.isStopping) return 'service stops'
      return apps.areScarce ? 'sockets are scarce' : null
    }),
    http: httpCounters(),
    log: options.log,
    onStep,
    damage: new DamageLines(options.log),
    // Before the state is there its epoch is not known and its seq climbs from 0.
    positionHeaders: () =>
      position === undefined || options.state.isStarting() ? [] : positionHeaders(position),
    open: new Deadlines(),
  }
  // While the state is being recovered nobody knows what the feeds told.
  const isKnownAddress = (text: string) =>
    !options.state.isStarting() && options.answers.isKnownAddress(text)
  // Requests are answered 503 meanwhile, streams are held and judged again when they begin.
  const mayBeNamed = (text: string) =>
    options.state.isStarting() ? mayBeName(text) : options.answers.isKnownAddress(text)
  // The feed comes first: uWebSockets.js tries its handlers in the order they were set.
  const lastTables = new LastTables()
  const turns = new LoopScheduler()
  const live = new LiveFeed({
    app: apps,
    lastTables,
    gate: new LiveGate(bounds),
    limits: bounds,
    turns,
    addresses,
    corsOrigin: options.corsOrigin,
    log: options.log,
    onStep,
    source: options.live,
    streams: options.streams,
    answers: options.answers,
    isKnownAddress,
    isStarting: () => options.state.isStarting(),
    times: options.liveTimes ?? DEFAULT_LIVE_TIMES,
    refuse: upgradeRefusal({ turns, routeDeadlineMs: bounds.routeDeadlineMs }, context),
  })
  const { answers, reads, clock } = options
  const chart = cachedChart(answers, clock)
  const specified = apiRoutes(answers, chart, lastTables)
  const eventStream = eventStreamRoute(mayBeNamed)
  const api = [
    ...specified.map((route) => (route.name === 'swaps' ? withCursors(route, reads) : route)),
    ...tokenReadRoutes(reads),
    ...udfRoutes(answers, reads, chart),
    eventStream,
  ]
  const limiters = limitersOf(api, options)
  const kept = new ResponseCache({
    version: () => answers.version(),
    maxBytes: bounds.answerCacheBytes,
    isChecked: options.checksCache ?? false,
  })
  const figures = () => ({
    ...live.figures(),
    ...eventStreams.figures(),
    ...apps.figures(),
    ...context.http.figures(),
    ...context.writer.figures(),
    ...kept.figures(),
    ...turns.figures(),
    ...options.state.figures(),
  })
  const metrics = () => metricsText(context.http, figures())
  const { state } = options
  const readiness = () => readinessOf(state.notReady(), figures(), state.notice?.() ?? null)
  const system = systemRoutes(readiness, metrics)
  const { dashboard } = options
  const documents = [
    ...documentRoutes(options.documents ?? []),
    ...(dashboard === undefined ? [] : dashboardRoutes(dashboard)),
  ]
  const front = httpFront({
    router: routerOf([...api, ...system, ...documents, ...feedRoutes]),
    addresses,
    limiters,
    clock: options.clock,
    state: options.state,
    isKnownAddress: mayBeNamed,
    kept,
    bodyDeadlineMs: bounds.bodyDeadlineMs,
    routeDeadlineMs: bounds.routeDeadlineMs,
    context,
    turns,
  })
  const eventStreams = new EventStreams({
    feed: live,
    context,
    addresses,
    turns,
    routeDeadlineMs: bounds.routeDeadlineMs,
    limiter: limiters.get(eventStream.name),
    clock,
    state: options.state,
    isKnownAddress: mayBeNamed,
    headers: corsHeaders(options.corsOrigin),
  })
  apps.get(eventStream.path, (res, req) => eventStreams.handle(res, req))
  apps.any('/*', front)
  return { apps, live, eventStreams, context, metrics, readiness, stopping }
}

/** Could an event line name this? The rule while the service starts and no address is known. */
function mayBeName(text: string): boolean {
  return text.length <= NAME_CHARACTERS_MAX && text.trim() !== ''
}

function limitersOf(
  routes: readonly Route[],
  { rateLimit }: ServerOptions,
): ReadonlyMap<string, RateLimiter> {
  if (rateLimit === null) return new Map()
  const { limit, windowMs } = rateLimit
  return new Map(
    routes.map(({ name, limitTimes = 1 }) => [
      name,
      rateLimiter({ limit: limit * limitTimes, windowMs }),
    ]),
  )
}

function upgradeRefusal(
  parts: AdmissionParts,
  context: ExchangeContext,
): (res: HttpResponse, request: ServerRequest, error: RequestError) => void {
  return (res, request, error) => {
    const exchange = new Exchange(context, res, request)
    exchange.routeName = 'feed'
    admit(parts, exchange, () => errorReply(error))
  }
}

function stopLive({ live, eventStreams }: Parts): void {
  live.stop()
  eventStreams.stop()
}

async function stopServer(parts: Parts): Promise<void> {
  parts.stopping.isStopping = true
  parts.apps.stopListening()
  const hadConnections = parts.live.connectionCount > 0
  stopLive(parts)
  const closedAtMs = performance.now()
  const { open, writer } = parts.context
  const isBusy = () => open.size + writer.unfinished > 0
  while (isBusy() && performance.now() - closedAtMs < limits.STOP_REQUESTS_MS) {
    await sleep(limits.STOP_POLL_MS)
  }
  const flushedForMs = performance.now() - closedAtMs
  if (hadConnections) await sleep(Math.max(0, limits.STOP_CLOSE_FRAMES_MS - flushedForMs))
  parts.apps.close()
}
