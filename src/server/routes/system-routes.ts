import { requestError } from '../../protocol/errors.ts'
import { accept } from '../../protocol/requests/parsers.ts'
import { encodeBody } from '../http/encoded-body.ts'
import { METRICS_TYPE } from '../http/metrics-text.ts'
import type { StaticDocument } from '../http/options.ts'
import type { Readiness } from '../http/readiness.ts'
import { errorReply, jsonReply, type Reply } from '../http/reply.ts'
import type { Route } from '../http/router.ts'

const GET_SYSTEM = { method: 'GET', isApi: false } as const

/** `/healthz`, `/readyz` and `/metrics`: outside the API and not rate limited. */
export function systemRoutes(
  readiness: () => Readiness,
  metrics: () => Promise<string>,
): readonly Route[] {
  const scrape = shared(async (): Promise<Reply> => {
    const body = encodeBody(await metrics())
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
  ]
}

/**
 * Who asks while it is being made gets the same: a scrape takes some milliseconds to write and to compress, is
 * not rate limited, and comes when the turn in which it was asked for is over.
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

/** Texts that never change while the server runs. */
export function documentRoutes(documents: readonly StaticDocument[]): readonly Route[] {
  return documents.map(({ path, contentType, body }) => {
    const document: Reply = { statusCode: 200, contentType, body: encodeBody(body), headers: [] }
    return { ...GET_SYSTEM, name: path, path, answer: () => accept(document) }
  })
}

/** A plain GET of the feed's paths: they take a WebSocket handshake. */
export const feedRoutes: readonly Route[] = ['/ws', '/ws/'].map((path) => ({
  ...GET_SYSTEM,
  name: 'feed',
  path,
  answer: () => {
    const message = `${path} takes a WebSocket handshake, a plain GET came.`
    const details = [{ path, message }]
    const error = requestError('upgrade_required', message, details)
    return accept(errorReply(error, [['Upgrade', 'websocket']]))
  },
}))
