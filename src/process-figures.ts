import { monitorEventLoopDelay } from 'node:perf_hooks'

/** How often the loop is looked at, in ms; delays shorter than this are not seen. */
const RESOLUTION_MS = 10
const NANOSECONDS = 1e6

/**
 * Memory and loop delay of this process. Delays are those since the last reading, so that each
 * scrape shows its own interval.
 */
export class ProcessFigures {
  readonly #delay = monitorEventLoopDelay({ resolution: RESOLUTION_MS })

  constructor() {
    this.#delay.enable()
  }

  read(): Readonly<Record<string, number>> {
    const { heapUsed, heapTotal, rss, arrayBuffers } = process.memoryUsage()
    const lateness = (nanoseconds: number) =>
      Math.max(0, nanoseconds / NANOSECONDS - RESOLUTION_MS) || 0
    const figures = {
      heap_used_bytes: heapUsed,
      heap_total_bytes: heapTotal,
      rss_bytes: rss,
      array_buffer_bytes: arrayBuffers,
      loop_delay_max_ms: lateness(this.#delay.max),
      loop_delay_p99_ms: lateness(this.#delay.percentile(99)),
    }
    this.#delay.reset()
    return figures
  }
}
