import { signal } from '@preact/signals'
import { heard } from '../feed/connection.ts'
import { nextBeat } from '../frame/beat.ts'

/** Figures of `/readyz` by name, with what the service says of itself. */
export interface Reading {
  /** Unix ms of this browser. */
  readonly atMs: number
  readonly isReady: boolean
  /** Why it is not ready. */
  readonly reason: string | null
  readonly figures: Readonly<Record<string, number>>
}

/** Name under which a reading has the requests that were refused for their rate so far. */
export const RATE_LIMITED = 'requests_rate_limited_total'

/** How often is asked, in ms. */
const EVERY_MS = 1_000
/** Without an answer for so long the service is out of reach: one that hangs never refuses, in ms. */
const WITHIN_MS = 5_000
/** Readings kept for the plots: five minutes. */
const READINGS_MAX = 300

export const readings = signal<readonly Reading[]>([])
/** Requests by route and status, of `/metrics`. */
export const requests = signal<readonly RequestCount[]>([])
export const readProblem = signal<string | null>(null)

export interface RequestCount {
  readonly route: string
  readonly status: string
  readonly count: number
}

/** Reads until the returned function is called. */
export function followFigures(): () => void {
  let isWanted = true
  let timer = 0
  const look = async () => {
    if (!isWanted) return
    try {
      const [ready, metrics] = await Promise.all(['/readyz', '/metrics'].map(asked))
      const counts = parseRequests(await metrics.text())
      const reading = parseReading(await ready.json(), counts)
      readings.value = [...readings.value, reading].slice(-READINGS_MAX)
      requests.value = counts
      // The position is told with the answers of the API alone: `journal_seq` counts what was refused, too.
      heard(null)
      readProblem.value = null
    } catch (error) {
      readProblem.value = error instanceof Error ? error.message : String(error)
    }
    // A hidden page asks again when it is seen.
    if (isWanted) timer = setTimeout(() => void nextBeat().then(look), EVERY_MS)
  }
  void look()
  return () => {
    isWanted = false
    clearTimeout(timer)
  }
}

function asked(path: string): Promise<Response> {
  return fetch(path, { signal: AbortSignal.timeout(WITHIN_MS) })
}

function parseReading(value: unknown, counts: readonly RequestCount[]): Reading {
  const entries = typeof value === 'object' && value !== null ? Object.entries(value) : []
  const all: Readonly<Record<string, unknown>> = Object.fromEntries(entries)
  const figures = entries.flatMap(([name, figure]) =>
    typeof figure === 'number' ? [[name, figure] as const] : [],
  )
  return {
    atMs: Date.now(),
    isReady: all.status === 'ready',
    reason: typeof all.reason === 'string' ? all.reason : null,
    figures: { ...Object.fromEntries(figures), [RATE_LIMITED]: refusedOf(counts) },
  }
}

function refusedOf(counts: readonly RequestCount[]): number {
  return counts.reduce((sum, { status, count }) => (status === '429' ? sum + count : sum), 0)
}

const REQUESTS = /^mintfeed_http_requests_total\{route="([^"]*)",status="(\d+)"\} (\d+)/gm

function parseRequests(text: string): readonly RequestCount[] {
  return [...text.matchAll(REQUESTS)]
    .map(([, route, status, count]) => ({ route, status, count: Number(count) }))
    .sort((a, b) => b.count - a.count)
}

/** A figure over the readings, oldest first; what a reading does not have is left out. */
export function series(name: string): readonly number[] {
  return readings.value.flatMap(({ figures }) => (name in figures ? [figures[name]] : []))
}

/** What a counter grew by in a second, between each reading and the one before. */
export function rates(name: string): readonly number[] {
  const all = readings.value
  return all.slice(1).flatMap((reading, index) => {
    const before = all[index]
    const seconds = (reading.atMs - before.atMs) / 1000
    const grown = (reading.figures[name] ?? 0) - (before.figures[name] ?? 0)
    return grown < 0 || seconds <= 0 ? [] : [grown / seconds]
  })
}
