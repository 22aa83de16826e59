/**
 * `server/admin` is the operator's surface: metrics, health, profiles and orders on a port of its own. In: reads and
 * orders of the service (`AdminSource`). Out: answers by node:http, since long requests and large streams must not
 * meet the API's sockets. Invariant: a request has the token, or comes from a program of this machine.
 */

import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import { Session } from 'node:inspector/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSnapshot, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import type { Surface } from '../../config/surface.ts'
import type { Log } from '../http/exchange.ts'
import { METRICS_TYPE } from '../metrics/metrics.ts'
import { whyNotListening } from '../sockets/apps.ts'
import {
  type AdminRoute,
  headOf,
  JSON_TYPE,
  send,
  sendJson,
  sendJsonText,
  sendText,
} from './admin-answers.ts'
import { type AlertsPort, alertRoutes } from './alert-routes.ts'
import { type SeedPort, seedRoutes } from './seed-routes.ts'

const MS_PER_S = 1000
/** Times of the admin surface; only a profile takes longer, as long as it was asked for. */
const HEADERS_TIMEOUT_MS = 5000
const REQUEST_TIMEOUT_MS = 10_000
/** How often connections are held against these times; Node would look every 30 s. */
const CHECK_EVERY_MS = 1000
/** Connections at once: an operator and a scraper or two. */
const MAX_ADMIN_CONNECTIONS = 64
/** How long a profile takes when nothing else is asked for. */
const DEFAULT_PROFILE_S = '5'
/** Host headers of this machine: a page that has its own name point here sends that name. */
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i
/** The name of a scheme may be in any case (RFC 9110, 11.1). */
const BEARER = /^Bearer (.*)$/i
/** `sec-fetch-site` of requests that no other page made: frames, windows and links send no Origin. */
const OF_THE_OPERATOR: readonly unknown[] = [undefined, 'none', 'same-origin']

/** Reads and orders of the service. */
export interface AdminSource {
  metrics(): Promise<string>
  /** The newest stalls of the loop, each a flat object. */
  stalls(): readonly object[]
  /** Whether the service is ready, as on the public port; the reason may name files. */
  readiness(): { readonly statusCode: 200 | 503; readonly fields: object }
  /** Resolves with the result in one sentence; null without a data folder. */
  readonly snapshot: (() => Promise<string>) | null
  /** What a new instance may take; null without a data folder, or while the service starts. */
  readonly seed: (() => SeedPort | null) | null
  /** Absent: it has no alerts. */
  readonly alerts?: AlertsPort
  /** Reads the TLS files again; returns one sentence, throws an Error of one. Null: plain HTTP. */
  readonly reloadTls: (() => string) | null
}

interface AdminOptions extends NonNullable<Surface['admin']> {
  readonly source: AdminSource
  readonly log: Log
}

/** The admin surface while it listens. */
export interface RunningAdmin {
  readonly port: number
  stop(): Promise<void>
}

/**
 * Starts the admin surface. Rejects with an Error of one sentence
 * when the port cannot be had.
 */
export async function startAdmin(options: AdminOptions): Promise<RunningAdmin> {
  const routes = adminRoutes(options.source)
  // An import of it reads all its exports when the program starts, one of which loads what fetch needs.
  const { createServer } = process.getBuiltinModule('node:http')
  const times = { connectionsCheckingInterval: CHECK_EVERY_MS }
  const server = createServer(times, (request, response) => {
    answer(options, routes, request, response).catch((error: unknown) => {
      options.log.error({ reason: String(error) }, 'an admin request failed')
      if (response.headersSent) response.destroy()
      else sendText(response, 500, 'It failed; the log says why.')
    })
  })
  server.headersTimeout = HEADERS_TIMEOUT_MS
  server.requestTimeout = REQUEST_TIMEOUT_MS
  server.maxConnections = MAX_ADMIN_CONNECTIONS
  await listening(server, options)
  const address = server.address()
  return {
    port: typeof address === 'object' && address !== null ? address.port : 0,
    stop: () =>
      new Promise((resolve) => {
        server.close(() => resolve())
        server.closeAllConnections()
      }),
  }
}

async function answer(
  options: AdminOptions,
  routes: readonly AdminRoute[],
  request: IncomingMessage,
  response: ServerResponse,
): Promise<void> {
  const drop = () => void request.resume()
  if (refuseStranger(request, response, options.token)) return drop()
  const notFound = () => {
    drop()
    sendText(response, 404, listOf(routes))
  }
  const url = URL.parse(request.url ?? '/', 'http://admin')
  if (url === null) return notFound()
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const paths = routes.filter(({ path }) => path === url.pathname || isBelow(path, url.pathname))
  if (paths.length === 0) return notFound()
  const route = paths.find((candidate) => candidate.method === method)
  if (route === undefined) {
    drop()
    const allowed = paths.map((path) => path.method).join(', ')
    return sendText(response, 405, `${url.pathname} takes ${allowed}.`, { Allow: allowed })
  }
  if (route.takesBody !== true) drop()
  const seconds = secondsOf(url)
  if (seconds === null) return sendText(response, 400, 'seconds must be an integer from 1 to 60.')
  await route.answer(response, seconds, request)
}

/** A path that ends with a slash is that of all that stand below it. */
function isBelow(path: string, asked: string): boolean {
  return path.endsWith('/') && asked.startsWith(path)
}

function secondsOf(url: URL): number | null {
  const text = url.searchParams.get('seconds') ?? DEFAULT_PROFILE_S
  return /^([1-9]|[1-5]\d|60)$/.test(text) ? Number(text) : null
}

function listOf(routes: readonly AdminRoute[]): string {
  return routes.map(({ method, path, meaning }) => `${method} ${path}  ${meaning}`).join('\n')
}

function listening(server: Server, { host, port }: AdminOptions): Promise<void> {
  return new Promise((resolve, reject) => {
    server.once('error', (error) => {
      const why = whyNotListening(error, 'ADMIN_PORT')
      reject(new Error(`Cannot listen on ADMIN_PORT ${host}:${port}: ${why}.`))
    })
    server.listen({ host, port }, resolve)
  })
}

/**
 * Refuses a request that may not be answered; false when it may. With a token every request has to carry it.
 * Without one the surface is on loopback, where a web page could reach it through the operator's
 * browser: so requests that a page sent, or that call this machine by another name, are refused.
 */
function refuseStranger(
  request: IncomingMessage,
  response: ServerResponse,
  token: string | null,
): boolean {
  if (token !== null) {
    const given = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (isSame(given, token)) return false
    const message = 'Send Authorization: Bearer <ADMIN_TOKEN>.'
    sendText(response, 401, message, { 'WWW-Authenticate': 'Bearer' })
    return true
  }
  if (!isFromPage(request) && LOCAL_HOST.test(request.headers.host ?? '')) return false
  sendText(response, 403, 'Without ADMIN_TOKEN only programs of this machine are answered.')
  return true
}

function isFromPage({ headers }: IncomingMessage): boolean {
  const isOfPage = !OF_THE_OPERATOR.includes(headers['sec-fetch-site'])
  return isOfPage || headers.origin !== undefined || headers['sec-fetch-mode'] === 'no-cors'
}

/** Compares in a time that does not tell how much is equal. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}

function adminRoutes(source: AdminSource): readonly AdminRoute[] {
  return [
    ...[...readRoutes(source), ...profileRoutes(), ...orderRoutes(source)],
    ...[...alertRoutes(source), ...seedRoutes(source)],
  ]
}

function readRoutes(source: AdminSource): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/metrics',
      meaning: 'Prometheus text',
      answer: async (response) => send(response, 200, METRICS_TYPE, await source.metrics()),
    },
    {
      method: 'GET',
      path: '/stalls',
      meaning: 'the newest stalls of the loop, with what the thread did in each',
      answer: (response) => sendJson(response, 200, source.stalls()),
    },
    {
      method: 'GET',
      path: '/healthz',
      meaning: 'the process answers',
      answer: (response) => sendJson(response, 200, { status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      meaning: 'the service is ready, or why not',
      answer: (response) => {
        const { statusCode, fields } = source.readiness()
        sendJson(response, statusCode, fields)
      },
    },
  ]
}

function profileRoutes(): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/profiles/cpu',
      meaning: 'where time goes for ?seconds=5, a .cpuprofile',
      answer: async (response, seconds) => sendJsonText(response, 200, await cpuProfile(seconds)),
    },
    {
      method: 'GET',
      path: '/profiles/heap',
      meaning: 'who allocates for ?seconds=5, a .heapprofile',
      answer: async (response, seconds) => sendJsonText(response, 200, await heapProfile(seconds)),
    },
    {
      method: 'GET',
      path: '/profiles/heap-snapshot',
      meaning: 'the whole heap, a .heapsnapshot; everything stands still while it is made',
      answer: (response) => {
        response.writeHead(200, headOf(JSON_TYPE))
        return pipeline(getHeapSnapshot(), response)
      },
    },
  ]
}

function orderRoutes({ snapshot, reloadTls }: AdminSource): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/snapshot',
      meaning: 'has a snapshot made now',
      answer: async (response) => {
        if (snapshot === null) return sendJson(response, 409, { message: 'DATA_DIR is none.' })
        sendJson(response, 200, { message: await snapshot() })
      },
    },
    {
      method: 'POST',
      path: '/collect',
      meaning: 'collects all garbage now; everything stands still for some tens of milliseconds',
      answer: (response) => {
        collectGarbage()
        sendJson(response, 200, { message: 'Collected.' })
      },
    },
    {
      method: 'POST',
      path: '/tls/reload',
      meaning: 'reads TLS_CERT and TLS_KEY again',
      answer: (response) => {
        if (reloadTls === null) return sendJson(response, 409, { message: 'TLS_CERT is not set.' })
        try {
          sendJson(response, 200, { message: reloadTls() })
        } catch (error) {
          if (!(error instanceof Error)) throw error
          sendJson(response, 409, { message: error.message })
        }
      },
    },
  ]
}

let gc: (() => void) | null = null

/** Collects all garbage of V8's heap; memory that it held outside of the heap follows a moment later. */
export function collectGarbage(): void {
  gc ??= madeCollector()
  gc()
}

/** V8 shows its collector to contexts that are made while the flag is set. */
function madeCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const made: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof made !== 'function') throw new Error('V8 does not show its collector')
  return () => void made()
}

/** Sampled call stacks of so many seconds, as the JSON text that browsers' tools open. */
async function cpuProfile(seconds: number): Promise<string> {
  return withSession(async (session) => {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await sleep(seconds * MS_PER_S)
    const { profile } = await session.post('Profiler.stop')
    return JSON.stringify(profile)
  })
}

/** Sampled allocations of so many seconds that were still alive at the end. */
async function heapProfile(seconds: number): Promise<string> {
  return withSession(async (session) => {
    await session.post('HeapProfiler.startSampling')
    await sleep(seconds * MS_PER_S)
    const { profile } = await session.post('HeapProfiler.stopSampling')
    return JSON.stringify(profile)
  })
}

async function withSession(work: (session: Session) => Promise<string>): Promise<string> {
  const session = new Session()
  session.connect()
  try {
    return await work(session)
  } finally {
    session.disconnect()
  }
}
