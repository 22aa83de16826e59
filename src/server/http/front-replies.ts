import { TapeDamage } from '../../base/errors.ts'
import { type RequestError, requestError } from '../../protocol/errors.ts'
import { quoted } from '../../protocol/requests/parsers.ts'
import type { RateLimiter, RateVerdict } from '../load/rate-limiter.ts'
import { allowedMethods, preflightHeaders } from './cors.ts'
import type { Exchange } from './exchange.ts'
import type { StreamPosition } from './options.ts'
import { errorReply, type Header, type Reply, retryAfter } from './reply.ts'
import type { ServerRequest } from './request.ts'
import type { Route } from './router.ts'

/** 404 of an unknown path. */
export function notFound(request: ServerRequest): Reply {
  return refusal('not_found', 'path', `The path ${quoted(request.path)} is not known.`)
}

/** 405 with `Allow`. */
export function methodNotAllowed(request: ServerRequest, route: Route): Reply {
  const allow = allowedMethods(route)
  const message = `The method ${quoted(request.method)} came, allowed are ${allow}.`
  return refusal('method_not_allowed', 'method', message, [['Allow', allow]])
}

/** 204 of OPTIONS, preflight or not. */
export function preflight(route: Route): Reply {
  return { statusCode: 204, contentType: '', body: '', headers: preflightHeaders(route) }
}

/** Counts a request, and says in its answer what is left of the limit; the 429 when it was one too many. */
export function takeOfLimit(
  limiter: RateLimiter | undefined,
  exchange: Exchange,
  nowMs: number,
): Reply | null {
  if (limiter === undefined) return null
  const verdict = limiter.take(exchange.request.client, nowMs)
  exchange.extraHeaders = rateHeaders(verdict)
  return verdict.allowed ? null : rateLimited(verdict)
}

/** 429 with `Retry-After`. */
function rateLimited(verdict: RateVerdict): Reply {
  const { limit, resetS } = verdict
  const message = `More than ${limit} requests came in one window, retry in ${resetS} seconds.`
  return refusal('rate_limited', 'requests', message, [retryAfter(resetS)])
}

/** The three headers of every limited answer. */
function rateHeaders(verdict: RateVerdict): readonly Header[] {
  return [
    ['X-RateLimit-Limit', String(verdict.limit)],
    ['X-RateLimit-Remaining', String(verdict.remaining)],
    ['X-RateLimit-Reset', String(verdict.resetS)],
  ]
}

/** Where the answer stands in the stream of events. */
export function positionHeaders(position: StreamPosition): readonly Header[] {
  return [
    ['X-Mintfeed-Seq', String(position.seq())],
    ['X-Mintfeed-Epoch', position.epoch()],
  ]
}

/** 503 while the state is being recovered, with `Retry-After`. */
export function starting(reason: string | null): Reply {
  const message = reason ?? 'The service is starting.'
  return refusal('starting', 'service', message)
}

/** 503 of a route that took too long, with `Retry-After`. */
export function deadlineExceeded(deadlineMs: number): Reply {
  const message = `No answer was ready within ${deadlineMs} ms.`
  return refusal('deadline_exceeded', 'service', message)
}

/** 500 of a defect, 503 of history that the disk does not give; the log has what clients must not see. */
export function internalError(error?: unknown): Reply {
  if (error instanceof TapeDamage)
    return refusal('history_unreadable', 'service', 'The history asked for cannot be read now.')
  return errorReply(requestError('internal_error', 'The service failed on this request.'))
}

function refusal(
  code: RequestError['code'],
  path: string,
  message: string,
  headers: readonly Header[] = [],
): Reply {
  return errorReply(requestError(code, message, [{ path, message }]), headers)
}
