import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setTimeout } from 'node:timers/promises'
import type { Message } from '../child.ts'
import { mainThreadTimes, shareOf } from '../threads.ts'
import { AnswerReader } from './answer-reader.ts'
import type { RequestSource } from './request-source.ts'

const READ_BYTES = 1 << 18

export interface ClosedLoop {
  readonly port: number
  /** Process whose main thread is watched meanwhile. */
  readonly serverPid: number
  readonly source: RequestSource
  readonly connections: number
  /** Requests under way on each connection. */
  readonly underWay: number
  readonly warmMs: number
  readonly runMs: number
}

const shared = Buffer.allocUnsafe(READ_BYTES)

/** Sends the next request when an answer has come; tells answers a second and who was busy. */
export async function driveClosed(order: ClosedLoop): Promise<Message> {
  const tally = { answers: 0, bytes: 0, refused: 0 }
  const readers: AnswerReader[] = []
  const sockets = new Set<Socket>()
  const open = (): void => {
    const reader = new AnswerReader()
    readers.push(reader)
    const callback = (size: number) => {
      const ended = reader.read(shared, size)
      tally.bytes += size
      if (ended === 0) return true
      tally.answers += ended
      socket.write(order.source.next(ended))
      return true
    }
    const to = { port: order.port, host: '127.0.0.1', onread: { buffer: shared, callback } }
    const socket = connect(to)
    socket.setNoDelay(true)
    // The server's end of the connection may go first when a round is over.
    socket.on('error', (error: NodeJS.ErrnoException) => {
      if (error.code === 'ECONNREFUSED') tally.refused++
    })
    // Our server cuts off who has sent another request behind one that waits: as any client would, comes back.
    socket.on('connect', () => socket.on('close', () => sockets.delete(socket) && open()))
    socket.write(order.source.next(order.underWay))
    sockets.add(socket)
  }
  for (let i = 0; i < order.connections; i++) open()
  await setTimeout(order.warmMs)
  tally.answers = tally.bytes = 0
  const startMs = performance.now()
  const own = mainThreadTimes(process.pid)
  const server = mainThreadTimes(order.serverPid)
  await setTimeout(order.runMs)
  const wallMs = performance.now() - startMs
  const { answers, bytes } = tally
  const driver = shareOf(own, mainThreadTimes(process.pid), wallMs)
  const served = shareOf(server, mainThreadTimes(order.serverPid), wallMs)
  const last = [...sockets]
  sockets.clear()
  for (const socket of last) socket.destroy()
  return {
    perSecond: (answers / wallMs) * 1000,
    megabytesPerSecond: bytes / wallMs / 1000,
    wrong: readers.reduce((sum, reader) => sum + reader.wrong, tally.refused),
    ...{ driverRan: driver.ran, driverWaited: driver.waited },
    ...{ serverRan: served.ran, serverWaited: served.waited },
  }
}
