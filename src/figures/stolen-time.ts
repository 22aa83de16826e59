import { closeSync, openSync, readSync } from 'node:fs'

/** Ticks for which a hypervisor let others have each processor; Linux only. */
const STAT = '/proc/stat'
/** The lines of the processors come first: enough for a hundred. */
const TEXT_BYTES = 8192
const MS_PER_TICK = 10
/** Of a processor's line: its name, then user, nice, system, idle, iowait, irq, softirq, steal. */
const STEAL_FIELD = 8
const PROCESSOR = /^cpu\d+ /

/**
 * For how long a hypervisor had taken away a processor since it was asked before. A kernel that
 * counts it (`PARAVIRT_TIME_ACCOUNTING`) leaves it out of what a thread ran and waited for.
 */
export class StolenTime {
  readonly #text = Buffer.alloc(TEXT_BYTES)
  readonly #file: number | null
  #last: readonly number[]

  constructor(path = STAT) {
    this.#file = opened(path)
    this.#last = this.#ticks()
  }

  /** Milliseconds since the last call, of the processor that lost most; 0 where nobody counts. */
  sinceLastMs(): number {
    const now = this.#ticks()
    const last = this.#last
    this.#last = now
    return Math.max(0, ...now.map((ticks, i) => ticks - (last[i] ?? ticks))) * MS_PER_TICK
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
  }

  #ticks(): number[] {
    if (this.#file === null) return []
    const length = readSync(this.#file, this.#text, 0, TEXT_BYTES, 0)
    const lines = this.#text.toString('latin1', 0, length).split('\n')
    return lines
      .filter((line) => PROCESSOR.test(line))
      .map((line) => Number(line.split(' ')[STEAL_FIELD]) || 0)
  }
}

function opened(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}
