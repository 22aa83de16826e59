import { closeSync, openSync, readSync } from 'node:fs'

/** Nanoseconds on a core, nanoseconds ready for one, and times it was put on one; Linux only. */
const scheduleFile = () => `/proc/self/task/${process.pid}/schedstat`
const TEXT_BYTES = 96
const NANOSECONDS_PER_MS = 1e6
const MICROSECONDS_PER_MS = 1e3

/** What the loop's thread did so far, in ms. */
export interface Times {
  readonly ranMs: number
  readonly waitedMs: number
}

/**
 * How long the main thread ran and waited for a core, by the kernel's count. Where the kernel does
 * not say, the processor time of the whole process stands for the first, and nothing for the second.
 */
export class ThreadTimes {
  #file: number | null = openOrNull()
  readonly #text = Buffer.alloc(TEXT_BYTES)

  read(): Times {
    const length = this.#file === null ? 0 : readSync(this.#file, this.#text, 0, TEXT_BYTES, 0)
    const [ran, waited] = this.#text.toString('latin1', 0, length).split(' ')
    if (waited !== undefined)
      return {
        ranMs: Number(ran) / NANOSECONDS_PER_MS,
        waitedMs: Number(waited) / NANOSECONDS_PER_MS,
      }
    const { user, system } = process.cpuUsage()
    return { ranMs: (user + system) / MICROSECONDS_PER_MS, waitedMs: 0 }
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
    this.#file = null
  }
}

function openOrNull(): number | null {
  try {
    return openSync(scheduleFile(), 'r')
  } catch {
    return null
  }
}
