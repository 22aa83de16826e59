import type { Header } from './reply.ts'
import type { Route } from './router.ts'

/** Answer headers that browsers may read (contract section 3). */
const EXPOSED_HEADERS = [
  'X-RateLimit-Limit',
  'X-RateLimit-Remaining',
  'X-RateLimit-Reset',
  'Retry-After',
  'ETag',
  'X-Mintfeed-Seq',
  'X-Mintfeed-Epoch',
].join(', ')

/**
 * Request headers that browsers may send: those that are read, and those that libraries, gateways and tracers
 * add by themselves, without which their requests would never get past the preflight. `*` would not allow
 * `authorization`.
 */
const ALLOWED_HEADERS = [
  ...['content-type', 'x-socket-id', 'if-none-match', 'last-event-id'],
  ...['authorization', 'cache-control', 'pragma', 'x-api-key', 'x-request-id', 'x-requested-with'],
  ...['traceparent', 'tracestate', 'baggage', 'sentry-trace'],
].join(', ')

/** Seconds a browser may keep the answer to its preflight. */
const PREFLIGHT_MAX_AGE_S = 86_400

/** Methods of a route's path, as `Allow` lists them. */
export function allowedMethods(route: Route): string {
  return route.method === 'GET' ? 'GET, HEAD, OPTIONS' : 'POST, OPTIONS'
}

/** CORS headers of every answer. */
export function corsHeaders(origin: string): readonly Header[] {
  return [
    ['Access-Control-Allow-Origin', origin],
    ['Access-Control-Expose-Headers', EXPOSED_HEADERS],
  ]
}

/** Headers of the answer to OPTIONS, beside those of every answer. */
export function preflightHeaders(route: Route): readonly Header[] {
  return [
    ['Allow', allowedMethods(route)],
    ['Access-Control-Allow-Methods', allowedMethods(route)],
    ['Access-Control-Allow-Headers', ALLOWED_HEADERS],
    ['Access-Control-Max-Age', String(PREFLIGHT_MAX_AGE_S)],
  ]
}
