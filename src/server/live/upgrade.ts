import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import { type RequestError, requestError } from '../../wire/errors.ts'
import { parseLiveId } from '../../wire/requests/live-id.ts'
import { expectAbort, queryOf } from '../request.ts'
import type { SocketData } from './connection.ts'
import type { LiveGate } from './live-gate.ts'

export interface UpgradeOptions {
  readonly gate: LiveGate
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
    expectAbort(res)
    const id = parseLiveId(queryOf(req))
    if (!id.ok) return options.refuse(res, req, id.error)
    if (options.isStopping()) {
      return options.refuse(res, req, requestError('stopping', 'The service is going down.'))
    }
    const client = options.gate.clientOf(res, req)
    const full = options.gate.refusal(client)
    if (full !== null) return options.refuse(res, req, full)
    const isLocal = options.isLocal(res, req)
    const data: SocketData = { id: id.value, isLocal, client, connection: null }
    res.upgrade(
      data,
      req.getHeader('sec-websocket-key'),
      req.getHeader('sec-websocket-protocol'),
      req.getHeader('sec-websocket-extensions'),
      context,
    )
  }
}
