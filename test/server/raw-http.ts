import { connect, type Socket } from 'node:net'
import { setTimeout as sleep } from 'node:timers/promises'

/** A raw TCP connection that remembers what it got. */
export interface RawConnection {
  readonly socket: Socket
  received: Buffer
  isEnded: boolean
}

export async function rawConnect(port: number): Promise<RawConnection> {
  const socket = connect(port, '127.0.0.1')
  const raw: RawConnection = { socket, received: Buffer.alloc(0), isEnded: false }
  socket.on('data', (chunk: Buffer) => {
    raw.received = Buffer.concat([raw.received, chunk])
  })
  socket.on('error', () => {})
  socket.on('close', () => {
    raw.isEnded = true
  })
  await new Promise((resolve) => socket.once('connect', resolve))
  return raw
}

/** Sends bytes and returns all that came until the text does or the time is over. */
export async function exchange(
  port: number,
  bytes: string | Buffer,
  until: (text: string) => boolean,
): Promise<string> {
  const raw = await rawConnect(port)
  raw.socket.write(bytes)
  await waitUntil(() => raw.isEnded || until(raw.received.toString()))
  raw.socket.destroy()
  return raw.received.toString()
}

/** Waits for a condition; gives up silently after five seconds, the assertion then tells. */
export async function waitUntil(condition: () => boolean, timeoutMs = 5000): Promise<void> {
  const startedMs = performance.now()
  while (!condition() && performance.now() - startedMs < timeoutMs) await sleep(5)
}
