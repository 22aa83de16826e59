import { Counter, Gauge, Registry } from 'prom-client'
import type { HttpCounters } from './http-counters.ts'

/** Prefix of every metric name. */
const PREFIX = 'mintfeed_'

/** Characters Prometheus allows in a name. */
const FOREIGN_CHARACTER = /[^a-zA-Z0-9_:]/g

/** The Prometheus text of the server's counters and of flat figures, made anew on every scrape. */
export async function metricsText(
  http: HttpCounters,
  figures: Readonly<Record<string, number>>,
): Promise<string> {
  const registry = new Registry()
  const requests = new Counter({
    name: `${PREFIX}http_requests_total`,
    help: 'Requests answered, by route and status',
    labelNames: ['route', 'status'],
    registers: [registry],
  })
  for (const row of http.rows()) {
    requests.inc({ route: row.route, status: String(row.statusCode) }, row.requests)
  }
  for (const [name, value] of Object.entries(figures)) {
    const metric = `${PREFIX}${name.replaceAll(FOREIGN_CHARACTER, '_')}`
    if (registry.getSingleMetric(metric) !== undefined) continue
    new Gauge({ name: metric, help: name.replaceAll('_', ' '), registers: [registry] }).set(value)
  }
  return registry.metrics()
}

/** Content-Type of the text above. */
export const METRICS_TYPE = Registry.PROMETHEUS_CONTENT_TYPE
