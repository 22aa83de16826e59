import { performance } from 'node:perf_hooks'
import { ensure, same, skipUnless } from '../expect.ts'
import { about, type Case, type World } from '../harness.ts'
import { type Socket, withSocket } from '../socket.ts'

const test = about('keep-alive')

const slow = (sentence: string, work: (socket: Socket) => Promise<void>): Case =>
  test(sentence, async ({ settings }: World) => {
    skipUnless(settings.slow, 'only with --slow')
    await withSocket(settings.ws, work)
  })

const isPing = (message: Record<string, unknown>): boolean => message.type === 'ping'

export const keepAliveCases: Case[] = [
  slow('a ping comes every 30 seconds and is only that', async (socket) => {
    same(await socket.next(isPing, 40_000), { type: 'ping' }, 'the ping')
    socket.send({ type: 'pong' })
    const began = performance.now()
    await socket.next(isPing, 40_000)
    const seconds = (performance.now() - began) / 1000
    ensure(seconds > 20 && seconds < 40, `the next ping came after ${seconds} s`)
  }),
  slow('a client that sends nothing for 60 seconds is closed with 4008', async (socket) => {
    const began = performance.now()
    same(await socket.closing(100_000), 4008, 'the close code')
    const seconds = (performance.now() - began) / 1000
    ensure(seconds > 50 && seconds < 95, `it was closed after ${seconds} s`)
  }),
  slow('a client that answers pings stays', async (socket) => {
    for (let i = 0; i < 3; i += 1) {
      await socket.next(isPing, 40_000)
      socket.send({ type: 'pong' })
    }
    same(socket.closed(), null, 'the close code')
  }),
  slow('any frame of the client counts as alive', async (socket) => {
    for (let i = 0; i < 2; i += 1) {
      await socket.next(isPing, 40_000)
      socket.sendRaw('anything')
    }
    await socket.next(isPing, 40_000)
    same(socket.closed(), null, 'the close code')
  }),
]
