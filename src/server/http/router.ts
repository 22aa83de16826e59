import type { Budget } from '../../base/budget.ts'
import type { Parsed, QueryParameters } from '../../protocol/requests/parsers.ts'
import type { Reply } from './reply.ts'

/** What all reads of the API are. */
export const GET_API = { method: 'GET', isApi: true, isKept: true } as const

/** What a route works on: decoded already, or it would not be called. */
interface RouteCall {
  /** The path's `:name`, decoded and not blank unless `isWordRaw`; empty where the path has none. */
  readonly word: string
  readonly parameters: QueryParameters
  /** Text of the body; empty on GET. */
  readonly body: string
  /** For what is read: a route that runs out of it is called again in a later turn. */
  readonly budget: Budget
}

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
  /** Nothing but the state decides the answer, which is kept for whoever asks the same. */
  readonly isKept?: boolean
  /** Told of every answer to a request with an `x-socket-id`. */
  readonly answered?: (socketId: string, reply: Reply) => void
  /** It may be asked for so many times as often as the rate limit says; absent: once. */
  readonly limitTimes?: number
  /** Parameters of its query that name a mint or a wallet, as a `:mint` and a `:wallet` of its path do. */
  readonly addresses?: readonly string[]
  /** The route decodes the word of its path itself, because it may not count. */
  readonly isWordRaw?: boolean
  /** May throw only on a defect; that is logged and answered 500. */
  readonly answer: (call: RouteCall) => Parsed<Reply> | Promise<Parsed<Reply>>
}

export interface RouteMatch {
  readonly route: Route
  /** The path's `:name` and its raw text; null where the path has none. */
  readonly named: { readonly name: string; readonly raw: string } | null
}

/** Finds routes by path; the method is compared by the front, which needs both answers. */
export interface Router {
  /** Null when no route has the path. */
  find(path: string): RouteMatch | null
}

/** A path with one `:name`: what stands before and behind it. */
interface Pattern {
  readonly route: Route
  readonly name: string
  readonly before: string
  readonly behind: string
}

/** Routes are tried in the order given, fixed paths without `:names` first. */
export function routerOf(routes: readonly Route[]): Router {
  const fixed = new Map<string, RouteMatch>()
  const patterns: Pattern[] = []
  for (const route of routes) {
    const [before, named, ...more] = route.path.split(':')
    if (more.length > 0) throw new Error(`The path ${route.path} has more than one name.`)
    if (named === undefined) {
      fixed.set(route.path, { route, named: null })
      continue
    }
    const [name] = named.split('/')
    patterns.push({ route, name, before, behind: named.slice(name.length) })
  }
  return {
    find(path) {
      const match = fixed.get(path)
      if (match !== undefined) return match
      for (const { route, name, before, behind } of patterns) {
        if (!path.startsWith(before) || !path.endsWith(behind)) continue
        const end = path.length - behind.length
        // Both may be in the same place of a short path.
        if (end < before.length) continue
        const raw = path.slice(before.length, end)
        if (!raw.includes('/')) return { route, named: { name, raw } }
      }
      return null
    },
  }
}
