import { once } from 'node:events'
import type { AddressInfo } from 'node:net'
import { type WebSocket, WebSocketServer } from 'ws'

/** A real WebSocket server on a free port of this machine that says what a test tells it to. */
export class MockSocketServer {
  readonly received: string[] = []
  readonly url: string
  readonly #server: WebSocketServer
  readonly #waiting = new Set<() => void>()
  #connections = 0

  private constructor(server: WebSocketServer) {
    this.#server = server
    const { port } = server.address() as AddressInfo
    this.url = `ws://127.0.0.1:${port}`
    server.on('connection', (socket) => {
      this.#connections += 1
      socket.on('message', (data) => {
        this.received.push(String(data))
        this.#changed()
      })
      socket.on('close', () => this.#changed())
      this.#changed()
    })
  }

  static async listen(): Promise<MockSocketServer> {
    const server = new WebSocketServer({ host: '127.0.0.1', port: 0 })
    await new Promise((resolve) => server.once('listening', resolve))
    return new MockSocketServer(server)
  }

  /** Connections that were ever made. */
  get connections(): number {
    return this.#connections
  }

  /** Sends to everybody who is connected. */
  say(message: unknown): void {
    const text = typeof message === 'string' ? message : JSON.stringify(message)
    for (const client of this.#clients()) client.send(text)
  }

  /** Everything said so far has been read: an answer to a ping comes after it. */
  async heard(): Promise<void> {
    const answers = this.#clients().map((client) => once(client, 'pong'))
    for (const client of this.#clients()) client.ping()
    await Promise.all(answers)
  }

  /** Cuts every connection without a goodbye. */
  cut(): void {
    for (const client of this.#clients()) client.terminate()
  }

  /** Resolves once the condition holds; it is looked at when something came or went. */
  async until(condition: () => boolean): Promise<void> {
    while (!condition()) await new Promise<void>((resolve) => this.#waiting.add(resolve))
  }

  async close(): Promise<void> {
    this.cut()
    await new Promise((resolve) => this.#server.close(resolve))
  }

  #clients(): WebSocket[] {
    return [...this.#server.clients]
  }

  #changed(): void {
    for (const resolve of this.#waiting) resolve()
    this.#waiting.clear()
  }
}
