import type { StatusCode } from '../../protocol/errors.ts'

/** Upper bounds of the latency buckets in seconds: answers take from microseconds to the deadline. */
export const LATENCY_BOUNDS_S = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1, 10,
] as const

const BOUNDS_MS = LATENCY_BOUNDS_S.map((seconds) => seconds * 1000)

/** Plain counters of the hot path; `/metrics` reads them when it is asked. */
export interface HttpCounters {
  /** An answer with the time from its request's head to its handing over to the socket. */
  count(route: string, statusCode: StatusCode, durationMs: number): void
  rows(): Iterable<HttpCount>
  latencies(): Iterable<RouteLatency>
  /**
   * Flat figures for /readyz and /metrics. Defects have a counter of their own, which is there from the
   * start: one that begins with its first count has not grown, for Prometheus, and nobody is told.
   */
  figures(): Readonly<Record<string, number>>
}

interface HttpCount {
  readonly route: string
  readonly statusCode: number
  readonly requests: number
}

export interface RouteLatency {
  readonly route: string
  /** Answers per bucket, not summed up; the last one is of those above all bounds. */
  readonly counts: readonly number[]
  readonly sumS: number
}

interface RouteCounts {
  readonly byStatus: Map<number, number>
  readonly buckets: Float64Array
  sumMs: number
}

/** Routes and statuses are closed sets, so the maps are bounded by the program's own text. */
export function httpCounters(): HttpCounters {
  const byRoute = new Map<string, RouteCounts>()
  const countsOf = (route: string): RouteCounts => {
    let counts = byRoute.get(route)
    if (counts === undefined) {
      const buckets = new Float64Array(BOUNDS_MS.length + 1)
      counts = { byStatus: new Map(), buckets, sumMs: 0 }
      byRoute.set(route, counts)
    }
    return counts
  }
  return {
    count(route, statusCode, durationMs) {
      const counts = countsOf(route)
      counts.byStatus.set(statusCode, (counts.byStatus.get(statusCode) ?? 0) + 1)
      counts.sumMs += durationMs
      let bucket = 0
      while (bucket < BOUNDS_MS.length && durationMs > BOUNDS_MS[bucket]) bucket++
      counts.buckets[bucket]++
    },
    figures: () => {
      const defects = [...byRoute.values()].map(({ byStatus }) => byStatus.get(500) ?? 0)
      return { http_defects_total: defects.reduce((sum, count) => sum + count, 0) }
    },
    *rows() {
      for (const [route, { byStatus }] of byRoute) {
        for (const [statusCode, requests] of byStatus) yield { route, statusCode, requests }
      }
    },
    *latencies() {
      for (const [route, { buckets, sumMs }] of byRoute) {
        yield { route, counts: [...buckets], sumS: sumMs / 1000 }
      }
    },
  }
}
