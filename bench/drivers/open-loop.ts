import { connect, type Socket } from 'node:net'
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout } from 'node:timers/promises'
import type { Message } from '../child.ts'
import { AnswerReader } from './answer-reader.ts'
import { latencyHistogram, recordMs } from './latency.ts'
import type { RequestSource } from './request-source.ts'

const READ_BYTES = 1 << 18
/** Timers are not exact to less; below it the driver keeps itself awake. */
const AWAKE_MS = 2
/** Answers that are still awaited at the end, at most this long. */
const REST_MS = 3_000

export interface OpenLoop {
  readonly port: number
  readonly source: RequestSource
  readonly connections: number
  readonly ratePerSecond: number
  readonly runMs: number
}

const shared = Buffer.allocUnsafe(READ_BYTES)

/**
 * Sends at intended times whatever the server does; latency runs from the intended time, so a
 * server that stalls pays for every request it kept waiting (no coordinated omission).
 */
export async function driveOpen(order: OpenLoop): Promise<Message> {
  const latency = latencyHistogram()
  const lateness = latencyHistogram()
  let answered = 0
  const lanes = Array.from({ length: order.connections }, () =>
    openLane(order.port, (intendedMs) => {
      answered++
      recordMs(latency, performance.now() - intendedMs)
    }),
  )
  await Promise.all(lanes.map(({ opened }) => opened))
  const count = Math.round((order.runMs / 1000) * order.ratePerSecond)
  const gapMs = 1000 / order.ratePerSecond
  const startMs = performance.now() + gapMs
  for (let i = 0; i < count; i++) {
    const intendedMs = startMs + i * gapMs
    await untilMs(intendedMs)
    recordMs(lateness, performance.now() - intendedMs)
    // A client sends nothing behind a request that is not answered; the server may close a connection that does.
    const turns = lanes.map((_, turn) => lanes[(i + turn) % lanes.length])
    const lane = turns.find(({ awaited }) => awaited.length === 0) ?? turns[0]
    lane.awaited.push(intendedMs)
    lane.socket.write(order.source.next(1))
  }
  const endMs = performance.now() + REST_MS
  while (answered < count && performance.now() < endMs) await setTimeout(5)
  // What was never answered waited at least until now.
  const nowMs = performance.now()
  for (const { awaited } of lanes)
    for (const intendedMs of awaited) recordMs(latency, nowMs - intendedMs)
  for (const { socket } of lanes) socket.destroy()
  return {
    ...{ p50Ms: latency.percentile(50) / 1e6, p99Ms: latency.percentile(99) / 1e6 },
    ...{ longestMs: latency.max / 1e6, latenessP99Ms: lateness.percentile(99) / 1e6 },
    ...{ answered, unanswered: count - answered },
    wrong: lanes.reduce((sum, { reader }) => sum + reader.wrong, 0),
  }
}

interface Lane {
  readonly socket: Socket
  readonly reader: AnswerReader
  readonly awaited: number[]
  readonly opened: Promise<void>
}

function openLane(port: number, done: (intendedMs: number) => void): Lane {
  const reader = new AnswerReader()
  const awaited: number[] = []
  const callback = (size: number) => {
    for (let left = reader.read(shared, size); left > 0; left--) done(awaited.shift() ?? 0)
    return true
  }
  const socket = connect({ port, host: '127.0.0.1', onread: { buffer: shared, callback } })
  socket.setNoDelay(true)
  const opened = new Promise<void>((resolve, reject) => {
    socket.once('connect', resolve)
    socket.once('error', reject)
  })
  return { socket, reader, awaited, opened }
}

/** Waits for a time without being late for it. */
export async function untilMs(timeMs: number): Promise<void> {
  const restMs = timeMs - performance.now()
  if (restMs > AWAKE_MS) await setTimeout(restMs - AWAKE_MS)
  while (performance.now() < timeMs) await setImmediate()
}
