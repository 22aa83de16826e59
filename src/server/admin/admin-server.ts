import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage, Server, ServerResponse } from 'node:http'
import type { Surface } from '../../config/surface.ts'
import type { Log } from '../http/options.ts'
import { whyNotListening } from '../sockets/apps.ts'
import { type AdminHeaders, sendText } from './admin-replies.ts'
import { type AdminRoute, type AdminSource, adminRoutes } from './admin-routes.ts'

interface AdminOptions extends NonNullable<Surface['admin']> {
  readonly source: AdminSource
  readonly log: Log
}

/** The admin surface while it listens. */
export interface RunningAdmin {
  readonly port: number
  stop(): Promise<void>
}

/** Times of the admin surface: a profile takes as long as it was asked for, nothing else does. */
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
/** What a browser says of a request that nobody typed: a frame, a window or a link sends no Origin. */
const OF_THE_OPERATOR: readonly unknown[] = [undefined, 'none', 'same-origin']

/**
 * Metrics, health, profiles and orders for the operator, on a port of its own, by node:http: what
 * takes long or streams much must not meet the API's sockets. Rejects with an Error of one sentence
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
  request.resume()
  const refusal = whyRefused(request, options.token)
  if (refusal !== null)
    return sendText(response, refusal.statusCode, refusal.message, refusal.headers)
  const url = URL.parse(request.url ?? '/', 'http://admin')
  if (url === null) return sendText(response, 404, listOf(routes))
  const method = request.method === 'HEAD' ? 'GET' : request.method
  const paths = routes.filter((route) => route.path === url.pathname)
  if (paths.length === 0) return sendText(response, 404, listOf(routes))
  const route = paths.find((candidate) => candidate.method === method)
  if (route === undefined) {
    const allowed = paths.map((path) => path.method).join(', ')
    return sendText(response, 405, `${url.pathname} takes ${allowed}.`, { Allow: allowed })
  }
  const seconds = secondsOf(url)
  if (seconds === null) return sendText(response, 400, 'seconds must be an integer from 1 to 60.')
  await route.answer(response, seconds)
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

interface AdminRefusal {
  readonly statusCode: 401 | 403
  readonly message: string
  readonly headers: AdminHeaders
}

/**
 * Why a request may not be answered, null when it may. With a token every request has to carry it.
 * Without one the surface is on loopback, where a web page could reach it through the operator's
 * browser: so requests that a page sent, or that call this machine by another name, are refused.
 */
function whyRefused(request: IncomingMessage, token: string | null): AdminRefusal | null {
  if (token !== null) {
    const given = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (isSame(given, token)) return null
    const message = 'Send Authorization: Bearer <ADMIN_TOKEN>.'
    return { statusCode: 401, message, headers: { 'WWW-Authenticate': 'Bearer' } }
  }
  if (!isFromPage(request) && LOCAL_HOST.test(request.headers.host ?? '')) return null
  const message = 'Without ADMIN_TOKEN only programs of this machine are answered.'
  return { statusCode: 403, message, headers: {} }
}

function isFromPage({ headers }: IncomingMessage): boolean {
  const isOfPage = !OF_THE_OPERATOR.includes(headers['sec-fetch-site'])
  return isOfPage || headers.origin !== undefined || headers['sec-fetch-mode'] === 'no-cors'
}

/** Compares in a time that does not tell how much was right. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}
