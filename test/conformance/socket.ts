/** A WebSocket client that keeps what it received until a case asks for it. */
import { WebSocket } from 'ws'
import { Failure, type Json, record, show, wait } from './expect.ts'

export interface Socket {
  id: string
  send: (message: unknown) => void
  sendRaw: (frame: string | Buffer, binary?: boolean) => void
  /** The next message that fits, within the time; others before it are dropped. */
  next: (fits?: (message: Json) => boolean, milliseconds?: number) => Promise<Json>
  /** The next message that fits, or null when the time is over. */
  maybe: (fits: (message: Json) => boolean, milliseconds: number) => Promise<Json | null>
  closed: () => number | null
  closing: (milliseconds: number) => Promise<number>
  close: () => void
}

let counter = 0

export const freshId = (): string => {
  counter += 1
  return `conformance-${process.pid}-${counter}`
}

export function feedUrl(ws: string, query: string, path?: string): string {
  const url = new URL(ws)
  if (path !== undefined) url.pathname = path
  return `${url.protocol}//${url.host}${url.pathname}${query}`
}

const options = { autoPong: false, handshakeTimeout: 10_000, maxPayload: 1 << 26 }

/** The status of a refused upgrade, or 101. */
export const upgradeStatus = (url: string): Promise<{ status: number; body: string }> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(url, options)
    socket.on('open', () => {
      resolve({ status: 101, body: '' })
      socket.close()
    })
    socket.on('unexpected-response', (_request, reply) => {
      const parts: Buffer[] = []
      reply.on('data', (part: Buffer) => parts.push(part))
      reply.on('end', () => {
        resolve({ status: reply.statusCode ?? 0, body: Buffer.concat(parts).toString('utf8') })
        socket.terminate()
      })
    })
    socket.on('error', reject)
  })

interface Inbox {
  messages: Json[]
  trouble: string | null
}

function parseInto(inbox: Inbox, data: unknown, binary: boolean): void {
  try {
    if (binary) throw new Failure('the server sent a binary frame')
    const parsed: unknown = JSON.parse(String(data))
    inbox.messages.push(record(parsed, 'a message'))
  } catch (error) {
    inbox.trouble = `not a JSON text message: ${show(String(data))} (${String(error)})`
  }
}

async function take(inbox: Inbox, fits: (message: Json) => boolean, milliseconds: number) {
  const end = Date.now() + milliseconds
  for (;;) {
    if (inbox.trouble !== null) throw new Failure(inbox.trouble)
    const place = inbox.messages.findIndex(fits)
    if (place >= 0) return inbox.messages.splice(0, place + 1)[place]
    if (Date.now() >= end) return null
    await wait(10)
  }
}

const isPing = (message: Json): boolean => message.type === 'ping'

function wrap(socket: WebSocket, id: string): Socket {
  const inbox: Inbox = { messages: [], trouble: null }
  let code: number | null = null
  socket.on('message', (data, binary) => parseInto(inbox, data, binary))
  socket.on('close', (given) => {
    code = given
  })
  socket.on('error', () => {})
  return {
    id,
    send: (message) => socket.send(JSON.stringify(message)),
    sendRaw: (frame, binary = false) => socket.send(frame, { binary }),
    next: async (fits = (message) => !isPing(message), milliseconds = 5000) => {
      const got = await take(inbox, fits, milliseconds)
      if (got === null) throw new Failure(`no such message in ${milliseconds} ms (close: ${code})`)
      return got
    },
    maybe: (fits, milliseconds) => take(inbox, fits, milliseconds),
    closed: () => code,
    closing: async (milliseconds) => {
      const end = Date.now() + milliseconds
      while (code === null && Date.now() < end) await wait(10)
      if (code === null) throw new Failure(`the connection was not closed in ${milliseconds} ms`)
      return code
    },
    close: () => socket.terminate(),
  }
}

export const connect = (ws: string, id = freshId(), path?: string): Promise<Socket> =>
  new Promise((resolve, reject) => {
    const socket = new WebSocket(feedUrl(ws, `?id=${encodeURIComponent(id)}`, path), options)
    const wrapped = wrap(socket, id)
    socket.on('open', () => resolve(wrapped))
    socket.on('error', reject)
    socket.on('unexpected-response', (_request, reply) => {
      reject(new Failure(`the upgrade was answered ${reply.statusCode}`))
      socket.terminate()
    })
  })

/** Opens a connection for a case and closes it after. */
export async function withSocket(ws: string, work: (socket: Socket) => Promise<void>) {
  const socket = await connect(ws)
  try {
    await work(socket)
  } finally {
    socket.close()
  }
}

export const order = (socket: Socket, event: string, action: string, more: Json = {}): Json => ({
  event,
  data: { action, id: socket.id, ...more },
})
