/**
 * `server/metrics` is the text of `/metrics`. In: counts of answers, and flat figures by the names of `/readyz`. Out:
 * Prometheus text. A figure whose name ends in `_total` is a counter, any other one a gauge; `help-texts.ts` has a
 * sentence for each. Invariant: names are public and never change without their former name for one version.
 */

/// <reference path="./prom-client.d.ts" />
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Registry from 'prom-client/lib/registry.js'
import { helpOf } from './help-texts.ts'

/** Upper bounds of the latency buckets in seconds: answers take from microseconds to the deadline. */
const LATENCY_BOUNDS_S = [
  0.00005, 0.0001, 0.00025, 0.0005, 0.001, 0.0025, 0.005, 0.01, 0.025, 0.1, 1, 10,
] as const

const MS_PER_S = 1000

/**
 * Plain counters of the hot path; `/metrics` reads them when it is asked. Routes and statuses are closed sets,
 * so the maps are bounded by the program's own text.
 */
export class HttpCounters {
  readonly byRoute = new Map<
    string,
    {
      readonly byStatus: Map<number, number>
      /** Answers per latency bucket, not summed up; the last one is of those above all bounds. */
      readonly buckets: number[]
      sumMs: number
    }
  >()

  /** An answer with the time from its request's head to its handing over to the socket. */
  count(route: string, statusCode: number, durationMs: number): void {
    const { byRoute } = this
    let counts = byRoute.get(route)
    if (counts === undefined) {
      const buckets = new Array<number>(LATENCY_BOUNDS_S.length + 1).fill(0)
      counts = { byStatus: new Map(), buckets, sumMs: 0 }
      byRoute.set(route, counts)
    }
    counts.byStatus.set(statusCode, (counts.byStatus.get(statusCode) ?? 0) + 1)
    counts.sumMs += durationMs
    const found = LATENCY_BOUNDS_S.findIndex((boundS) => durationMs <= boundS * MS_PER_S)
    const bucket = found < 0 ? LATENCY_BOUNDS_S.length : found
    counts.buckets[bucket] = (counts.buckets[bucket] ?? 0) + 1
  }

  /**
   * Flat figures for /readyz and /metrics. Defects have a counter of their own, which is there from the
   * start: for Prometheus, one that begins with its first count has not grown, and no alert fires.
   */
  figures(): Readonly<Record<string, number>> {
    const defects = [...this.byRoute.values()].map(({ byStatus }) => byStatus.get(500) ?? 0)
    return { http_defects_total: defects.reduce((sum, count) => sum + count, 0) }
  }
}

/** Prefix of every metric name. */
const PREFIX = 'mintfeed_'

/** Characters Prometheus allows in a name. */
const FOREIGN_CHARACTER = /[^a-zA-Z0-9_:]/g

/** Content-Type of the text of `metricsText`. */
export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE

/** The Prometheus text of counters and figures, made anew on every scrape, in base units. */
export async function metricsText(
  http: HttpCounters,
  figures: Readonly<Record<string, number>>,
): Promise<string> {
  const registry = new Registry()
  const requests = new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Requests answered, by route and status.',
    labelNames: ['route', 'status'],
    registers: [registry],
  })
  for (const [route, { byStatus }] of http.byRoute)
    for (const [status, count] of byStatus) requests.inc({ route, status: String(status) }, count)
  const add = (name: string, help: string, value: number) => {
    const metric = `${PREFIX}${name.replaceAll(FOREIGN_CHARACTER, '_')}`
    if (registry.getSingleMetric(metric) !== undefined) return
    const about = { name: metric, help, registers: [registry] }
    if (name.endsWith('_total') && value >= 0) new Counter(about).inc(value)
    else new Gauge(about).set(value)
  }
  for (const [figure, value] of Object.entries(figures)) {
    const { name, divisor } = metricOf(figure)
    const help = helpOf(figure) ?? `The figure ${figure} of /readyz.`
    add(name, help, value / divisor)
  }
  return (await registry.metrics()) + latencyText(http)
}

/** Histograms by hand: prom-client observes values one by one and cannot be given counted buckets. */
function latencyText(http: HttpCounters): string {
  const name = `${PREFIX}http_request_duration_seconds`
  const lines = [
    `# HELP ${name} Time from a request's head to its answer, by route.`,
    `# TYPE ${name} histogram`,
  ]
  for (const [route, { buckets, sumMs }] of http.byRoute) {
    let total = 0
    for (const [index, count] of buckets.entries()) {
      total += count
      const bound = LATENCY_BOUNDS_S[index] ?? '+Inf'
      lines.push(`${name}_bucket{route="${route}",le="${bound}"} ${total}`)
    }
    const labels = `{route="${route}"}`
    lines.push(`${name}_sum${labels} ${sumMs / MS_PER_S}`, `${name}_count${labels} ${total}`)
  }
  return `${lines.join('\n')}\n`
}

/** Figures whose unit does not stand last. */
const OTHER_NAMES: Readonly<Record<string, string>> = {
  feed_seconds_behind: 'feed_behind_seconds',
}

/** Units of figures that are no base units, and what takes their place. */
const UNITS = [
  { suffix: '_ms', base: '_seconds', divisor: MS_PER_S },
  { suffix: '_percent', base: '_ratio', divisor: 100 },
]

/**
 * The metric of a figure of `/readyz`: its name without the prefix, in base units and the unit last, and how many
 * of the figure's units are one of the metric's. https://prometheus.io/docs/practices/naming asks for seconds and
 * ratios, whatever people read elsewhere.
 */
function metricOf(figure: string): { readonly name: string; readonly divisor: number } {
  const name = OTHER_NAMES[figure]
  if (name !== undefined) return { name, divisor: 1 }
  const unit = UNITS.find(({ suffix }) => figure.endsWith(suffix))
  if (unit === undefined) return { name: figure, divisor: 1 }
  return { name: figure.slice(0, -unit.suffix.length) + unit.base, divisor: unit.divisor }
}
