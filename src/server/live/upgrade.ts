import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import { type RequestError, requestError } from '../../wire/errors.ts'
import { parseLiveId } from '../../wire/requests/live-id.ts'
import type { ClientAddresses } from '../client-address.ts'
import { LIVE_TURN_MS } from '../limits.ts'
import { expectAbort, readRequest, type ServerRequest } from '../request.ts'
import type { Turns } from '../turns.ts'
import type { SocketData } from './connection.ts'
import type { LiveGate } from './live-gate.ts'

export interface UpgradeOptions {
  readonly gate: LiveGate
  readonly turns: Turns
  readonly addresses: ClientAddresses
  isStopping(): boolean
  /** Does the handshake come from this machine? */
  isLocal(res: HttpResponse, req: HttpRequest): boolean
  /** Answers the handshake with an HTTP error in the usual shape. */
  refuse(res: HttpResponse, request: ServerRequest, error: RequestError): void
}

/** What is read of a handshake: uWebSockets.js frees the request when the handler returns. */
interface Handshake {
  readonly request: ServerRequest
  readonly isLocal: boolean
  readonly key: string
  readonly protocol: string
  readonly extensions: string
  readonly context: us_socket_context_t
}

/**
 * The handshake: `id` is checked here, an HTTP error is the answer when it is not right. Hundreds may
 * come in one turn of the loop; those that are too many for it wait for a later one.
 */
export function upgradeHandler(
  options: UpgradeOptions,
): (res: HttpResponse, req: HttpRequest, context: us_socket_context_t) => void {
  return (res, req, context) => {
    expectAbort(res)
    const request = readRequest(res, req, options.addresses)
    const handshake: Handshake = {
      request,
      isLocal: options.isLocal(res, req),
      key: req.getHeader('sec-websocket-key'),
      protocol: req.getHeader('sec-websocket-protocol'),
      extensions: req.getHeader('sec-websocket-extensions'),
      context,
    }
    if (options.turns.isOver(request.client, LIVE_TURN_MS)) defer(options, res, handshake)
    else upgrade(options, res, handshake)
  }
}

function defer(options: UpgradeOptions, res: HttpResponse, handshake: Handshake): void {
  let isGone = false
  res.onAborted(() => {
    isGone = true
  })
  options.turns.later(handshake.request.client, {
    run() {
      // Not corked as a whole: an upgraded socket that stays where it was in memory is then taken for
      // an answer still, and closed at random (uWebSockets.js, the end of `cork`).
      if (!isGone) upgrade(options, res, handshake)
      return false
    },
  })
}

function upgrade(options: UpgradeOptions, res: HttpResponse, handshake: Handshake): void {
  const { request, isLocal, key, protocol, extensions, context } = handshake
  const { client } = request
  const id = parseLiveId(request.query)
  const full = refusal(options, client)
  if (!id.ok) res.cork(() => options.refuse(res, request, id.error))
  else if (full !== null) res.cork(() => options.refuse(res, request, full))
  else {
    const data: SocketData = { id: id.value, isLocal, client, connection: null }
    res.upgrade(data, key, protocol, extensions, context)
  }
}

function refusal({ isStopping, gate }: UpgradeOptions, client: string): RequestError | null {
  return isStopping()
    ? requestError('stopping', 'The service is going down.')
    : gate.refusal(client)
}
