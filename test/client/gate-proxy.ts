import { createConnection, createServer, type Server, type Socket } from 'node:net'
import { listening } from '../process/free-port.ts'

/**
 * - `open`: bytes go through;
 * - `silent`: connections stay and open, and nothing comes through any more, as of a machine that hangs;
 * - `dead`: connections are cut, and new ones too.
 */
type Mode = 'open' | 'silent' | 'dead'

/** A TCP proxy on loopback in front of a service that comes and goes: its own address stays. */
export class GateProxy {
  readonly url: string
  readonly #server: Server
  readonly #open = new Set<Socket>()
  #port: number
  #mode: Mode = 'open'

  private constructor(server: Server, own: number, port: number) {
    this.url = `http://127.0.0.1:${own}`
    this.#server = server
    this.#port = port
    server.on('connection', (client) => this.#join(client))
  }

  static async start(targetUrl: string): Promise<GateProxy> {
    const server = createServer()
    const own = await listening(server)
    return new GateProxy(server, own, Number(new URL(targetUrl).port))
  }

  /** Where new connections go. */
  aim(targetUrl: string): void {
    this.#port = Number(new URL(targetUrl).port)
  }

  set mode(mode: Mode) {
    this.#mode = mode
    if (mode === 'dead') for (const socket of this.#open) socket.destroy()
  }

  async stop(): Promise<void> {
    for (const socket of this.#open) socket.destroy()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #join(client: Socket): void {
    if (this.#mode === 'dead') {
      client.destroy()
      return
    }
    const service = createConnection(this.#port, '127.0.0.1')
    this.#pass(client, service)
    this.#pass(service, client)
  }

  #pass(from: Socket, to: Socket): void {
    this.#open.add(from)
    from.on('error', () => {})
    from.on('data', (bytes) => this.#mode === 'open' && to.write(bytes))
    from.on('close', () => {
      this.#open.delete(from)
      to.destroy()
    })
  }
}
