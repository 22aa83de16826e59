import { Child, type Message } from '../child.ts'
import type { Round } from '../pairs.ts'
import { roundMs } from '../settings.ts'

/** Rounds begin with this, for the connections to open. */
const RAMP_MS = 100
/** Requests under way, so that the server and not the round trip is measured. */
const UNDER_WAY = 32
/** On each connection, unless a row says otherwise. */
const PIPELINED = 4
/** Enough that none brings a second request while a late answer is awaited: who pipelines is cut off. */
const OPEN_CONNECTIONS = 128

/** A server that is driven. */
export interface Target {
  readonly port: number
  readonly pid: number
}

/** The driver's process as its parent sees it. */
export class HttpLoad {
  readonly #child = new Child('drivers/http-driver.ts')

  static async start(): Promise<HttpLoad> {
    const load = new HttpLoad()
    await load.#child.next()
    return load
  }

  /** Answers a second when the next request goes out as soon as an answer came. */
  async rate(
    target: Target,
    requests: readonly string[],
    runMs = roundMs,
    underWay = PIPELINED,
  ): Promise<Round> {
    const connections = UNDER_WAY / underWay
    const result = await this.#ask({
      ...{ port: target.port, serverPid: target.pid, requests: requests.join('\0') },
      ...{ connections, underWay, warmMs: RAMP_MS, runMs },
    })
    return {
      perSecond: Number(result.perSecond),
      server: { ran: Number(result.serverRan), waited: Number(result.serverWaited) },
      driver: { ran: Number(result.driverRan), waited: Number(result.driverWaited) },
      bytes: (Number(result.megabytesPerSecond) * 1e6) / Number(result.perSecond),
    }
  }

  /** Latencies at a rate that is kept whatever the server does. */
  latency(
    target: Target,
    requests: readonly string[],
    ratePerSecond: number,
    runMs: number,
  ): Promise<Message> {
    const { port } = target
    const connections = OPEN_CONNECTIONS
    return this.#ask({ port, requests: requests.join('\0'), connections, ratePerSecond, runMs })
  }

  stop(): void {
    this.#child.stop()
  }

  async #ask(order: Message): Promise<Message> {
    const result = await this.#child.ask(order)
    if (result.wrong !== 0) throw new Error(`${result.wrong} answers were not 200, or refused`)
    return result
  }
}

export function postTables(body: string): string {
  return (
    'POST /api/v2/meme HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n' +
    `Content-Length: ${Buffer.byteLength(body)}\r\n\r\n${body}`
  )
}

export function get(path: string): string {
  return `GET ${path} HTTP/1.1\r\nHost: bench\r\n\r\n`
}
