/**
 * Figures of this process for /readyz and /metrics: time, heap, loop and memory by part; stalls of the loop are in
 * event-loop-stall-monitor.ts. They read the runtime and /proc, and change nothing.
 */

import { monitorEventLoopDelay, type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { getHeapStatistics } from 'node:v8'
import { memoryUsage, systemText } from '../base/this-process.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'

/** How often the loop is looked at, in ms; delays shorter than this are not seen. */
const RESOLUTION_MS = 10
const NANOSECONDS_PER_MS = 1e6
const MICROSECONDS_PER_S = 1e6
/** Delays and pauses cover the newest minute, in periods of this length. */
const PERIOD_MS = 5000
const PERIODS = 12
const LINE = /^Max open files\s+(\d+|unlimited)/m

interface Period {
  delayMaxMs: number
  delayP99Ms: number
  gcMaxMs: number
}

/**
 * Processor time, memory, garbage collection and loop delay of this process. Maxima are those of
 * the newest minute, whoever reads them and however often; `now` is that of the newest seconds.
 */
export class ProcessFigures {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })
  readonly #periods: Period[] = []
  #gcMaxMs = 0
  #gcMs = 0
  #gcs = 0

  constructor() {
    this.#delay.enable()
    new PerformanceObserver((list) => this.#collected(list.getEntries())).observe({
      entryTypes: ['gc'],
    })
    setInterval(() => this.#nextPeriod(), PERIOD_MS).unref()
  }

  read(): Readonly<Record<string, number>> {
    const { heapUsed, heapTotal, rss, arrayBuffers } = memoryUsage()
    const { user, system } = process.cpuUsage()
    const periods = [...this.#periods, this.#present()]
    const most = (name: keyof Period) => Math.max(...periods.map((period) => period[name]))
    return {
      heap_used_bytes: heapUsed,
      heap_total_bytes: heapTotal,
      rss_bytes: rss,
      array_buffer_bytes: arrayBuffers,
      cpu_seconds_total: (user + system) / MICROSECONDS_PER_S,
      loop_delay_max_ms: most('delayMaxMs'),
      loop_delay_p99_ms: most('delayP99Ms'),
      loop_delay_now_ms: this.#present().delayMaxMs,
      gc_total: this.#gcs,
      gc_seconds_total: this.#gcMs / 1000,
      gc_pause_max_ms: most('gcMaxMs'),
      uptime_seconds: process.uptime(),
    }
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const { duration } of entries) {
      this.#gcs++
      this.#gcMs += duration
      this.#gcMaxMs = Math.max(this.#gcMaxMs, duration)
    }
  }

  #present(): Period {
    return {
      delayMaxMs: latenessMs(this.#delay.max),
      delayP99Ms: latenessMs(this.#delay.percentile(99)),
      gcMaxMs: this.#gcMaxMs,
    }
  }

  #nextPeriod(): void {
    this.#periods.push(this.#present())
    if (this.#periods.length >= PERIODS) this.#periods.shift()
    this.#delay.reset()
    this.#gcMaxMs = 0
  }
}

/** A histogram without a value has a maximum of 0 and no percentile. */
function latenessMs(nanoseconds: number): number {
  return Math.max(0, nanoseconds / NANOSECONDS_PER_MS - RESOLUTION_MS) || 0
}

/** Descriptors that sockets leave free: files, pipes, feeds. Without one to accept, the loop spins. */
export const RESERVED_DESCRIPTORS = 256

/** How many files and sockets this process may have open; no limit where the system does not say. */
export function descriptorLimit(): number {
  const value = LINE.exec(systemText('/proc/self/limits'))?.[1]
  return value === undefined || value === 'unlimited' ? Number.POSITIVE_INFINITY : Number(value)
}

/** The kernel's count of this process's memory: Linux, where /proc is mounted. */
const STATUS_FILE = '/proc/self/status'
const KIBIBYTE = 1024

/**
 * Where the process's own memory is (docs/monitoring.md, "Memory by part"). Each part as
 * `<part>_bytes`, and sums that come to `rss_anon_bytes` and `swapped_bytes`: what grows with the
 * market, what has a bound, V8's heap, buffers that no part names, and what is none of these.
 */
export function memoryFigures(parts: readonly MemoryPart[]): Readonly<Record<string, number>> {
  const { arrayBuffers } = memoryUsage()
  const buffers = parts.reduce((sum, { bytes }) => sum + bytes, 0)
  const market = touchedBytes(parts.filter(({ grows }) => grows))
  const bounded = touchedBytes(parts.filter(({ grows }) => !grows))
  const heap = getHeapStatistics().total_physical_size
  const unnamed = arrayBuffers - buffers
  const pages = readPages()
  return {
    ...Object.fromEntries(parts.map(({ name, bytes }) => [`${name}_bytes`, bytes])),
    memory_market_bytes: market,
    memory_bounded_bytes: bounded,
    memory_heap_bytes: heap,
    memory_buffers_rest_bytes: unnamed,
    ...(pages === null
      ? {}
      : {
          memory_native_rest_bytes:
            pages.ownBytes + pages.swappedBytes - market - bounded - heap - unnamed,
          rss_anon_bytes: pages.ownBytes,
          rss_file_bytes: pages.fileBytes,
          swapped_bytes: pages.swappedBytes,
        }),
  }
}

/** Bytes that the parts have written to: the system gives memory for no others. */
function touchedBytes(parts: readonly MemoryPart[]): number {
  return parts.reduce((sum, { bytes, untouchedBytes }) => sum + bytes - untouchedBytes, 0)
}

/** Bytes of the process: its own pages in memory and in swap, and those of files such as its program. */
function readPages() {
  const status = systemText(STATUS_FILE)
  if (status === '') return null
  const bytesOf = (name: string) =>
    Number(new RegExp(`^${name}:\\s+(\\d+) kB$`, 'm').exec(status)?.[1] ?? 0) * KIBIBYTE
  return {
    ownBytes: bytesOf('RssAnon'),
    swappedBytes: bytesOf('VmSwap'),
    fileBytes: bytesOf('RssFile') + bytesOf('RssShmem'),
  }
}

/** What sockets may have of the descriptors where there are few. */
const SOCKETS_SHARE_MIN = 1 / 4

/** Descriptors for sockets; where there are few, a share, so that clients alone cannot exhaust those of the journal. */
export function spareDescriptors(): number {
  const limit = descriptorLimit()
  return Math.max(limit - RESERVED_DESCRIPTORS, Math.floor(limit * SOCKETS_SHARE_MIN))
}
