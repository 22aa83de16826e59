import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { type RequestError, requestError } from '../../wire/errors.ts'
import type { ClientAddresses } from '../client-address.ts'
import type { AdjustableLimits } from '../limits.ts'
import { forwardedForOf } from '../request.ts'

type GateLimits = Pick<AdjustableLimits, 'connections' | 'connectionsPerAddress'>

/** Keys of 127.0.0.0/8 and of the /64 of ::1: programs of this machine, a reverse proxy among them. */
const LOOPBACK = /^(?:127\.|0{16}$)/

/** Who may open one more live connection. The counts have an entry per address that has one open. */
export class LiveGate {
  readonly #addresses: ClientAddresses
  readonly #limits: GateLimits
  readonly #counts = new Map<string, number>()
  #total = 0

  constructor(addresses: ClientAddresses, limits: GateLimits) {
    this.#addresses = addresses
    this.#limits = limits
  }

  /** Whom a handshake is counted for: the key of the rate limit. */
  clientOf(res: HttpResponse, req: HttpRequest): string {
    const forwardedFor = this.#addresses.trustsProxies ? forwardedForOf(req) : ''
    return this.#addresses.keyOf(res.getRemoteAddress(), forwardedFor)
  }

  /** Null when the client may come in. */
  refusal(client: string): RequestError | null {
    const { connections, connectionsPerAddress } = this.#limits
    if (this.#total >= connections)
      return requestError('overloaded', `All ${connections} live connections are taken.`)
    if (LOOPBACK.test(client) || (this.#counts.get(client) ?? 0) < connectionsPerAddress)
      return null
    const message = `Your address has ${connectionsPerAddress} live connections, which is the most allowed.`
    return requestError('too_many_connections', message)
  }

  entered(client: string): void {
    this.#total++
    this.#counts.set(client, (this.#counts.get(client) ?? 0) + 1)
  }

  left(client: string): void {
    this.#total--
    const count = (this.#counts.get(client) ?? 0) - 1
    if (count > 0) this.#counts.set(client, count)
    else this.#counts.delete(client)
  }
}
