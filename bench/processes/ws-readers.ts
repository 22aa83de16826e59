/**
 * Many WebSocket readers of one mint that only count. The parent tells port, mint and number, or
 * asks for a count: frames from 256 bytes on are trades, smaller ones are the feed's own.
 */
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { type Message, onParent, tellParent } from '../child.ts'

const READ_BYTES = 1 << 16
const TRADE_BYTES_MIN = 256
const SEEN_EVERY_MS = 5
const HEAD_END = '\r\n\r\n'
const LONG_LENGTH = 126
const TEXT_FRAME = 0x81
const MASKED = 0x80

const shared = Buffer.allocUnsafe(READ_BYTES)
let readers: Reader[] = []
let bytes = 0
let isLost = false

class Reader {
  trades = 0
  #isOpen = false
  #left = 0
  #head = Buffer.alloc(4)
  #headBytes = 0

  constructor(port: number, mint: string, id: string, opened: () => void) {
    const callback = (size: number) => {
      if (this.#isOpen) this.#read(size)
      else if (shared.toString('latin1', 0, size).includes(HEAD_END)) {
        // The subscription is answered before any trade, so nothing counted shares this read.
        this.#isOpen = true
        socket.write(subscription(mint, id))
        opened()
      }
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer: shared, callback } })
    socket.write(
      `GET /ws?id=${id} HTTP/1.1\r\nHost: bench\r\nUpgrade: websocket\r\nConnection: Upgrade\r\n` +
        `Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\nSec-WebSocket-Version: 13${HEAD_END}`,
    )
    socket.on('close', () => {
      isLost = true
    })
  }

  #read(size: number): void {
    let at = 0
    while (at < size) {
      if (this.#left > 0) {
        const taken = Math.min(this.#left, size - at)
        this.#left -= taken
        at += taken
        continue
      }
      this.#head[this.#headBytes++] = shared[at++]
      this.#takeHead()
    }
  }

  /** Frames of the server are not masked, and never of 64 KiB. */
  #takeHead(): void {
    if (this.#headBytes < 2) return
    const short = this.#head[1]
    if (short === LONG_LENGTH && this.#headBytes < 4) return
    this.#left = short === LONG_LENGTH ? this.#head.readUInt16BE(2) : short
    this.#headBytes = 0
    if (this.#left < TRADE_BYTES_MIN) return
    this.trades++
    bytes += this.#left
  }
}

/** A masked text frame; a mask of zeros leaves the text as it is. */
function subscription(mint: string, id: string): Buffer {
  const data = { action: 'subscribe', id, mint }
  const text = Buffer.from(JSON.stringify({ event: 'update_mint_info', data }))
  const head = Buffer.from([TEXT_FRAME, MASKED | LONG_LENGTH, 0, 0, 0, 0, 0, 0])
  head.writeUInt16BE(text.length, 2)
  return Buffer.concat([head, text])
}

async function open(order: Message): Promise<void> {
  const opened: Reader[] = []
  const count = Number(order.readers)
  for (let i = 0; i < count; i++) {
    await new Promise<void>((resolve) => {
      opened.push(new Reader(Number(order.port), String(order.mint), `reader${i}`, resolve))
    })
  }
  await setTimeout(300)
  readers = opened
  tellParent({ opened: count })
}

async function count(order: Message): Promise<void> {
  for (const reader of readers) reader.trades = 0
  const timer = setInterval(() => tellParent({ seen: slowest() }), SEEN_EVERY_MS)
  await setTimeout(Number(order.warmMs))
  const first = delivered()
  bytes = 0
  const startMs = performance.now()
  await setTimeout(Number(order.runMs))
  const seconds = (performance.now() - startMs) / 1000
  const frames = delivered() - first
  clearInterval(timer)
  if (isLost) throw new Error('a reader was closed')
  tellParent({ perSecond: frames / seconds, messageBytes: bytes / frames })
}

function delivered(): number {
  return readers.reduce((sum, reader) => sum + reader.trades, 0)
}

function slowest(): number {
  return readers.reduce((least, reader) => Math.min(least, reader.trades), Infinity)
}

onParent((order) => void (order.readers === undefined ? count(order) : open(order)))
tellParent({ ready: 1 })
