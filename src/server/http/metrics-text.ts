/// <reference path="./prom-client.d.ts" />
import Counter from 'prom-client/lib/counter.js'
import Gauge from 'prom-client/lib/gauge.js'
import Registry from 'prom-client/lib/registry.js'
import { FORMER_NAMES, metricOf } from '../metrics/figure-metric.ts'
import { helpOf } from '../metrics/help-texts.ts'
import { type HttpCounters, LATENCY_BOUNDS_S, type RouteLatency } from './http-counters.ts'

/** Prefix of every metric name. */
const PREFIX = 'mintfeed_'

/** Characters Prometheus allows in a name. */
const FOREIGN_CHARACTER = /[^a-zA-Z0-9_:]/g

/**
 * The Prometheus text of the server's counters and of flat figures, made anew on every scrape, in base units. A
 * figure whose name ends in `_total` is a counter, any other one a gauge.
 */
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
  for (const row of http.rows()) {
    requests.inc({ route: row.route, status: String(row.statusCode) }, row.requests)
  }
  const tell = (name: string, help: string, value: number) => {
    const metric = `${PREFIX}${name.replaceAll(FOREIGN_CHARACTER, '_')}`
    if (registry.getSingleMetric(metric) !== undefined) return
    const about = { name: metric, help, registers: [registry] }
    if (name.endsWith('_total') && value >= 0) new Counter(about).inc(value)
    else new Gauge(about).set(value)
  }
  for (const [figure, value] of Object.entries(figures)) {
    const { name, divisor } = metricOf(figure)
    tell(name, helpOf(figure), value / divisor)
    if (FORMER_NAMES.has(figure)) tell(figure, `deprecated: use ${PREFIX}${name}`, value)
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
  for (const latency of http.latencies()) lines.push(...histogramLines(name, latency))
  return `${lines.join('\n')}\n`
}

function histogramLines(name: string, { route, counts, sumS }: RouteLatency): string[] {
  let total = 0
  const bounds = [...LATENCY_BOUNDS_S.map(String), '+Inf']
  const buckets = bounds.map((bound, index) => {
    total += counts[index]
    return `${name}_bucket{route="${route}",le="${bound}"} ${total}`
  })
  const labels = `{route="${route}"}`
  return [...buckets, `${name}_sum${labels} ${sumS}`, `${name}_count${labels} ${total}`]
}

/** Content-Type of the text above. */
export const METRICS_TYPE: string = Registry.PROMETHEUS_CONTENT_TYPE
