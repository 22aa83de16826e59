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
  await waitUntil(() => raw.isEnded || until(raw.received.toString()), BEFORE_IDLE_MS)
  raw.socket.destroy()
  return raw.received.toString()
}

/** How long what a test waits for may take on a machine that does much else. */
const PATIENCE_MS = 60_000
/** Before uWebSockets.js closes an idle connection, in 8 s: what has to be closed at once is not to be seen closed by that. */
export const BEFORE_IDLE_MS = 5_000

/** Waits for a condition; gives up silently once it took too long, the assertion then tells. */
export async function waitUntil(condition: () => boolean, timeoutMs = PATIENCE_MS): Promise<void> {
  const startedMs = performance.now()
  while (!condition() && performance.now() - startedMs < timeoutMs) await sleep(5)
}
