import type { StatusCode } from '../wire/errors.ts'

/** Plain counters of the hot path; `/metrics` reads them when it is asked. */
export interface HttpCounters {
  count(route: string, statusCode: StatusCode): void
  rows(): Iterable<HttpCount>
}

export interface HttpCount {
  readonly route: string
  readonly statusCode: number
  readonly requests: number
}

/** Routes and statuses are closed sets, so the maps are bounded by the program's own text. */
export function httpCounters(): HttpCounters {
  const byRoute = new Map<string, Map<number, number>>()
  return {
    count(route, statusCode) {
      let byStatus = byRoute.get(route)
      if (byStatus === undefined) {
        byStatus = new Map()
        byRoute.set(route, byStatus)
      }
      byStatus.set(statusCode, (byStatus.get(statusCode) ?? 0) + 1)
    },
    *rows() {
      for (const [route, byStatus] of byRoute) {
        for (const [statusCode, requests] of byStatus) yield { route, statusCode, requests }
      }
    },
  }
}
