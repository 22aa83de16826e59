import { UNFINISHED } from '../../base/budget.ts'
import { stackOf, TapeDamage } from '../../base/errors.ts'
import type { ApiRequest, Queries, ServiceState } from '../../protocol/queries.ts'
import { quoted } from '../../protocol/requests/parsers.ts'
import type { LoopScheduler } from '../load/loop-scheduler.ts'
import type { RateLimiter } from '../load/rate-limiter.ts'
import { type ExchangeContext, limitRefusal } from './exchange.ts'
import { type Caller, called, type RouteMatch, type Router } from './front.ts'
import { deadlineExceeded, errorReply, internalError, type Reply, refusal } from './reply.ts'
import { cacheKey, type ResponseCache } from './response-cache.ts'

interface InnerCallsOptions {
  /** Routes that answer at once; nothing else may be called. */
  readonly router: Router
  readonly limiters: ReadonlyMap<string, RateLimiter>
  readonly clock: () => number
  readonly state: ServiceState
  readonly isKnownAddress: Queries['isKnownAddress']
  readonly cache: ResponseCache
  readonly turns: LoopScheduler
  readonly routeDeadlineMs: number
  readonly context: ExchangeContext
}

/** Answers a request that another route makes for its caller; never rejects. */
export type InnerCall = (caller: Caller, request: ApiRequest) => Promise<Reply>

/**
 * Calls of routes inside the process, without a socket. A call counts for its caller as the request would: the limit of
 * its route, the cache, and later turns shared with all other clients. So no route gives a way round them.
 */
export function innerCalls(options: InnerCallsOptions): InnerCall {
  return (caller, request) =>
    new Promise((resolve) => {
      const match = options.router.find(request.path)
      const refused = match === null ? unknownPath(request) : refusedFirst(options, caller, match)
      if (match === null || refused !== null) resolve(refused ?? unknownPath(request))
      else begin(options, caller, match, request, resolve)
    })
}

function unknownPath({ path }: ApiRequest): Reply {
  return refusal('not_found', 'path', `The path ${quoted(path)} is not known.`)
}

function refusedFirst(
  { limiters, clock, state }: InnerCallsOptions,
  { request: { client } }: Caller,
  { route }: RouteMatch,
): Reply | null {
  const taken = limiters.get(route.name)?.take(client, clock())
  if (taken !== undefined && !taken.allowed) return limitRefusal(taken)
  if (!state.isStarting()) return null
  return refusal('starting', 'service', state.notReady() ?? 'The service is starting.')
}

/** Makes the first step at once and the others in later turns, until the caller has left or the time is over. */
function begin(
  options: InnerCallsOptions,
  caller: Caller,
  match: RouteMatch,
  { path, query, body }: ApiRequest,
  resolve: (reply: Reply) => void,
): void {
  const { cache, isKnownAddress, turns, routeDeadlineMs, context } = options
  const endMs = performance.now() + routeDeadlineMs
  const make = () => called(match, { query, body, minSeq: 0, caller }, isKnownAddress)
  /** Says whether there is more to do. */
  const step = (): boolean => {
    const startMs = performance.now()
    if (caller.hasEnded || startMs > endMs) {
      resolve(deadlineExceeded(routeDeadlineMs))
      return false
    }
    try {
      const answer = match.route.isCached ? cache.answer(cacheKey(path, query, body), make) : make()
      if (answer === UNFINISHED) return true
      if (answer instanceof Promise) throw new Error(`${match.route.name} does not answer at once.`)
      resolve(answer.ok ? answer.value : errorReply(answer.error))
    } catch (error) {
      resolve(failed(context, path, error))
    } finally {
      context.onStep(match.route.name, startMs)
    }
    return false
  }
  if (step()) turns.later(caller.request.client, { run: step })
}

/** The log has what clients must not see. */
function failed({ log, damage }: ExchangeContext, path: string, error: unknown): Reply {
  const facts = { path, stack: stackOf(error) }
  const text = 'A route threw that another one called'
  if (error instanceof TapeDamage) damage.write(facts, text)
  else log.error(facts, text)
  return internalError(error)
}
