import type { ServiceState } from '../../protocol/queries.ts'
import { accept } from '../../protocol/requests/parsers.ts'
import type { Route } from '../http/front.ts'
import { EncodedBody, jsonReply, type Reply, refusal, type StaticDocument } from '../http/reply.ts'
import { METRICS_TYPE } from '../metrics/metrics.ts'

const GET_SYSTEM = { method: 'GET', isApi: false } as const

/** The answer of `/readyz`; that of the admin port has paths in its reason. */
export interface Readiness {
  readonly statusCode: 200 | 503
  readonly fields: Readonly<Record<string, number | string | null>>
}

/** Figures lie beside `status`, `reason`, `notice` and the fields of a replica, which no figure can hide. */
export function readinessOf(
  reason: string | null,
  figures: Readonly<Record<string, number>>,
  notice: string | null = null,
  replica: ReturnType<NonNullable<ServiceState['replica']>> = null,
): Readiness {
  const status = reason === null ? 'ready' : 'not ready'
  const fields = { ...figures, ...replica, status, reason, notice }
  return { statusCode: reason === null ? 200 : 503, fields }
}

/**
 * Routes outside of the API, which are not rate limited: `/healthz`, `/readyz`, `/metrics`, documents, and the paths
 * of the live feed, which take a WebSocket handshake and refuse a plain GET.
 */
export function systemRoutes(
  readiness: () => Readiness,
  metrics: () => Promise<string>,
  documents: readonly StaticDocument[] = [],
): readonly Route[] {
  const scrape = shared(async (): Promise<Reply> => {
    const body = new EncodedBody(await metrics())
    return { statusCode: 200, contentType: METRICS_TYPE, body, headers: [] }
  })
  return [
    {
      ...GET_SYSTEM,
      name: 'healthz',
      path: '/healthz',
      answer: () => accept(jsonReply('{"status":"ok"}')),
    },
    {
      ...GET_SYSTEM,
      name: 'readyz',
      path: '/readyz',
      answer: () => {
        const { statusCode, fields } = readiness()
        return accept({ ...jsonReply(JSON.stringify(fields)), statusCode })
      },
    },
    {
      ...GET_SYSTEM,
      name: 'metrics',
      path: '/metrics',
      answer: async () => accept(await scrape()),
    },
    ...documents.map(documentRoute),
    ...['/ws', '/ws/'].map(feedRoute),
  ]
}

/**
 * Calls that come while a text is being made get the same: a scrape takes some milliseconds to write and to
 * compress, is not rate limited, and comes when the turn in which it was asked for is over.
 */
function shared<T>(make: () => Promise<T>): () => Promise<T> {
  let making: Promise<T> | null = null
  return () => {
    making ??= make().finally(() => {
      making = null
    })
    return making
  }
}

function documentRoute({ path, contentType, body }: StaticDocument): Route {
  const bytes = typeof body === 'string' ? new EncodedBody(body) : body
  const reply: Reply = { statusCode: 200, contentType, body: bytes, headers: [] }
  return { ...GET_SYSTEM, name: path, path, answer: () => accept(reply) }
}

function feedRoute(path: string): Route {
  const message = `${path} takes a WebSocket handshake, a plain GET came.`
  const reply = refusal('upgrade_required', path, message, [['Upgrade', 'websocket']])
  return { ...GET_SYSTEM, name: 'feed', path, answer: () => accept(reply) }
}
