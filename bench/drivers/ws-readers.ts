/**
 * Many WebSocket readers of one mint that only count. The parent tells port, mint and number, or
 * asks for a count: frames from 256 bytes on are trades, smaller ones are the feed's own.
 */
import { connect } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import { type Message, onParent, tellParent } from '../child.ts'
import { mainThreadTimes, shareOf } from '../threads.ts'
import { FrameCounter, subscription, upgrade } from './ws-frames.ts'

const READ_BYTES = 1 << 16
const TRADE_BYTES_MIN = 256
const SEEN_EVERY_MS = 5
const HEAD_END = '\r\n\r\n'

const shared = Buffer.allocUnsafe(READ_BYTES)
let readers: Reader[] = []
let bytes = 0
let isLost = false

class Reader {
  trades = 0
  #isOpen = false
  readonly #frames = new FrameCounter()

  constructor(port: number, mint: string, id: string, opened: () => void) {
    const callback = (size: number) => {
      if (this.#isOpen) this.#frames.read(shared, size, this.#count)
      else if (shared.toString('latin1', 0, size).includes(HEAD_END)) {
        // The subscription is answered before any trade, so nothing counted shares this read.
        this.#isOpen = true
        socket.write(subscription(mint, id))
        opened()
      }
      return true
    }
    const socket = connect({ port, host: '127.0.0.1', onread: { buffer: shared, callback } })
    socket.write(upgrade(id))
    socket.on('close', () => {
      isLost = true
    })
  }

  readonly #count = (frameBytes: number) => {
    if (frameBytes < TRADE_BYTES_MIN) return
    this.trades++
    bytes += frameBytes
  }
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
  const own = mainThreadTimes(process.pid)
  const publisher = mainThreadTimes(Number(order.serverPid))
  await setTimeout(Number(order.runMs))
  const wallMs = performance.now() - startMs
  const frames = delivered() - first
  const driver = shareOf(own, mainThreadTimes(process.pid), wallMs)
  const server = shareOf(publisher, mainThreadTimes(Number(order.serverPid)), wallMs)
  clearInterval(timer)
  if (isLost) throw new Error('a reader was closed')
  tellParent({
    ...{ perSecond: (frames / wallMs) * 1000, messageBytes: bytes / frames },
    ...{ driverRan: driver.ran, driverWaited: driver.waited },
    ...{ serverRan: server.ran, serverWaited: server.waited },
  })
}

function delivered(): number {
  return readers.reduce((sum, reader) => sum + reader.trades, 0)
}

function slowest(): number {
  return readers.reduce((least, reader) => Math.min(least, reader.trades), Infinity)
}

onParent((order) => void (order.readers === undefined ? count(order) : open(order)))
tellParent({ ready: 1 })
