import { readFileSync } from 'node:fs'

/** Where a thread's time went: on a core, and ready to run while others had the cores. */
export interface ThreadTimes {
  readonly ranMs: number
  readonly waitedMs: number
}

/** Shares of a stretch of wall clock, 0 to 1. */
export interface ThreadShare {
  readonly ran: number
  readonly waited: number
}

const NANOSECONDS = 1e6

/**
 * Times of a process's main thread since its start, from Linux' scheduler
 * (`/proc/<pid>/task/<tid>/schedstat`); zeros where there is no such file.
 */
export function mainThreadTimes(pid: number): ThreadTimes {
  try {
    const [ran, waited] = readFileSync(`/proc/${pid}/task/${pid}/schedstat`, 'utf8').split(' ')
    return { ranMs: Number(ran) / NANOSECONDS, waitedMs: Number(waited) / NANOSECONDS }
  } catch {
    return { ranMs: 0, waitedMs: 0 }
  }
}

export function shareOf(from: ThreadTimes, to: ThreadTimes, wallMs: number): ThreadShare {
  return { ran: (to.ranMs - from.ranMs) / wallMs, waited: (to.waitedMs - from.waitedMs) / wallMs }
}
