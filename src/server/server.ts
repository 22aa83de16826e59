/**
 * `server` composes its rooms: sockets, load, http, routes and live. In: the ports of `protocol` (queries, live
 * streams, the service's state) and settings. Out: a port that listens. Invariant: the server never imports the engine.
 */

import { setTimeout as sleep } from 'node:timers/promises'
import { type AdjustableLimits, readSurface, SURFACE_DEFAULTS } from '../config/surface.ts'
import type {
  LiveSource,
  LiveStreams,
  Queries,
  ServiceState,
  TokenReads,
} from '../protocol/queries.ts'
import {
  DamageLines,
  Deadlines,
  Exchange,
  type ExchangeContext,
  type Log,
  type OnStep,
} from './http/exchange.ts'
import { httpFront, type Route, Router } from './http/front.ts'
import { innerCalls } from './http/inner-calls.ts'
import { PositionWaits } from './http/position-waits.ts'
import { errorReply, type Header, NO_HEADERS, type StaticDocument } from './http/reply.ts'
import { ResponseCache } from './http/response-cache.ts'
import { commonHeaders, ResponseWriter } from './http/response-writer.ts'
import { LiveGate } from './live/connection/live-gate.ts'
import { EventStreams, eventStreamRoute } from './live/event-streams.ts'
import { LiveFeed, type LiveTimes } from './live/feed.ts'
import { LastTables } from './live/hub/last-tables.ts'
import { LoopScheduler } from './load/loop-scheduler.ts'
import { type RateLimit, RateLimiter } from './load/rate-limiter.ts'
import { HttpCounters, metricsText } from './metrics/metrics.ts'
import { apiRoutes } from './routes/api-routes.ts'
import { cachedChart } from './routes/chart-cache.ts'
import { type Dashboard, dashboardRoutes } from './routes/dashboard-routes.ts'
import { mcpRoute } from './routes/mcp-route.ts'
import { type Readiness, readinessOf, systemRoutes } from './routes/system-routes.ts'
import { udfRoutes } from './routes/udf-routes.ts'
import { Apps, NewSockets } from './sockets/apps.ts'
import { ClientAddresses } from './sockets/client-address.ts'
import type { TlsFiles } from './sockets/tls-files.ts'

/** Where a user sets none (docs/limits.md). */
const DEFAULT_LIMITS = readSurface(SURFACE_DEFAULTS).limits
/** A ping goes to every live connection this often (contract section 4). */
const PING_MS = 30_000
/** A connection that sent nothing for this long is closed with 4008 (contract section 4). */
const SILENCE_MS = 60_000
/** Running requests get this long to finish when the server stops. */
const STOP_REQUESTS_MS = 5000
/** Closed live connections get this long to read their close frame when the server stops. */
const STOP_CLOSE_FRAMES_MS = 200
/** Where nothing takes events. */
const NO_POSITION: NonNullable<ServerOptions['position']> = { epoch: () => '', seq: () => 0 }
/** Requests that wait for a position (`X-Mintfeed-Min-Seq`) at most, of all clients and of one. */
const MAX_POSITION_WAITS = 2_000
const MAX_POSITION_WAITS_PER_ADDRESS = 200
/** Messages of agents that wait or are being answered at most, of all clients and of one. */
const MAX_AGENT_MESSAGES = 1_000
const MAX_AGENT_MESSAGES_PER_ADDRESS = 100
/** How often a stopping server looks whether its requests are done. */
const STOP_POLL_MS = 10
/** Characters of a name that an event line may give a mint or a wallet (docs/feeds.md). */
const NAME_CHARACTERS_MAX = 64

export interface ServerOptions {
  readonly host: string
  /** 0 takes a free port. */
  readonly port: number
  readonly answers: Queries
  readonly live: LiveSource
  /** Numbers, replays and snapshots of live streams. */
  readonly streams: LiveStreams
  /** Reads beyond the specification's. */
  readonly reads: TokenReads
  readonly state: ServiceState
  /** Where the answers stand in the stream of events: headers of every answer of the API once the state is there. */
  readonly position?: {
    /** A new one for every start that does not go on where the last one stopped. */
    epoch(): string
    /** Events taken so far. */
    seq(): number
    /** Requests begin, or cease, to wait for a position: only between the two `folded` has to be called. */
    onWaiting?(isWaiting: boolean): void
  }
  /** Now in unix milliseconds, for rate limits and the chart's cache. */
  readonly clock: () => number
  /** Null: no limit. */
  readonly rateLimit: RateLimit | null
  /** Addresses or CIDRs whose X-Forwarded-For is believed. */
  readonly trustProxy: readonly string[]
  /** `*` or one origin. */
  readonly corsOrigin: string
  readonly log: Log
  /** Called for answers by their route, for messages and for rounds of the live feed. */
  readonly onStep?: OnStep
  /** Documents served beside the API, not rate limited. */
  readonly documents?: readonly StaticDocument[]
  /** The page at `/`; null: it is not built; absent: there is none. */
  readonly dashboard?: Dashboard | null
  /** `/mcp` answers agents; absent: it does not. */
  readonly hasMcp?: boolean
  /** Tests shorten them. */
  readonly liveTimes?: LiveTimes
  /** Absent: plain HTTP. Checked already (`checkTlsFiles`). */
  readonly tls?: TlsFiles
  /** Compare every cached answer with one made anew, which must be equal: for tests. */
  readonly checksCache?: boolean
  /** Absent ones are at their defaults. */
  readonly limits?: Partial<AdjustableLimits>
}

/** A server that listens. */
export interface RunningServer {
  /** Base address of the API, `http://host:port`. */
  readonly url: string
  /** Address of the live feed, `ws://host:port/ws`. */
  readonly wsUrl: string
  readonly port: number
  /** The text of `/metrics`. */
  metrics(): Promise<string>
  /** The answer of `/readyz`. */
  readiness(): Readiness
  /** Events were folded: requests that wait for their position go on. */
  folded(): void
  /** The numbers of all streams are others now: live connections are closed with 1012, and clients begin anew. */
  renew(): void
  /** Up to `most` mints whose trades are followed over live connections. */
  followedMints(most: number): readonly string[]
  /** New connections get this certificate; those there are stay. Throws when TLS is not spoken. */
  changeTls(tls: TlsFiles): void
  /**
   * Stops listening, lets running requests finish up to a bound, closes live connections with
   * 1012 and every other socket. A second call waits for the first.
   */
  stop(): Promise<void>
}

/** The parts of one server, before it listens. */
interface Parts {
  readonly apps: Apps
  readonly live: LiveFeed
  readonly eventStreams: EventStreams
  readonly waits: PositionWaits
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
  const parts = assemble(options, new ClientAddresses(options.trustProxy))
  let port: number
  try {
    port = await parts.apps.listen(options.host, options.port)
  } catch (error) {
    stopWaiting(parts)
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
    folded: () => parts.waits.reached(),
    renew() {
      parts.live.renew()
      parts.waits.reached(Number.POSITIVE_INFINITY)
    },
    followedMints: (most) => parts.live.followedMints(most),
    changeTls: (tls) => parts.apps.changeTls(tls),
    stop() {
      stopped ??= stopServer(parts)
      return stopped
    },
  }
}

function assemble(options: ServerOptions, addresses: ClientAddresses): Parts {
  const bounds = { ...DEFAULT_LIMITS, ...options.limits }
  const newSockets = new NewSockets(bounds, addresses)
  const apps = new Apps(options.tls ?? null, bounds.sockets, newSockets)
  const stopping = { isStopping: false }
  const { position = NO_POSITION, onStep = () => {} } = options
  const context: ExchangeContext = {
    writer: new ResponseWriter(options.corsOrigin, () => {
      if (stopping.isStopping) return 'service stops'
      return apps.areScarce ? 'sockets are scarce' : null
    }),
    http: new HttpCounters(),
    log: options.log,
    onStep,
    damage: new DamageLines(options.log),
    positionHeaders: positionHeaders(options),
    open: new Deadlines(),
  }
  // While the state is being recovered the addresses of the feeds are not known.
  const isKnownAddress = (text: string) =>
    !options.state.isStarting() && options.answers.isKnownAddress(text)
  // Requests are answered 503 meanwhile, streams are held and judged again when they begin.
  const mayBeNamed = (text: string) =>
    options.state.isStarting() ? mayBeName(text) : options.answers.isKnownAddress(text)
  // The feed comes first: uWebSockets.js tries its handlers in the order they were set.
  const lastTables = new LastTables()
  const turns = new LoopScheduler()
  const limits = { turns, routeDeadlineMs: bounds.routeDeadlineMs }
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
    times: options.liveTimes ?? { pingMs: PING_MS, silenceMs: SILENCE_MS },
    refuse: (res, request, error) => {
      const exchange = new Exchange(context, res, request)
      exchange.routeName = 'feed'
      exchange.admit(limits, () => errorReply(error))
    },
  })
  const { answers, reads, clock } = options
  const chart = cachedChart(answers, clock, () => position.seq())
  const eventStream = eventStreamRoute(mayBeNamed)
  const plain = apiRoutes(answers, reads, chart, lastTables, options.streams)
  const inner = new Router(plain)
  const agents = new LiveGate(
    { connections: MAX_AGENT_MESSAGES, connectionsPerAddress: MAX_AGENT_MESSAGES_PER_ADDRESS },
    'messages of agents that wait',
  )
  const mcp = mcpRoute((...asked) => call(...asked), options.corsOrigin, agents)
  const api = [
    ...plain,
    ...udfRoutes(answers, reads, chart),
    eventStream,
    ...(options.hasMcp === true ? [mcp] : []),
  ]
  const limiters = limitersOf(api, options)
  const cache = new ResponseCache(
    () => answers.version(),
    bounds.answerCacheBytes,
    options.checksCache,
  )
  const call = innerCalls({
    ...{ router: inner, limiters, clock, cache, turns, context },
    ...{ state: options.state, isKnownAddress: mayBeNamed },
    routeDeadlineMs: bounds.routeDeadlineMs,
  })
  const gate = new LiveGate(
    { connections: MAX_POSITION_WAITS, connectionsPerAddress: MAX_POSITION_WAITS_PER_ADDRESS },
    'requests that wait for a position',
  )
  const waits = new PositionWaits({ position, gate, limits })
  const figures = () => ({
    ...live.figures(),
    ...eventStreams.figures(),
    ...apps.figures(),
    ...context.http.figures(),
    ...context.writer.figures(),
    ...cache.figures(),
    ...turns.figures(),
    ...waits.figures(),
    ...options.state.figures(),
  })
  const metrics = () => metricsText(context.http, figures())
  const { state } = options
  const notice = () => state.notice?.() ?? null
  const readiness = () =>
    readinessOf(state.notReady(), figures(), notice(), state.replica?.() ?? null)
  const { dashboard, documents } = options
  const system = systemRoutes(readiness, metrics, documents)
  const page = dashboard === undefined ? [] : dashboardRoutes(dashboard)
  const front = httpFront({
    router: new Router([...api, ...system, ...page]),
    addresses,
    limiters,
    clock: options.clock,
    state: options.state,
    isKnownAddress: mayBeNamed,
    cache,
    waits,
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
    headers: commonHeaders(options.corsOrigin),
  })
  apps.get(eventStream.path, (res, req) => eventStreams.handle(res, req))
  apps.any('/*', front)
  return { apps, live, eventStreams, waits, context, metrics, readiness, stopping }
}

/** Before the state is there its epoch is not known and its seq climbs from 0. */
function positionHeaders({ position, state }: ServerOptions): () => readonly Header[] {
  if (position === undefined) return () => NO_HEADERS
  let told = { seq: -1, epoch: '', headers: NO_HEADERS }
  return () => {
    if (state.isStarting()) return NO_HEADERS
    const seq = position.seq()
    const epoch = position.epoch()
    if (seq !== told.seq || epoch !== told.epoch) {
      const headers: readonly Header[] = [
        ['X-Mintfeed-Seq', String(seq)],
        ['X-Mintfeed-Epoch', epoch],
      ]
      told = { seq, epoch, headers }
    }
    return told.headers
  }
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
      new RateLimiter({ limit: limit * limitTimes, windowMs }),
    ]),
  )
}

function stopWaiting({ live, eventStreams, waits }: Parts): void {
  live.stop()
  eventStreams.stop()
  waits.stop()
}

async function stopServer(parts: Parts): Promise<void> {
  parts.stopping.isStopping = true
  parts.apps.stopListening()
  const hadConnections = parts.live.connectionCount > 0
  stopWaiting(parts)
  const closedAtMs = performance.now()
  const { open, writer } = parts.context
  const isBusy = () => open.size + writer.unfinished > 0
  while (isBusy() && performance.now() - closedAtMs < STOP_REQUESTS_MS) {
    await sleep(STOP_POLL_MS)
  }
  const flushedForMs = performance.now() - closedAtMs
  if (hadConnections) await sleep(Math.max(0, STOP_CLOSE_FRAMES_MS - flushedForMs))
  parts.apps.close()
}
