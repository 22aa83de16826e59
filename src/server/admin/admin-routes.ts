import type { ServerResponse } from 'node:http'
import { Session } from 'node:inspector/promises'
import { pipeline } from 'node:stream/promises'
import { setTimeout as sleep } from 'node:timers/promises'
import { getHeapSnapshot, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { METRICS_TYPE } from '../http/metrics-text.ts'
import type { Readiness } from '../http/readiness.ts'
import { beginJson, send, sendJson, sendJsonText } from './admin-replies.ts'

const MS_PER_S = 1000

/** What the admin surface shows and may order. */
export interface AdminSource {
  metrics(): Promise<string>
  /** The newest stalls of the loop, each a flat object. */
  stalls(): readonly object[]
  /** Whether the service is ready, as on the public port; the reason may name files. */
  readiness(): Readiness
  /** Resolves with what came of it, one sentence; null when nothing is kept. */
  readonly snapshot: (() => Promise<string>) | null
  /** Reads the TLS files again; returns one sentence, throws an Error of one. Null: plain HTTP. */
  readonly reloadTls: (() => string) | null
}

export interface AdminRoute {
  readonly method: 'GET' | 'POST'
  readonly path: string
  readonly meaning: string
  answer(response: ServerResponse, seconds: number): void | Promise<void>
}

export function adminRoutes(source: AdminSource): readonly AdminRoute[] {
  return [...readRoutes(source), ...profileRoutes(), ...orderRoutes(source)]
}

function readRoutes(source: AdminSource): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/metrics',
      meaning: 'Prometheus text',
      answer: async (response) => send(response, 200, METRICS_TYPE, await source.metrics()),
    },
    {
      method: 'GET',
      path: '/stalls',
      meaning: 'the newest stalls of the loop, with what the thread did in each',
      answer: (response) => sendJson(response, 200, source.stalls()),
    },
    {
      method: 'GET',
      path: '/healthz',
      meaning: 'the process answers',
      answer: (response) => sendJson(response, 200, { status: 'ok' }),
    },
    {
      method: 'GET',
      path: '/readyz',
      meaning: 'the service is ready, or why not',
      answer: (response) => {
        const { statusCode, fields } = source.readiness()
        sendJson(response, statusCode, fields)
      },
    },
  ]
}

function profileRoutes(): readonly AdminRoute[] {
  return [
    {
      method: 'GET',
      path: '/profiles/cpu',
      meaning: 'where time goes for ?seconds=5, a .cpuprofile',
      answer: async (response, seconds) => sendJsonText(response, 200, await cpuProfile(seconds)),
    },
    {
      method: 'GET',
      path: '/profiles/heap',
      meaning: 'who allocates for ?seconds=5, a .heapprofile',
      answer: async (response, seconds) => sendJsonText(response, 200, await heapProfile(seconds)),
    },
    {
      method: 'GET',
      path: '/profiles/heap-snapshot',
      meaning: 'the whole heap, a .heapsnapshot; everything stands still while it is made',
      answer: (response) => {
        beginJson(response)
        return pipeline(getHeapSnapshot(), response)
      },
    },
  ]
}

function orderRoutes({ snapshot, reloadTls }: AdminSource): readonly AdminRoute[] {
  return [
    {
      method: 'POST',
      path: '/snapshot',
      meaning: 'has a snapshot made now',
      answer: async (response) => {
        if (snapshot === null) return sendJson(response, 409, { message: 'DATA_DIR is none.' })
        sendJson(response, 200, { message: await snapshot() })
      },
    },
    {
      method: 'POST',
      path: '/collect',
      meaning: 'collects all garbage now; everything stands still for some tens of milliseconds',
      answer: (response) => {
        collectGarbage()
        sendJson(response, 200, { message: 'Collected.' })
      },
    },
    {
      method: 'POST',
      path: '/tls/reload',
      meaning: 'reads TLS_CERT and TLS_KEY again',
      answer: (response) => {
        if (reloadTls === null) return sendJson(response, 409, { message: 'TLS_CERT is not set.' })
        try {
          sendJson(response, 200, { message: reloadTls() })
        } catch (error) {
          if (!(error instanceof Error)) throw error
          sendJson(response, 409, { message: error.message })
        }
      },
    },
  ]
}

let gc: (() => void) | null = null

/** Collects all garbage of V8's heap; what it held outside follows a moment later. */
export function collectGarbage(): void {
  gc ??= madeCollector()
  gc()
}

/** V8 shows its collector to contexts that are made while the flag is set. */
function madeCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const made: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof made !== 'function') throw new Error('V8 does not show its collector')
  return () => void made()
}

/** Sampled call stacks of so many seconds, as the JSON text that browsers' tools open. */
async function cpuProfile(seconds: number): Promise<string> {
  return withSession(async (session) => {
    await session.post('Profiler.enable')
    await session.post('Profiler.start')
    await sleep(seconds * MS_PER_S)
    const { profile } = await session.post('Profiler.stop')
    return JSON.stringify(profile)
  })
}

/** Sampled allocations of so many seconds that were still alive at the end. */
async function heapProfile(seconds: number): Promise<string> {
  return withSession(async (session) => {
    await session.post('HeapProfiler.startSampling')
    await sleep(seconds * MS_PER_S)
    const { profile } = await session.post('HeapProfiler.stopSampling')
    return JSON.stringify(profile)
  })
}

async function withSession(work: (session: Session) => Promise<string>): Promise<string> {
  const session = new Session()
  session.connect()
  try {
    return await work(session)
  } finally {
    session.disconnect()
  }
}
