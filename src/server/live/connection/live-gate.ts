import type { HttpRequest, HttpResponse, us_socket_context_t } from 'uWebSockets.js'
import type { AdjustableLimits } from '../../../config/surface.ts'
import { type RequestError, requestError } from '../../../protocol/errors.ts'
import { parseLiveId } from '../../../protocol/live/event-stream.ts'
import { expectAbort, readRequest, type ServerRequest } from '../../http/request.ts'
import {
  type ClientAddresses,
  isForeignPage,
  isLocalPeer,
  isLoopback,
} from '../../sockets/client-address.ts'
import type { SocketData } from './connection.ts'
import { type ClientLoad, MessageRate } from './message-budget.ts'

/** Clients whose last second is remembered after they left; the one that left first is forgotten. */
const MAX_RESTING_LOADS = 10_000

/**
 * Part of all live connections that programs of this machine may have together. No single address bounds them, and
 * one that never closes what it opens, or a proxy whose clients are not told apart (no TRUST_PROXY), would lock
 * out everybody else.
 */
const LOOPBACK_CONNECTIONS_SHARE = 0.9

/** The refusal while the live feed closes its connections. */
const STOPPING = requestError('stopping', 'The service is going down.')

/**
 * Decides whether a client may open one more live connection, and counts what it has. An address has an entry while it
 * has a connection and for a second after its last one, so that to close a connection and open another
 * gives no new limits.
 */
export class LiveGate {
  readonly #limits: Pick<AdjustableLimits, 'connections' | 'connectionsPerAddress'>
  /** What is counted, for the sentences of refusals. */
  readonly #what: string
  readonly #loads = new Map<string, ClientLoad>()
  /** Of clients without connections, in the order in which they left. */
  readonly #resting = new Map<string, ClientLoad>()
  #total = 0
  /** Of programs of this machine, all their addresses together. */
  #local = 0

  constructor(
    limits: Pick<AdjustableLimits, 'connections' | 'connectionsPerAddress'>,
    what: string = 'live connections',
  ) {
    this.#limits = limits
    this.#what = what
  }

  /** Null when the client may come in. */
  refusal(client: string): RequestError | null {
    const { connections, connectionsPerAddress } = this.#limits
    if (this.#total >= connections)
      return requestError('overloaded', `All ${connections} ${this.#what} are taken.`)
    if (isLoopback(client)) return this.#localRefusal()
    if ((this.#loads.get(client)?.connections ?? 0) < connectionsPerAddress) return null
    const message = `Your address has ${connectionsPerAddress} ${this.#what}, which is the most allowed.`
    return requestError('too_many_connections', message)
  }

  #localRefusal(): RequestError | null {
    const most = Math.ceil(this.#limits.connections * LOOPBACK_CONNECTIONS_SHARE)
    if (this.#local < most) return null
    const message = `Programs of this machine have ${most} ${this.#what} together, which is the most allowed.`
    return requestError('too_many_connections', message)
  }

  /** The load of the client, or null for programs of this machine, whose messages are not counted. */
  entered(client: string, nowMs: number): ClientLoad | null {
    this.#total++
    if (isLoopback(client)) {
      this.#local++
      return null
    }
    this.#forgetRested(nowMs)
    const load = this.#loads.get(client) ??
      this.#resting.get(client) ?? { connections: 0, rate: new MessageRate() }
    this.#resting.delete(client)
    this.#loads.set(client, load)
    load.connections++
    return load
  }

  left(client: string): void {
    this.#total--
    if (isLoopback(client)) this.#local--
    const load = this.#loads.get(client)
    if (load === undefined) return
    load.connections--
    if (load.connections > 0) return
    this.#loads.delete(client)
    this.#resting.set(client, load)
    if (this.#resting.size <= MAX_RESTING_LOADS) return
    for (const [longest] of this.#resting) {
      this.#resting.delete(longest)
      return
    }
  }

  #forgetRested(nowMs: number): void {
    for (const [client, load] of this.#resting) {
      if (!load.rate.hasEnded(nowMs)) return
      this.#resting.delete(client)
    }
  }
}

export interface UpgradeOptions {
  readonly gate: LiveGate
  readonly addresses: ClientAddresses
  /** CORS_ORIGIN: the pages whose scripts may follow. */
  readonly corsOrigin: string
  isStopping(): boolean
  /** Answers the handshake with an HTTP error in the usual shape. */
  refuse(res: HttpResponse, request: ServerRequest, error: RequestError): void
}

const FOREIGN_PAGE = requestError(
  'foreign_page',
  'CORS_ORIGIN names another origin than that of the page that asks.',
)

/**
 * The handshake: checks `id`, and answers with an HTTP error when it is wrong. Hundreds may come in one turn of
 * the loop; one that succeeds never waits for a later turn, because uWebSockets.js sends an upgrade outside of its
 * handler in twenty pieces. A refusal may wait, as any other answer.
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
