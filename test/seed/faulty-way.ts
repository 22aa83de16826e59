import { createServer, type IncomingMessage, request, type ServerResponse } from 'node:http'
import { onTestFinished } from 'vitest'

/** What becomes of one answer on its way; each gets the answer of the server behind. */
export type Fault = (answer: IncomingMessage, response: ServerResponse) => void

/** Stands between one that takes and the admin surface of one that gives. */
export class FaultyWay {
  /** Paths that were asked for, in order. */
  readonly asked: string[] = []
  /** Body bytes that were passed on, by the path. */
  readonly servedBytes = new Map<string, number>()
  /** Chosen for each request before it is passed on; undefined: it goes through. */
  fault: (path: string, nth: number) => Fault | undefined = () => undefined
  readonly #server = createServer((from, response) => void this.#pass(from, response))
  readonly #port: number

  constructor(port: number) {
    this.#port = port
  }

  async listen(): Promise<string> {
    await new Promise<void>((resolve) => this.#server.listen(0, '127.0.0.1', resolve))
    onTestFinished(() => {
      this.#server.closeAllConnections()
      this.#server.close()
    })
    const address = this.#server.address()
    if (address === null || typeof address === 'string') throw new Error('no port')
    return `http://127.0.0.1:${address.port}`
  }

  /** How often a path was asked for. */
  times(path: string): number {
    return this.asked.filter((one) => one === path).length
  }

  /** Body bytes of all files that were passed on. */
  get fileBytes(): number {
    const files = [...this.servedBytes].filter(([path]) => path.startsWith('/seed/'))
    return files.reduce((sum, [, bytes]) => sum + bytes, 0)
  }

  #pass(from: IncomingMessage, response: ServerResponse): void {
    const path = from.url ?? ''
    this.asked.push(path)
    const fault = this.fault(path, this.times(path))
    const { method, headers } = from
    const onwards = request({ host: '127.0.0.1', port: this.#port, method, path, headers })
    onwards.on('error', () => response.destroy())
    response.on('close', () => onwards.destroy())
    onwards.on('response', (answer) => {
      const write = response.write.bind(response)
      response.write = (bytes: Uint8Array) => {
        this.servedBytes.set(path, (this.servedBytes.get(path) ?? 0) + bytes.length)
        return write(bytes)
      }
      ;(fault ?? through)(answer, response)
    })
    onwards.end()
  }
}

const through: Fault = (answer, response) => {
  response.writeHead(answer.statusCode ?? 500, answer.headers)
  answer.on('data', (bytes: Buffer) => {
    if (response.write(bytes)) return
    answer.pause()
    response.once('drain', () => answer.resume())
  })
  answer.on('end', () => response.end())
  answer.on('error', () => response.destroy())
}

/** Ends the connection after so many bytes of the body. */
export function cutAfter(bytesMax: number): Fault {
  // What was written goes out before: a reset would take it back.
  return passing(bytesMax, (response) => response.socket?.end())
}

/** Passes on so many bytes of the body, and calls `onPassed` once. */
function passing(bytesMax: number, onPassed: (response: ServerResponse) => void): Fault {
  return (answer, response) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    let left = bytesMax
    answer.on('data', (bytes: Buffer) => {
      if (left <= 0) return
      response.write(bytes.subarray(0, left))
      left -= bytes.length
      if (left <= 0) onPassed(response)
    })
  }
}

/** Turns over one byte of the body. */
export function flip(place: number): Fault {
  return (answer, response) => {
    response.writeHead(answer.statusCode ?? 500, answer.headers)
    let at = 0
    answer.on('data', (bytes: Buffer) => {
      const i = place - at
      if (i >= 0 && i < bytes.length) bytes[i] = (bytes[i] ?? 0) ^ 0x01
      at += bytes.length
      response.write(bytes)
    })
    answer.on('end', () => response.end())
  }
}

/** Ends as if that were all, with fewer bytes than there are. */
export function truncated(bytesMax: number): Fault {
  return (answer, response) => {
    const { 'content-length': _, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 500, headers)
    let left = bytesMax
    answer.on('data', (bytes: Buffer) => {
      if (left > 0) response.write(bytes.subarray(0, left))
      left -= bytes.length
    })
    answer.on('end', () => response.end())
  }
}

/** Goes on behind the end of the body for as long as somebody reads. */
export function endless(bytes: number): Fault {
  return (answer, response) => {
    const { 'content-length': _, ...headers } = answer.headers
    response.writeHead(answer.statusCode ?? 500, headers)
    answer.on('data', (part: Buffer) => response.write(part))
    answer.on('end', () => {
      const more = () => {
        while (!response.destroyed && response.write(Buffer.alloc(bytes, 'x')));
        if (!response.destroyed) response.once('drain', more)
      }
      more()
    })
  }
}

/** Passes on so many bytes, then nothing more; the connection stays. */
export function stopAfter(bytesMax: number, onStopped: () => void = () => {}): Fault {
  return passing(bytesMax, onStopped)
}

/** An answer of its own in place of the one behind. */
export function instead(status: number, body: string): Fault {
  return (answer, response) => {
    answer.resume()
    response.writeHead(status)
    response.write(Buffer.from(body))
    response.end()
  }
}

/** The body as another one. */
export function changed(change: (body: string) => string): Fault {
  return (answer, response) => {
    const parts: Buffer[] = []
    answer.on('data', (bytes: Buffer) => parts.push(bytes))
    answer.on('end', () => {
      response.writeHead(200)
      response.write(Buffer.from(change(Buffer.concat(parts).toString())))
      response.end()
    })
  }
}
