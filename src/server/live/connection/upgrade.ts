import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import { type RequestError, requestError } from '../../../protocol/errors.ts'
import { parseLiveId } from '../../../protocol/live/event-stream.ts'
import { expectAbort, readRequest, type ServerRequest } from '../../http/request.ts'
import { type ClientAddresses, isForeignPage, isLocalPeer } from '../../sockets/client-address.ts'
import type { SocketData } from './connection.ts'
import { type LiveGate, STOPPING } from './live-gate.ts'

export interface UpgradeOptions {
  readonly gate: LiveGate
  readonly addresses: ClientAddresses
  /** CORS_ORIGIN: the pages whose scripts may follow. */
  readonly corsOrigin: string
  isStopping(): boolean
  /** Queries the handshake with an HTTP error in the usual shape. */
  refuse(res: HttpResponse, request: ServerRequest, error: RequestError): void
}

const FOREIGN_PAGE = requestError(
  'foreign_page',
  'CORS_ORIGIN names another origin than that of the page that asks.',
)

/**
 * The handshake: `id` is checked here, an HTTP error is the answer when it is not right. Hundreds may
 * come in one turn of the loop; none that is taken waits for a later one, for uWebSockets.js sends an
 * upgrade outside of its handler in twenty pieces. A refusal may wait, as any other answer.
 */
export function upgradeHandler(
  options: UpgradeOptions,
): (res: HttpResponse, req: HttpRequest, context: us_socket_context_t) => void {
  return (res, req, context) => {
    expectAbort(res)
    const request = readRequest(res, req, options.addresses)
    const { client } = request
    const id = parseLiveId(request.query)
    const isForeign = isForeignPage(
      req.getHeader('origin'),
      req.getHeader('host'),
      options.corsOrigin,
    )
    const refused = isForeign ? FOREIGN_PAGE : refusal(options, client)
    if (!id.ok) options.refuse(res, request, id.error)
    else if (refused !== null) options.refuse(res, request, refused)
    else {
      const data: SocketData = {
        id: id.value,
        isLocal: isLocalPeer(res, req),
        client,
        connection: null,
      }
      const key = req.getHeader('sec-websocket-key')
      const protocol = req.getHeader('sec-websocket-protocol')
      res.upgrade(data, key, protocol, req.getHeader('sec-websocket-extensions'), context)
    }
  }
}

function refusal({ isStopping, gate }: UpgradeOptions, client: string): RequestError | null {
  return isStopping() ? STOPPING : gate.refusal(client)
}
