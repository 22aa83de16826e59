import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import { type RequestError, requestError } from '../../wire/errors.ts'
import { parseLiveId } from '../../wire/requests/live-id.ts'
import { MAX_CONNECTIONS } from '../limits.ts'
import { queryOf } from '../request.ts'
import type { SocketData } from './connection.ts'

export interface UpgradeOptions {
  connectionCount(): number
  isStopping(): boolean
  /** Does the handshake come from this machine? */
  isLocal(res: HttpResponse, req: HttpRequest): boolean
  /** Answers the handshake with an HTTP error in the usual shape. */
  refuse(res: HttpResponse, req: HttpRequest, error: RequestError): void
}

/** The handshake: `id` is checked here, an HTTP error is the answer when it is not right. */
export function upgradeHandler(
  options: UpgradeOptions,
): (res: HttpResponse, req: HttpRequest, context: us_socket_context_t) => void {
  return (res, req, context) => {
    const id = parseLiveId(queryOf(req))
    if (!id.ok) return options.refuse(res, req, id.error)
    const full = refusedForNow(options)
    if (full !== null) return options.refuse(res, req, full)
    const isLocal = options.isLocal(res, req)
    const data: SocketData = { id: id.value, isLocal, connection: null }
    res.upgrade(
      data,
      req.getHeader('sec-websocket-key'),
      req.getHeader('sec-websocket-protocol'),
      req.getHeader('sec-websocket-extensions'),
      context,
    )
  }
}

function refusedForNow(options: UpgradeOptions): RequestError | null {
  if (options.isStopping()) return requestError('stopping', 'The service is going down.')
  if (options.connectionCount() < MAX_CONNECTIONS) return null
  return requestError('overloaded', `All ${MAX_CONNECTIONS} live connections are taken.`)
}
