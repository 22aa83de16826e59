import { createConnection, createServer, type Server, type Socket } from 'node:net'
import type { Random } from '../oracle/random.ts'
import { listening } from '../process/free-port.ts'

/** Bytes from the service after which a connection is cut: some 20 frames on average. */
const CUT_BYTES = 30_000
/** A connection on which less comes is cut after this time. */
const CUT_MS = 25
/** Some connections are read so slowly that frames wait in the service. */
const SLOW_MS = 25

/** A TCP proxy on loopback that cuts its connections at random bytes, until it is told not to. */
export class CuttingProxy {
  readonly url: string
  readonly #server: Server
  readonly #random: Random
  readonly #open = new Set<Socket>()
  #port: number
  isCutting = true

  private constructor(server: Server, own: number, random: Random, port: number) {
    this.url = `http://127.0.0.1:${own}`
    this.#server = server
    this.#random = random
    this.#port = port
    server.on('connection', (client) => this.#join(client))
  }

  static async start(random: Random, targetUrl: string): Promise<CuttingProxy> {
    const server = createServer()
    const own = await listening(server)
    return new CuttingProxy(server, own, random, Number(new URL(targetUrl).port))
  }

  /** Where new connections go. */
  aim(targetUrl: string): void {
    this.#port = Number(new URL(targetUrl).port)
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket): void {
    const random = this.#random
    const service = createConnection(this.#port, '127.0.0.1')
    const sockets = [client, service]
    const end = () => {
      clearTimeout(timer)
      for (const socket of sockets) {
        this.#open.delete(socket)
        socket.destroy()
      }
    }
    const timer = setTimeout(() => this.isCutting && end(), random.integer(0, CUT_MS))
    for (const socket of sockets) {
      this.#open.add(socket)
      socket.on('error', end)
      socket.on('close', end)
    }
    let bytesLeft = random.integer(1, CUT_BYTES)
    service.on('data', (bytes) => {
      const isLast = this.isCutting && bytes.length >= bytesLeft
      client.write(isLast ? bytes.subarray(0, bytesLeft) : bytes)
      bytesLeft -= bytes.length
      if (isLast) client.end(end)
    })
    client.on('data', (bytes) => service.write(bytes))
    if (!random.chance(0.1)) return
    service.pause()
    setTimeout(() => service.resume(), SLOW_MS)
  }
}
