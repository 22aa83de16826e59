/**
 * `server/http` answers HTTP requests. In: a request of uWebSockets.js. Out: exactly one answer, or a closed socket.
 * A request becomes an `Exchange`; the front finds its `Route`, holds it to the limits, reads its body, calls it
 * and gives its `Reply` to the `ResponseWriter`. Invariants: an abort is registered first; every answer is
 * counted; an exception of a route is answered 500 and ends nothing else.
 */

import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { Budget, UNFINISHED, within } from '../../base/budget.ts'
import { rpcErrorJson } from '../../protocol/errors.ts'
import type { Queries, ServiceState } from '../../protocol/queries.ts'
import {
  accept,
  addressRefusal,
  bodyText,
  type Parsed,
  parseQueryString,
  pathParameter,
  type QueryParameters,
  quoted,
  type Refused,
} from '../../protocol/requests/parsers.ts'
import { udfErrorJson } from '../../protocol/udf-json.ts'
import { type LoopScheduler, ROUTE_SLICE_MS } from '../load/loop-scheduler.ts'
import type { RateLimiter } from '../load/rate-limiter.ts'
import type { ClientAddresses } from '../sockets/client-address.ts'
import { Exchange, type ExchangeContext } from './exchange.ts'
import type { PositionWaits } from './position-waits.ts'
import { deadlineExceeded, errorReply, type Reply, refusal } from './reply.ts'
import { MCP_PATH, refusedByHeaders, ServerRequest } from './request.ts'
import { type Answered, cacheKey, type ResponseCache } from './response-cache.ts'

const API_PATH = '/api/v2'
const BELOW_API_PATH = `${API_PATH}/`
const UDF_PATH = '/udf/'
/** Who chooses among replicas asks it how far each of them is. */
const READY_PATH = '/readyz'

/**
 * Request headers that browsers may send: those that are read, and those that libraries, gateways and tracers
 * add by themselves, without which their requests would never get past the preflight. `*` would not allow
 * `authorization`.
 */
const ALLOWED_HEADERS = [
  ...['content-type', 'x-socket-id', 'x-mintfeed-min-seq', 'if-none-match', 'last-event-id'],
  ...['authorization', 'cache-control', 'pragma', 'x-api-key', 'x-request-id', 'x-requested-with'],
  ...['traceparent', 'tracestate', 'baggage', 'sentry-trace'],
].join(', ')
/** Those that browsers may send to `/mcp` beside them. */
const ALLOWED_MCP_HEADERS = 'mcp-protocol-version, mcp-session-id, mcp-method, mcp-name'

/** Seconds a browser may keep the answer to its preflight. */
const PREFLIGHT_MAX_AGE_S = '86400'

const ADDRESS_WORDS: ReadonlySet<string> = new Set(['mint', 'wallet'])

/** Common to all reads of the API. */
export const GET_API = { method: 'GET', isApi: true, isCached: true } as const

/**
 * One row of the table of routes. A route parses and answers; everything else (abort, body,
 * limits, HEAD, ETag, compression, CORS, errors) is the front's.
 */
export interface Route {
  /** Label of metrics and bucket of the rate limit. */
  readonly name: string
  readonly method: 'GET' | 'POST'
  /** Fixed pieces and at most one `:name`. */
  readonly path: string
  /** Part of the API: rate limited, and 503 while the service starts. */
  readonly isApi: boolean
  /** Nothing but the state decides the answer, which is cached for equal requests. */
  readonly isCached?: boolean
  /** Called with every answer to a request with an `x-socket-id`. */
  readonly answered?: (socketId: string, reply: Reply) => void
  /** It may be asked for so many times as often as the rate limit says; absent: once. */
  readonly limitTimes?: number
  /** Parameters of its query that name a mint or a wallet, as a `:mint` and a `:wallet` of its path do. */
  readonly addresses?: readonly string[]
  /** The route decodes the word of its path itself, because it may not count. */
  readonly isWordRaw?: boolean
  /** Gets the request, decoded. May throw only on a defect; that is logged and answered 500. */
  readonly answer: (call: {
    /** The path's `:name`, decoded and not blank unless `isWordRaw`; empty where the path has none. */
    readonly word: string
    readonly parameters: QueryParameters
    /** Text of the body; empty on GET. */
    readonly body: string
    /** The answer must show the events up to this position, which the state does. */
    readonly minSeq: number
    /** For its reads: a route that runs out of it is called again in a later turn. */
    readonly budget: Budget
    /** Who asks; no part of an answer that is cached may come of it. */
    readonly caller: Caller
  }) => Parsed<Reply> | Promise<Parsed<Reply>>
}

/** Who asks: the exchange itself, which costs nothing. */
export type Caller = Pick<Exchange, 'hasEnded'> & {
  readonly request: Pick<ServerRequest, 'client' | 'headers'>
}

export interface RouteMatch {
  readonly route: Route
  /** The path's `:name` and its raw text; null where the path has none. */
  readonly named: { readonly name: string; readonly raw: string } | null
}

/**
 * Finds routes by path, fixed paths before those with a `:name`, which are tried in the order given; the method is
 * compared by the front, which needs both answers.
 */
export class Router {
  readonly #fixed = new Map<string, RouteMatch>()
  /** Paths with one `:name`: the texts before and behind it. */
  readonly #patterns: {
    readonly route: Route
    readonly name: string
    readonly before: string
    readonly behind: string
  }[] = []

  constructor(routes: readonly Route[]) {
    for (const route of routes) {
      const [before = '', named, ...more] = route.path.split(':')
      if (more.length > 0) throw new Error(`The path ${route.path} has more than one name.`)
      if (named === undefined) {
        this.#fixed.set(route.path, { route, named: null })
        continue
      }
      const [name = ''] = named.split('/')
      this.#patterns.push({ route, name, before, behind: named.slice(name.length) })
    }
  }

  /** Null when no route has the path. */
  find(path: string): RouteMatch | null {
    const match = this.#fixed.get(path)
    if (match !== undefined) return match
    for (const { route, name, before, behind } of this.#patterns) {
      if (!path.startsWith(before) || !path.endsWith(behind)) continue
      const end = path.length - behind.length
      // Both may be in the same place of a short path.
      if (end < before.length) continue
      const raw = path.slice(before.length, end)
      if (!raw.includes('/')) return { route, named: { name, raw } }
    }
    return null
  }
}

interface FrontOptions {
  readonly router: Router
  readonly addresses: ClientAddresses
  /** The limiter of a route by its name; empty when nothing is limited. */
  readonly limiters: ReadonlyMap<string, RateLimiter>
  readonly clock: () => number
  readonly state: ServiceState
  readonly isKnownAddress: Queries['isKnownAddress']
  readonly cache: ResponseCache
  readonly waits: Pick<PositionWaits, 'from'>
  readonly bodyDeadlineMs: number
  readonly routeDeadlineMs: number
  readonly context: ExchangeContext
  readonly turns: LoopScheduler
}

/** The one handler of every request: abort, limits, body and errors are handled here for all routes. */
export function httpFront(options: FrontOptions): (res: HttpResponse, req: HttpRequest) => void {
  return (res, req) => {
    const request = new ServerRequest(res, req, options.addresses)
    const exchange = new Exchange(options.context, res, request)
    exchange.isApi = isApiPath(request.path) || request.path === READY_PATH
    if (request.path.startsWith(UDF_PATH)) exchange.errorBody = udfErrorJson
    if (request.path === MCP_PATH) exchange.errorBody = rpcErrorJson
    exchange.admit(options, () => dispatch(options, exchange))
  }
}

/** The reply, or null when it comes later; the exchange waits then. */
function dispatch(options: FrontOptions, exchange: Exchange): Reply | null {
  const { request } = exchange
  const match = options.router.find(request.path)
  if (match === null)
    return refusal('not_found', 'path', `The path ${quoted(request.path)} is not known.`)
  const { route } = match
  exchange.routeName = route.name
  if (request.method === 'OPTIONS') return preflight(route)
  // Whatever its method.
  const limiter = options.limiters.get(route.name)
  if (limiter !== undefined) {
    if (exchange.endIfGone()) return null
    const limited = exchange.takeOfLimit(limiter, options.clock())
    if (limited !== null) return limited
  }
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (method !== route.method) return methodNotAllowed(request.method, route)
  if (route.isApi && options.state.isStarting()) {
    const reason = options.state.notReady() ?? 'The service is starting.'
    return refusal('starting', 'service', reason)
  }
  return route.method === 'GET'
    ? run(options, exchange, match, '')
    : receive(options, exchange, match)
}

/** Methods of a route's path, as `Allow` lists them. */
function allowedMethods(route: Route): string {
  return route.method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
}

/** 405 with `Allow`. */
function methodNotAllowed(method: string, route: Route): Reply {
  const allow = allowedMethods(route)
  const message = `The method ${quoted(method)} came, allowed are ${allow}.`
  return refusal('method_not_allowed', 'method', message, [['Allow', allow]])
}

/** 204 of OPTIONS, preflight or not. */
function preflight(route: Route): Reply {
  const allow = allowedMethods(route)
  const isMcp = route.path === MCP_PATH
  const allowedHeaders = isMcp ? `${ALLOWED_HEADERS}, ${ALLOWED_MCP_HEADERS}` : ALLOWED_HEADERS
  const headers: Reply['headers'] = [
    ['Allow', allow],
    ['Access-Control-Allow-Methods', allow],
    ['Access-Control-Allow-Headers', allowedHeaders],
    ['Access-Control-Max-Age', PREFLIGHT_MAX_AGE_S],
  ]
  return { statusCode: 204, contentType: '', body: '', headers }
}

function isApiPath(path: string): boolean {
  if (path === API_PATH || path === MCP_PATH) return true
  return path.startsWith(BELOW_API_PATH) || path.startsWith(UDF_PATH)
}

function receive(options: FrontOptions, exchange: Exchange, match: RouteMatch): Reply | null {
  const refused = refusedByHeaders(exchange.request)
  if (refused !== null) return errorReply(refused.error)
  const { bodyDeadlineMs } = options
  exchange.wait(bodyDeadlineMs, () =>
    refusal('body_timeout', 'body', `The body did not arrive within ${bodyDeadlineMs} ms.`),
  )
  exchange.readBody((body) => {
    exchange.guard(() => {
      const text = body.ok ? bodyText(body.value) : body
      return text.ok ? run(options, exchange, match, text.value) : errorReply(text.error)
    })
  })
  return null
}

function run(
  options: FrontOptions,
  exchange: Exchange,
  match: RouteMatch,
  body: string,
): Reply | null {
  const read = (minSeq: number) => answered(options, exchange, match, body, minSeq)
  const asksForNone = exchange.request.minSeq === '' || !match.route.isApi
  return asksForNone ? read(0) : options.waits.from(exchange, read)
}

function answered(
  options: FrontOptions,
  exchange: Exchange,
  match: RouteMatch,
  body: string,
  minSeq: number,
): Reply | null {
  const { path, query } = exchange.request
  const make = () =>
    called(match, { query, body, minSeq, caller: exchange }, options.isKnownAddress)
  const key = cacheKey(path, query, body)
  const step = () => {
    const answer = match.route.isCached ? options.cache.answer(key, make) : make()
    return answer === UNFINISHED ? answer : settled(options, exchange, match, answer)
  }
  const first = step()
  if (first !== UNFINISHED) return first
  exchange.later(options, step)
  return null
}

/** The reply; null when a promise brings it later. */
function settled(
  options: FrontOptions,
  exchange: Exchange,
  match: RouteMatch,
  answer: Parsed<Reply> | Promise<Parsed<Reply>>,
): Reply | null {
  const { socketId } = exchange.request
  if (!(answer instanceof Promise)) {
    if (socketId !== '' && answer.ok) match.route.answered?.(socketId, answer.value)
    return replyOf(answer)
  }
  const { routeDeadlineMs } = options
  exchange.wait(routeDeadlineMs, () => deadlineExceeded(routeDeadlineMs))
  answer.then(
    (parsed) => exchange.guard(() => replyOf(parsed)),
    (error: unknown) => exchange.fail(error),
  )
  return null
}

/** Calls the route of a match once, in a budget of a slice. */
export function called(
  match: RouteMatch,
  asked: {
    readonly query: string
    readonly body: string
    readonly minSeq: number
    readonly caller: Caller
  },
  isKnownAddress: Queries['isKnownAddress'],
): Answered {
  const { query, body, minSeq, caller } = asked
  const parameters = parseQueryString(query)
  if (!parameters.ok) return parameters
  const word = pathWord(match)
  if (!word.ok) return word
  const refused = noAddress(match, word.value, parameters.value, isKnownAddress)
  if (refused !== null) return refused
  return within(Budget.ofMs(ROUTE_SLICE_MS), (budget) =>
    match.route.answer({
      ...{ word: word.value, parameters: parameters.value },
      ...{ body, minSeq, budget, caller },
    }),
  )
}

function pathWord({ route, named }: RouteMatch): Parsed<string> {
  if (named === null) return accept('')
  return route.isWordRaw ? accept(named.raw) : pathParameter(named.raw, named.name)
}

/** Refuses a path or a query that names a mint or a wallet by a text that can be none; a missing one is up to the route. */
function noAddress(
  { route, named }: RouteMatch,
  word: string,
  parameters: QueryParameters,
  isKnownAddress: Queries['isKnownAddress'],
): Refused | null {
  if (named !== null && ADDRESS_WORDS.has(named.name) && !route.isWordRaw) {
    const refused = addressRefusal(named.name, word, isKnownAddress)
    if (refused !== null) return refused
  }
  for (const name of route.addresses ?? []) {
    const [text = '', ...more] = parameters.get(name) ?? []
    const refused =
      text.trim() === '' || more.length > 0 ? null : addressRefusal(name, text, isKnownAddress)
    if (refused !== null) return refused
  }
  return null
}

function replyOf(answer: Parsed<Reply>): Reply {
  return answer.ok ? answer.value : errorReply(answer.error)
}
