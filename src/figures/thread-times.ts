import { closeSync, openSync, readdirSync, readSync } from 'node:fs'

/** Of each thread: nanoseconds on a core, nanoseconds ready for one, and times put on one; Linux only. */
const TASKS_FOLDER = '/proc/self/task'
/** V8 has four helpers; a machine of many cores could give it more. */
const HELPERS_MAX = 8
const TEXT_BYTES = 96
const NANOSECONDS_PER_MS = 1e6
const MICROSECONDS_PER_MS = 1e3

/** What threads did so far, in ms. */
export interface Times {
  /** The loop's thread, on a core. */
  readonly ranMs: number
  /** The loop's thread, ready for a core that others had. */
  readonly waitedMs: number
  /** The same of each helper of V8, which the loop's thread waits for in a collection. */
  readonly helpersWaitedMs: readonly number[]
}

/**
 * How long the main thread ran and waited for a core, by the kernel's count. Where the kernel does
 * not say, the processor time of the whole process stands for the first, and nothing for the others.
 */
export class ThreadTimes {
  readonly #main: number | null
  readonly #helpers: readonly number[]
  readonly #text = Buffer.alloc(TEXT_BYTES)

  /** Helpers are the threads that there are now: before anything of the program has begun others. */
  constructor() {
    const main = String(process.pid)
    this.#main = opened(main)
    const helpers = tasks().filter((task) => task !== main)
    this.#helpers = helpers.slice(0, HELPERS_MAX).flatMap((task) => opened(task) ?? [])
  }

  read(): Times {
    const helpersWaitedMs = this.#helpers.map((file) => this.#times(file)[1])
    if (this.#main !== null) {
      const [ranMs, waitedMs] = this.#times(this.#main)
      return { ranMs, waitedMs, helpersWaitedMs }
    }
    const { user, system } = process.cpuUsage()
    return { ranMs: (user + system) / MICROSECONDS_PER_MS, waitedMs: 0, helpersWaitedMs }
  }

  close(): void {
    for (const file of [...this.#helpers, ...(this.#main === null ? [] : [this.#main])])
      closeSync(file)
  }

  /** Ran and waited; a thread that has ended did neither. */
  #times(file: number): readonly [number, number] {
    const text = this.#text.toString('latin1', 0, readOrNone(file, this.#text))
    const [ran, waited] = text.split(' ')
    return [Number(ran) / NANOSECONDS_PER_MS || 0, Number(waited) / NANOSECONDS_PER_MS || 0]
  }
}

function tasks(): string[] {
  try {
    return readdirSync(TASKS_FOLDER)
  } catch {
    return []
  }
}

function opened(task: string): number | null {
  try {
    return openSync(`${TASKS_FOLDER}/${task}/schedstat`, 'r')
  } catch {
    return null
  }
}

function readOrNone(file: number, into: Buffer): number {
  try {
    return readSync(file, into, 0, into.length, 0)
  } catch {
    return 0
  }
}
