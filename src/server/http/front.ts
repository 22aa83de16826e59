import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { Budget, UNFINISHED, within } from '../../base/budget.ts'
import type { Queries } from '../../protocol/queries.ts'
import {
  accept,
  addressRefusal,
  bodyText,
  type Parsed,
  parseQueryString,
  pathParameter,
  type QueryParameters,
  type Refused,
} from '../../protocol/requests/parsers.ts'
import { udfErrorJson } from '../../protocol/udf-json.ts'
import { ROUTE_SLICE_MS } from '../load/limits.ts'
import type { LoopScheduler } from '../load/loop-scheduler.ts'
import type { RateLimiter } from '../load/rate-limiter.ts'
import type { ClientAddresses } from '../sockets/client-address.ts'
import { admit } from './admission.ts'
import { bodyTimeout, readBody, refusedByHeaders } from './body-reader.ts'
import { Exchange, type ExchangeContext } from './exchange.ts'
import {
  deadlineExceeded,
  internalError,
  methodNotAllowed,
  notFound,
  preflight,
  starting,
  takeOfLimit,
} from './front-replies.ts'
import type { ServerState } from './options.ts'
import { errorReply, type Reply } from './reply.ts'
import { readRequest } from './request.ts'
import type { Answered, ResponseCache } from './response-cache.ts'
import type { RouteMatch, Router } from './router.ts'

const API_PATH = '/api/v2'
const UDF_PATH = '/udf/'

interface FrontOptions {
  readonly router: Router
  readonly addresses: ClientAddresses
  /** The limiter of a route by its name; empty when nothing is limited. */
  readonly limiters: ReadonlyMap<string, RateLimiter>
  readonly clock: () => number
  readonly state: ServerState
  readonly isKnownAddress: Queries['isKnownAddress']
  readonly kept: ResponseCache
  readonly bodyDeadlineMs: number
  readonly routeDeadlineMs: number
  readonly context: ExchangeContext
  readonly turns: LoopScheduler
}

/** The one handler of every HTTP request: no route can forget what is done here. */
export function httpFront(options: FrontOptions): (res: HttpResponse, req: HttpRequest) => void {
  return (res, req) => {
    const request = readRequest(res, req, options.addresses)
    const exchange = new Exchange(options.context, res, request)
    exchange.isApi = isApiPath(request.path)
    if (request.path.startsWith(UDF_PATH)) exchange.errorBody = udfErrorJson
    admit(options, exchange, () => dispatch(options, exchange))
  }
}

/** The reply, or null when it comes later; the exchange is told to wait then. */
function dispatch(options: FrontOptions, exchange: Exchange): Reply | null {
  const { request } = exchange
  const match = options.router.find(request.path)
  if (match === null) return notFound(request)
  const { route } = match
  exchange.routeName = route.name
  if (request.method === 'OPTIONS') return preflight(route)
  // Whatever its method.
  const limited = takeOfLimit(options.limiters.get(route.name), exchange, options.clock())
  if (limited !== null) return limited
  const method = request.method === 'HEAD' ? 'GET' : request.method
  if (method !== route.method) return methodNotAllowed(request, route)
  if (route.isApi && options.state.isStarting()) return starting(options.state.notReady())
  return route.method === 'GET'
    ? run(options, exchange, match, '')
    : receive(options, exchange, match)
}

function isApiPath(path: string): boolean {
  return path === API_PATH || path.startsWith(`${API_PATH}/`) || path.startsWith(UDF_PATH)
}

function receive(options: FrontOptions, exchange: Exchange, match: RouteMatch): Reply | null {
  const refused = refusedByHeaders(exchange.request)
  if (refused !== null) return errorReply(refused.error)
  const { bodyDeadlineMs } = options
  exchange.wait(bodyDeadlineMs, () => errorReply(bodyTimeout(bodyDeadlineMs).error))
  const read = (body: Parsed<Buffer>) => {
    exchange.guard(() => {
      const text = body.ok ? bodyText(body.value) : body
      return text.ok ? run(options, exchange, match, text.value) : errorReply(text.error)
    }, internalError)
  }
  if (exchange.early === null) readBody(exchange.res, read)
  else exchange.early.read(read)
  return null
}

function run(
  options: FrontOptions,
  exchange: Exchange,
  match: RouteMatch,
  body: string,
): Reply | null {
  const { path, query } = exchange.request
  const make = () => called(match, query, body, options.isKnownAddress)
  const key = `${path}?${query} ${body}`
  const call = () => (match.route.isKept ? options.kept.answer(key, make) : make())
  const answer = call()
  if (answer !== UNFINISHED) return settled(options, exchange, match, answer)
  const { routeDeadlineMs, turns } = options
  exchange.wait(routeDeadlineMs, () => deadlineExceeded(routeDeadlineMs))
  turns.later(exchange.request.client, {
    run() {
      if (exchange.hasEnded) return false
      let isUnfinished = false
      exchange.guard(() => {
        const next = call()
        isUnfinished = next === UNFINISHED
        return next === UNFINISHED ? null : settled(options, exchange, match, next)
      }, internalError)
      return isUnfinished
    },
  })
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
    (parsed) => exchange.guard(() => replyOf(parsed), internalError),
    (error: unknown) => exchange.fail(error, internalError),
  )
  return null
}

function called(
  match: RouteMatch,
  query: string,
  body: string,
  isKnownAddress: Queries['isKnownAddress'],
): Answered {
  const parameters = parseQueryString(query)
  if (!parameters.ok) return parameters
  const word = pathWord(match)
  if (!word.ok) return word
  const refused = noAddress(match, word.value, parameters.value, isKnownAddress)
  if (refused !== null) return refused
  return within(Budget.ofMs(ROUTE_SLICE_MS), (budget) =>
    match.route.answer({ word: word.value, parameters: parameters.value, body, budget }),
  )
}

function pathWord({ route, named }: RouteMatch): Parsed<string> {
  if (named === null) return accept('')
  return route.isWordRaw ? accept(named.raw) : pathParameter(named.raw, named.name)
}

const ADDRESS_WORDS: ReadonlySet<string> = new Set(['mint', 'wallet'])

/** The refusal of what stands where a mint or a wallet is named and can be none; what is missing is the route's. */
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
