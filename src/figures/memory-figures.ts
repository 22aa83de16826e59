import { getHeapStatistics } from 'node:v8'
import { memoryUsage, systemText } from '../base/this-process.ts'
import type { MemoryPart } from '../engine/memory/state-part.ts'

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
