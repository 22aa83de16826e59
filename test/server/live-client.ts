import WebSocket from 'ws'

export interface Closed {
  readonly code: number
  readonly reason: string
}

/** A client that keeps what came in order. */
export class LiveClient {
  readonly socket: WebSocket
  readonly closed: Promise<Closed>
  readonly received: unknown[] = []
  #waiting: ((message: unknown) => void)[] = []
  #taken = 0

  constructor(url: string, options: WebSocket.ClientOptions = {}) {
    this.socket = new WebSocket(url, options)
    this.closed = new Promise((resolve) => {
      this.socket.on('close', (code, reason) => resolve({ code, reason: reason.toString() }))
    })
    this.socket.on('error', () => {})
    this.socket.on('message', (data) => {
      this.received.push(JSON.parse(data.toString()))
      if (this.#waiting.length > 0) this.#waiting.shift()?.(this.received[this.#taken++])
    })
  }

  static async open(url: string, options: WebSocket.ClientOptions = {}): Promise<LiveClient> {
    const client = new LiveClient(url, options)
    await new Promise((resolve, reject) => {
      client.socket.once('open', resolve)
      client.socket.once('error', reject)
    })
    return client
  }

  /** The next message that was not taken yet. */
  next(): Promise<unknown> {
    if (this.#taken < this.received.length) return Promise.resolve(this.received[this.#taken++])
    return new Promise((resolve) => this.#waiting.push(resolve))
  }

  /** Sends and takes the next message; texts go out as they are. */
  ask(message: unknown): Promise<unknown> {
    this.socket.send(typeof message === 'string' ? message : JSON.stringify(message))
    return this.next()
  }

  close(): void {
    this.socket.close()
  }
}
