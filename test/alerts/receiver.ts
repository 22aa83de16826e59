import { createHash } from 'node:crypto'
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http'
import { setTimeout as pause } from 'node:timers/promises'

/** What a receiver does with a delivery. */
export type Mood = 'takes' | 'answers 500' | 'stalls' | 'cuts' | 'redirects' | 'takes and stalls'

export interface Received {
  readonly id: string
  readonly rule: string
  readonly seq: number
  readonly event: string
  readonly data: Readonly<Record<string, unknown>>
  readonly timestamp: string
  readonly epoch: string
}

const BLOCK_BYTES = 64

/** HMAC-SHA256 by its definition (RFC 2104), out of the hash alone. */
export function hmacHex(secret: string, text: string): string {
  const sha = (...parts: readonly Buffer[]) =>
    createHash('sha256').update(Buffer.concat(parts)).digest()
  const given = Buffer.from(secret)
  const key = Buffer.alloc(BLOCK_BYTES)
  const short = given.length > BLOCK_BYTES ? sha(given) : given
  short.copy(key)
  const padded = (byte: number) => Buffer.from(key.map((one) => one ^ byte))
  return sha(padded(0x5c), sha(padded(0x36), Buffer.from(text))).toString('hex')
}

/** Does the header fit the body, and is its time one of now? */
export function isSigned(header: string, body: string, secret: string): boolean {
  const [, time = '', signature = ''] = /^t=(\d+),v1=([0-9a-f]{64})$/.exec(header) ?? []
  const ageSeconds = Math.abs(Date.now() / 1000 - Number(time))
  return ageSeconds < 300 && signature === hmacHex(secret, `${time}.${body}`)
}

/** A receiver of webhooks on a real socket, which fails as it is told. */
export class Receiver {
  mood: Mood = 'takes'
  /** Everything that came, and what of it was answered 2xx. */
  readonly came: Received[] = []
  readonly taken: Received[] = []
  badSignatures = 0
  connections = 0
  readonly #secret: string
  readonly #host: string
  #server: Server | null = null
  #port = 0

  constructor(secret: string, host = '127.0.0.1') {
    this.#secret = secret
    this.#host = host
  }

  get url(): string {
    return `http://${this.#host}:${this.#port}/hook`
  }

  get port(): number {
    return this.#port
  }

  /** Listens, again at the same port. */
  async start(): Promise<void> {
    const server = createServer((request, response) => void this.#answer(request, response))
    server.on('connection', () => {
      this.connections += 1
    })
    await new Promise<void>((resolve, reject) => {
      server.once('error', reject)
      server.listen(this.#port, this.#host, resolve)
    })
    const address = server.address()
    this.#port = typeof address === 'object' && address !== null ? address.port : 0
    this.#server = server
  }

  /** Ends with every connection that it has. */
  async stop(): Promise<void> {
    const server = this.#server
    if (server === null) return
    this.#server = null
    await new Promise<void>((resolve) => {
      server.close(() => resolve())
      server.closeAllConnections()
    })
  }

  async #answer(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const parts: Buffer[] = []
    try {
      for await (const part of request) if (Buffer.isBuffer(part)) parts.push(part)
    } catch {
      return
    }
    const body = Buffer.concat(parts).toString('utf8')
    const header = request.headers['x-mintfeed-signature']
    if (!isSigned(String(header), body, this.#secret)) this.badSignatures += 1
    const delivery: Received = JSON.parse(body)
    this.came.push(delivery)
    const { mood } = this
    if (mood === 'answers 500') return void response.writeHead(500).end('no')
    if (mood === 'redirects') return void response.writeHead(307, { Location: this.url }).end()
    if (mood === 'cuts') return void request.socket.destroy()
    if (mood === 'stalls') return
    this.taken.push(delivery)
    // Whether the sender has heard of it is not known here.
    if (mood === 'takes and stalls') await pause(50)
    response.writeHead(204).end()
  }
}

/** The rest of a repeated delivery, and its order: of one rule, each id for the first time, in order. */
export function faultsOfOrder(taken: readonly Received[]): string[] {
  const newest = new Map<string, readonly [number, number]>()
  const known = new Set<string>()
  const faults: string[] = []
  for (const { id, rule, seq, epoch } of taken) {
    if (known.has(id)) continue
    known.add(id)
    const [start, part = '0'] = id.slice(`${epoch}:`.length).split(`:${rule}`)
    const number = Number(part.replace(':', '') || '0')
    if (start !== String(seq) || !id.startsWith(`${epoch}:`)) faults.push(`${id} is not of ${seq}`)
    const [seqBefore, partBefore] = newest.get(rule) ?? [0, -1]
    const isLater = seq > seqBefore || (seq === seqBefore && number === partBefore + 1)
    if (!isLater) faults.push(`${id} came behind ${seqBefore}:${partBefore}`)
    newest.set(rule, [seq, number])
  }
  return faults
}
