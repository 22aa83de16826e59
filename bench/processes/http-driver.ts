/**
 * Sends one request over and over on some keep-alive connections with several under way on each,
 * and counts whole answers. The parent tells port, body and time.
 */
import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { type Message, onParent, tellParent } from '../child.ts'

const CONNECTIONS = 8
const UNDER_WAY = 4
const READ_BYTES = 1 << 18
const HEAD_END = '\r\n\r\n'
const LENGTH = /content-length: *(\d+)/i

const shared = Buffer.allocUnsafe(READ_BYTES)
let answers = 0
let bytes = 0
let wrong = 0

/** Finds the ends of answers in what arrives. */
class AnswerCounter {
  #head = ''
  #bodyLeft = 0

  /** Number of answers that ended in the first `size` bytes of the shared buffer. */
  read(size: number): number {
    let ended = 0
    let at = 0
    while (at < size) {
      if (this.#bodyLeft === 0) at = this.#readHead(at, size)
      const taken = Math.min(this.#bodyLeft, size - at)
      if (taken === 0) continue
      at += taken
      this.#bodyLeft -= taken
      if (this.#bodyLeft === 0) ended++
    }
    return ended
  }

  #readHead(from: number, size: number): number {
    const before = this.#head.length
    const text = this.#head + shared.toString('latin1', from, Math.min(size, from + 2_048))
    const end = text.indexOf(HEAD_END)
    if (end < 0) {
      this.#head = text
      return size
    }
    const head = text.slice(0, end)
    if (!head.startsWith('HTTP/1.1 200')) wrong++
    this.#bodyLeft = Number(LENGTH.exec(head)?.[1] ?? 0)
    this.#head = ''
    return from + end + HEAD_END.length - before
  }
}

function open(port: number, request: Buffer): Socket {
  const counter = new AnswerCounter()
  const callback = (size: number) => {
    const ended = counter.read(size)
    answers += ended
    bytes += size
    for (let i = 0; i < ended; i++) socket.write(request)
    return true
  }
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer: shared, callback } })
  socket.setNoDelay(true)
  for (let i = 0; i < UNDER_WAY; i++) socket.write(request)
  return socket
}

async function drive(order: Message): Promise<Message> {
  const body = String(order.body)
  const head =
    `POST /api/v2/meme HTTP/1.1\r\nHost: bench\r\nContent-Type: application/json\r\n` +
    `Content-Length: ${Buffer.byteLength(body)}${HEAD_END}`
  const request = Buffer.from(head + body)
  const sockets = Array.from({ length: CONNECTIONS }, () => open(Number(order.port), request))
  await setTimeout(Number(order.warmMs))
  answers = bytes = wrong = 0
  const startMs = performance.now()
  await setTimeout(Number(order.runMs))
  const seconds = (performance.now() - startMs) / 1000
  const result = { perSecond: answers / seconds, megabytesPerSecond: bytes / seconds / 1e6, wrong }
  for (const socket of sockets) socket.destroy()
  return result
}

onParent((order) => void drive(order).then(tellParent))
tellParent({ ready: 1 })
