/**
 * WebSocket readers as users are: each follows some mints, answers pings and counts. The parent
 * tells port, number and mints once, then asks for the counts since the last time.
 */
import { setTimeout } from 'node:timers/promises'
import WebSocket from 'ws'
import { Random } from '../../src/base/random.ts'
import { type Message, onParent, tellParent } from '../child.ts'

const FOLLOWED = 5
/** Connections are opened in steps, as a server's backlog wants it. */
const OPENED_AT_ONCE = 50
const STEP_MS = 50

let isOpen = false
let trades = 0
let bytes = 0
let closed = 0

function open(url: string, id: string, mints: readonly string[]): Promise<void> {
  const socket = new WebSocket(`${url}?id=${id}`)
  socket.on('message', (message: Buffer) => {
    if (message.includes('"ping"')) return socket.send('{"type":"pong"}')
    trades++
    bytes += message.length
  })
  socket.on('close', () => {
    closed++
  })
  return new Promise((resolve, reject) => {
    socket.once('error', reject)
    socket.once('open', () => {
      const data = { action: 'subscribe', id, mints }
      socket.send(JSON.stringify({ event: 'update_mint_info', data }))
      resolve()
    })
  })
}

async function openAll(order: Message): Promise<void> {
  const random = new Random(Number(order.seed))
  const mints = String(order.mints).split(',')
  const url = `ws://127.0.0.1:${order.port}/ws`
  for (let from = 0; from < Number(order.readers); from += OPENED_AT_ONCE) {
    const step = Array.from({ length: OPENED_AT_ONCE }, (_, i) => {
      const followed = Array.from({ length: FOLLOWED }, () => mints[random.below(mints.length)])
      return open(url, `reader${from + i}`, followed)
    })
    await Promise.all(step)
    await setTimeout(STEP_MS)
  }
  isOpen = true
  tellParent({ opened: 1 })
}

function tellCounts(): void {
  tellParent({ trades, bytes, closed })
  trades = 0
  bytes = 0
}

onParent((order) => {
  if (isOpen) return tellCounts()
  openAll(order).catch((error: unknown) => {
    process.stderr.write(`readers: ${String(error)}\n`)
    process.exit(1)
  })
})
tellParent({ ready: 1 })
