import { setTimeout as pause } from 'node:timers/promises'
import type { Attack } from './attack.ts'
import { dripUntil, followFrame, openLive, resetAll, textFrame } from './raw-sockets.ts'

/** Mints that one connection follows before it goes. */
const FOLLOWED = 20
const FLOOD_MS = 50
/** Who floods: one client, whose connections share a limit. */
const FLOODER = '11.11.11.11'
const MESSAGES_A_FLOOD = 50
/** Of some 100 KB each. */
const ANSWERS_A_FLOOD = 5

/** Thousands of live connections with subscriptions that all go in one moment. */
export const disconnects: Attack = {
  name: 'disconnects at once',
  hasFloor: true,
  unit: 'connections',
  sizes: { small: 500, full: 15_000 },
  async run({ port, mints }, size, isOver) {
    do {
      const sockets = await openLive(port, size, (index) => {
        const from = index % Math.max(1, mints.length - FOLLOWED)
        return { id: `d${index}`, mints: mints.slice(from, from + FOLLOWED) }
      })
      for (const socket of sockets) socket.resume()
      await pause(1000)
      resetAll(sockets)
      await pause(1000)
    } while (!isOver())
  },
}

/** Subscribing to and leaving a thousand mints over and over. */
export const subscribeFlood: Attack = {
  name: 'subscribe flood',
  unit: 'connections',
  sizes: { small: 5, full: 100 },
  async run({ port }, size, isOver) {
    const mints = Array.from({ length: 1000 }, (_, index) => `flood${index}`.padEnd(44, 'x'))
    const clientOf = (index: number) => ({ id: `f${index}`, address: FLOODER })
    const sockets = await openLive(port, size, clientOf)
    for (const socket of sockets) socket.resume()
    const ids = new Map(sockets.map((socket, index) => [socket, `f${index}`]))
    await dripUntil(isOver, sockets, FLOOD_MS, (socket) => {
      const id = ids.get(socket) ?? ''
      socket.write(followFrame(id, mints))
      socket.write(followFrame(id, mints, 'unsubscribe'))
    })
  },
}

/** Live tables followed and left over and over, each of an address of its own, and no answer is read. */
export const unreadAnswers: Attack = {
  name: 'live answers that are not read',
  unit: 'connections',
  sizes: { small: 5, full: 50 },
  async run({ port }, size, isOver) {
    const clientOf = (index: number) => ({ id: `u${index}`, address: `12.0.0.${index & 255}` })
    // Paused they stay: nothing more is read.
    const sockets = await openLive(port, size, clientOf)
    const messages = new Map(
      sockets.map((socket, index) => [socket, tableFrames(`u${index}`, ANSWERS_A_FLOOD)]),
    )
    await dripUntil(isOver, sockets, FLOOD_MS, (socket) =>
      socket.write(messages.get(socket) ?? Buffer.alloc(0)),
    )
  },
}

/** Subscribes to a table and leaves it, so many times. */
function tableFrames(id: string, count: number): Buffer {
  const frames = ['subscribe', 'unsubscribe'].map((action) =>
    textFrame(JSON.stringify({ event: 'meme_tables', data: { action, id, filter: {} } })),
  )
  return Buffer.concat(Array.from({ length: count }, () => frames).flat())
}

/** Messages that are no messages, more than anybody may send. */
export const messageFlood: Attack = {
  name: 'message flood',
  unit: 'connections',
  sizes: { small: 5, full: 200 },
  async run({ port }, size, isOver) {
    const nonsense = Buffer.concat(
      Array.from({ length: MESSAGES_A_FLOOD }, () => textFrame('{"a":')),
    )
    const clientOf = (index: number) => ({ id: `m${index}`, address: FLOODER })
    const sockets = await openLive(port, size, clientOf)
    for (const socket of sockets) socket.resume()
    await dripUntil(isOver, sockets, FLOOD_MS, (socket) => socket.write(nonsense))
  },
}
