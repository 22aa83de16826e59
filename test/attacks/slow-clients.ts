import { setTimeout as pause } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { dripUntil, openLive, openSockets } from './raw-sockets.ts'

const DRIP_MS = 500
const BIG_ANSWER = 'GET /openapi.json HTTP/1.1\r\nHost: x\r\n\r\n'
const TABLES =
  'POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\nContent-Length: 2\r\n\r\n{}'

/** Heads that never end, a byte at a time. */
export const slowHeaders: Attack = {
  name: 'slow headers',
  hasFloor: true,
  unit: 'sockets',
  sizes: { small: 200, full: 5000 },
  async run({ port }, size, isOver) {
    const begin = 'GET /healthz HTTP/1.1\r\nX-Long: '
    const sockets = await openSockets(port, size, (socket) => socket.write(begin))
    await dripUntil(isOver, sockets, DRIP_MS, (socket) => socket.write('a'))
  },
}

/** Bodies that never end. */
export const slowBodies: Attack = {
  name: 'slow bodies',
  hasFloor: true,
  unit: 'sockets',
  sizes: { small: 200, full: 5000 },
  async run({ port }, size, isOver) {
    const begin =
      'POST /api/v2/meme HTTP/1.1\r\nHost: x\r\nContent-Type: application/json\r\n' +
      'Content-Length: 16000\r\n\r\n{'
    const sockets = await openSockets(port, size, (socket) => socket.write(begin))
    await dripUntil(isOver, sockets, DRIP_MS, (socket) => socket.write(' '))
  },
}

/** Sockets that say nothing at all. */
export const idleSockets: Attack = {
  name: 'idle sockets',
  hasFloor: true,
  unit: 'sockets',
  sizes: { small: 500, full: 10_000 },
  async run({ port }, size, isOver) {
    const sockets = await openSockets(port, size, () => {})
    await dripUntil(isOver, sockets, DRIP_MS, () => {})
  },
}

/** Requests for large answers, hundreds at once, and nothing is read. */
export const slowReaders: Attack = {
  name: 'requests without reading',
  hasFloor: true,
  unit: 'sockets',
  sizes: { small: 20, full: 500 },
  async run({ port }, size, isOver) {
    const many = (BIG_ANSWER.repeat(4) + TABLES).repeat(100)
    const sockets = await openSockets(port, size, (socket) => socket.pause().write(many))
    await dripUntil(isOver, sockets, DRIP_MS, (socket) => socket.write(TABLES))
  },
}

/** Live connections that follow every mint and read nothing. */
export const slowLiveReaders: Attack = {
  name: 'live readers that do not read',
  unit: 'connections',
  sizes: { small: 20, full: 500 },
  async run({ port, mints }, size, isOver) {
    // Paused they stay: nothing more is read.
    const sockets = await openLive(port, size, (index) => ({ id: `s${index}`, mints }))
    await dripUntil(isOver, sockets, DRIP_MS, () => {})
  },
}

/** How long a torn pipeline runs before its connection is reset, at most. */
const TEAR_MS = 100

/** Hundreds of requests at once, and the connection is reset while they are being answered. */
export const tornPipelines: Attack = {
  name: 'pipelines torn in the middle',
  hasFloor: true,
  unit: 'sockets a round',
  sizes: { small: 20, full: 200 },
  async run({ port }, size, isOver) {
    const many = (BIG_ANSWER.repeat(4) + TABLES).repeat(100)
    do {
      const sockets = await openSockets(port, size, (socket) => socket.pause().write(many))
      for (const [index, socket] of sockets.entries())
        setTimeout(() => socket.resetAndDestroy(), (TEAR_MS * index) / size)
      await pause(TEAR_MS)
    } while (!isOver())
  },
}
