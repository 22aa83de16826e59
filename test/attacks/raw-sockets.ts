import { connect, type Socket } from 'node:net'
import { setTimeout as pause } from 'node:timers/promises'

/** Connections that are opened before the next ones are: more at once would overflow the backlog. */
const OPENED_AT_ONCE = 200

/** Opens TCP connections; those that the service closes are not opened again. */
export async function openSockets(
  port: number,
  count: number,
  begin: (socket: Socket, index: number) => void,
): Promise<Socket[]> {
  const sockets: Socket[] = []
  while (sockets.length < count) {
    const some = Math.min(OPENED_AT_ONCE, count - sockets.length)
    const opened = Array.from({ length: some }, (_, i) =>
      openSocket(port, begin, sockets.length + i),
    )
    sockets.push(...(await Promise.all(opened)))
  }
  return sockets
}

function openSocket(
  port: number,
  begin: (socket: Socket, index: number) => void,
  index: number,
): Promise<Socket> {
  return new Promise((resolve) => {
    const socket = connect(port, '127.0.0.1')
    socket.on('error', () => resolve(socket))
    socket.on('connect', () => {
      begin(socket, index)
      resolve(socket)
    })
  })
}

/** Who a live connection is. */
export interface LiveClient {
  readonly id: string
  /** What it follows from its beginning on. */
  readonly mints?: readonly string[]
  /** Of the client behind the proxy that this machine is. */
  readonly address?: string
}

/**
 * Opens live connections. What came with the handshake would be lost, so they follow nothing before
 * its answer is there. They are left paused behind the first answer: who wants to read resumes.
 */
export async function openLive(
  port: number,
  count: number,
  clientOf: (index: number) => LiveClient,
): Promise<Socket[]> {
  const accepted: Promise<void>[] = []
  const sockets = await openSockets(port, count, (socket, index) => {
    accepted.push(acceptedAs(socket, clientOf(index)))
  })
  await Promise.all(accepted)
  return sockets
}

/** Resolves when it follows its mints, or is closed. */
function acceptedAs(socket: Socket, { id, mints = [], address }: LiveClient): Promise<void> {
  return new Promise((resolve) => {
    let text = ''
    let isOpen = false
    const heard = (chunk: Buffer) => {
      text += chunk.toString('latin1')
      if (!isOpen && text.includes('\r\n\r\n')) {
        isOpen = true
        if (mints.length > 0) socket.write(followFrame(id, mints))
      }
      if (!isOpen || (mints.length > 0 && !text.includes('"subscribed"'))) return
      socket.off('data', heard)
      socket.pause()
      resolve()
    }
    socket.on('data', heard)
    socket.once('close', resolve)
    socket.write(handshake(id, address))
  })
}

/** Closes what is left, with a reset. */
export function resetAll(sockets: readonly Socket[]): void {
  for (const socket of sockets) socket.resetAndDestroy()
}

/** The handshake of a live connection as bytes; from an address of a client, when there is one. */
export function handshake(id: string, address?: string): string {
  const forwarded = address === undefined ? '' : `X-Forwarded-For: ${address}\r\n`
  return (
    `GET /ws?id=${id} HTTP/1.1\r\nHost: x\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n${forwarded}` +
    'Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13\r\n\r\n'
  )
}

/** A masked text frame (mask of zeros: the payload stays as it is). */
export function textFrame(text: string): Buffer {
  const payload = Buffer.from(text)
  const head = Buffer.alloc(payload.length < 126 ? 6 : 8)
  head[0] = 0x81
  head[1] = 0x80 | (payload.length < 126 ? payload.length : 126)
  if (payload.length >= 126) head.writeUInt16BE(payload.length, 2)
  return Buffer.concat([head, payload])
}

/** Subscribes to mints under the id of the handshake. */
export function followFrame(id: string, mints: readonly string[], action = 'subscribe'): Buffer {
  return textFrame(JSON.stringify({ event: 'update_mint_info', data: { action, id, mints } }))
}

/** Waits for the end of the attack and does something to every socket that lives, now and then. */
export async function dripUntil(
  isOver: () => boolean,
  sockets: readonly Socket[],
  everyMs: number,
  drip: (socket: Socket) => void,
): Promise<void> {
  while (!isOver()) {
    for (const socket of sockets) if (!socket.destroyed) drip(socket)
    await pause(everyMs)
  }
  resetAll(sockets)
}
