import { WebSocket } from 'ws'
import { Backoff } from '../backoff.ts'
import { peerSocket } from '../peer-socket.ts'
import { wait } from '../wait.ts'

/** A connection that lasted this long counts as one that works: the next wait is short again. */
const STEADY_MS = 10_000

export interface VenueSocketOptions {
  readonly url: string
  /** Without a message for this long the connection is taken for dead and made anew. */
  readonly silenceMs: number
  /** The same without a message of use: a subscription may be dead behind heartbeats. */
  readonly stallMs: number
  /** Longest message; a longer one ends the connection. */
  readonly frameBytesMax: number
  /** Sent when a connection is open, to subscribe. */
  readonly greetings: readonly string[]
  /** Whether the message is of use. */
  readonly onText: (text: string) => boolean
  readonly backoff?: Backoff
}

/** A WebSocket to a venue: kept open, watched for silence, made anew when lost. */
export class VenueSocket {
  readonly #options: VenueSocketOptions
  readonly #backoff: Backoff
  #isOpen = false
  #lost = 0

  constructor(options: VenueSocketOptions) {
    this.#options = options
    this.#backoff = options.backoff ?? new Backoff()
  }

  get isOpen(): boolean {
    return this.#isOpen
  }

  /** Connections that ended, or could not be made, without having been stopped. */
  get lost(): number {
    return this.#lost
  }

  /** Keeps a connection until the signal; never rejects. */
  async run(signal: AbortSignal): Promise<void> {
    while (!signal.aborted) {
      const startMs = performance.now()
      await this.#connection(signal)
      if (signal.aborted) return
      this.#lost += 1
      if (performance.now() - startMs >= STEADY_MS) this.#backoff.succeeded()
      await wait(this.#backoff.nextMs(), signal)
    }
  }

  /** One connection from its start to its end. */
  #connection(signal: AbortSignal): Promise<void> {
    const { url, silenceMs, stallMs, frameBytesMax, greetings, onText } = this.#options
    const { promise, resolve } = Promise.withResolvers<void>()
    const socket = peerSocket(url, frameBytesMax, signal)
    const end = () => socket.terminate()
    const silence = setTimeout(end, silenceMs)
    const stall = setTimeout(end, stallMs)
    socket.on('open', () => {
      this.#isOpen = true
      for (const greeting of greetings) socket.send(greeting)
    })
    socket.on('message', (data, isBinary) => {
      silence.refresh()
      const isEnding = socket.readyState !== WebSocket.OPEN
      if (!isBinary && !isEnding && onText(String(data))) stall.refresh()
    })
    // What follows an error is always the close, which ends the connection.
    socket.on('error', end)
    socket.on('close', () => {
      clearTimeout(silence)
      clearTimeout(stall)
      this.#isOpen = false
      resolve()
    })
    return promise
  }
}
