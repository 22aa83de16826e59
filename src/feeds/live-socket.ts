import { WebSocket } from 'ws'
import { Backoff } from './backoff.ts'
import { wait } from './wait.ts'

/** How long a handshake may take. */
const HANDSHAKE_MS = 10_000
/** A connection that lasted this long counts as one that works: the next wait is short again. */
const STEADY_MS = 10_000

export interface LiveSocketOptions {
  readonly url: string
  /** Without a message for this long the connection is taken for dead and made anew. */
  readonly silenceMs: number
  /** The same without a message of use: a subscription may be dead behind heartbeats. */
  readonly stallMs: number
  /** Longest message; a longer one ends the connection. */
  readonly frameBytesMax: number
  /** Called when a connection is open, to subscribe. */
  readonly onOpen: (send: (text: string) => void) => void
  /** Whether the message is of use. */
  readonly onText: (text: string) => boolean
  /** Called once for each connection that ended or could not be made, with the reason. */
  readonly onLost?: (reason: string) => void
  readonly backoff?: Backoff
  readonly steadyMs?: number
}

/** A WebSocket to a server that is not ours: kept open, watched for silence, made anew when lost. */
export class LiveSocket {
  readonly #options: LiveSocketOptions
  readonly #backoff: Backoff
  #socket: WebSocket | null = null
  #isOpen = false
  #opened = 0
  #lost = 0

  constructor(options: LiveSocketOptions) {
    this.#options = options
    this.#backoff = options.backoff ?? new Backoff()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Connections that were opened so far. */
  get opened(): number {
    return this.#opened
  }

  /** Connections that ended, or could not be made, without having been stopped. */
  get lost(): number {
    return this.#lost
  }

  /** Sends when the connection is open; what is not sent is asked for again in `onOpen`. */
  send(text: string): void {
    if (this.#isOpen) this.#socket?.send(text)
  }

  /** Keeps a connection until the signal; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    const { onLost, steadyMs = STEADY_MS } = this.#options
    while (!signal.aborted) {
      const startMs = performance.now()
      const reason = await this.#connection(signal)
      if (signal.aborted) return
      this.#lost += 1
      onLost?.(reason)
      if (performance.now() - startMs >= steadyMs) this.#backoff.succeeded()
      await wait(this.#backoff.nextMs(), signal)
    }
  }

  /** One connection from its start to its end; resolves with why it ended. */
  #connection(signal: AbortSignal): Promise<string> {
    const { url, silenceMs, stallMs, frameBytesMax, onOpen, onText } = this.#options
    const { promise, resolve } = Promise.withResolvers<string>()
    let reason = ''
    const socket = new WebSocket(url, {
      maxPayload: frameBytesMax,
      handshakeTimeout: HANDSHAKE_MS,
      perMessageDeflate: false,
    })
    this.#socket = socket
    const end = (why: string) => {
      reason ||= why
      socket.terminate()
    }
    const stop = () => end('it was stopped')
    signal.addEventListener('abort', stop)
    const silence = setTimeout(() => end(`nothing came for ${silenceMs} ms`), silenceMs)
    const stall = setTimeout(() => end(`nothing of use came for ${stallMs} ms`), stallMs)
    socket.on('open', () => {
      this.#isOpen = true
      this.#opened += 1
      onOpen((text) => socket.send(text))
    })
    socket.on('message', (data, isBinary) => {
      silence.refresh()
      if (!isBinary && reason === '' && onText(String(data))) stall.refresh()
    })
    // What follows an error is always the close, which ends the connection.
    socket.on('error', (error) => end(error.message))
    socket.on('close', (code) => {
      clearTimeout(silence)
      clearTimeout(stall)
      signal.removeEventListener('abort', stop)
      this.#isOpen = false
      resolve(reason || `the server closed it with code ${code}`)
    })
    return promise
  }
}
