import type { AdjustableLimits } from '../../../config/surface.ts'
import { type RequestError, requestError } from '../../../protocol/errors.ts'
import { isLoopback } from '../../sockets/client-address.ts'
import { type ClientLoad, MessageRate } from './connection.ts'

/** Clients whose last second is remembered after they left; the one that left first is forgotten. */
const MAX_RESTING_LOADS = 10_000

/**
 * Part of all live connections that programs of this machine may have together. No single address bounds them, and
 * one that never closes what it opens, or a proxy whose clients are not told apart (no TRUST_PROXY), would lock
 * out everybody else.
 */
const LOOPBACK_CONNECTIONS_SHARE = 0.9

/**
 * Decides whether a client may open one more live connection, and counts what it has. An address has an entry while it
 * has a connection and for a second after its last one, so that closing a connection and opening another gives no new
 * limits.
 */
export class LiveGate {
  readonly #limits: Pick<AdjustableLimits, 'connections' | 'connectionsPerAddress'>
  /** Name of the counted connections, for the sentences of refusals. */
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

  /** Null when the client may connect. */
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
