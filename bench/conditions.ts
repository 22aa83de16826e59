import { execFileSync } from 'node:child_process'
import { readFileSync } from 'node:fs'
import { cpus, loadavg, totalmem } from 'node:os'
import { fileURLToPath } from 'node:url'
import { settings } from './settings.ts'

const ROOT = fileURLToPath(new URL('../', import.meta.url))
const GIGABYTE = 2 ** 30
/** Length of the kernel's tick in /proc/stat; 100 a second on every Linux of today. */
const TICK_MS = 10

/** What a row was measured under. */
export interface Conditions {
  readonly node: string
  readonly cpu: string
  readonly cores: number
  readonly memoryGigabytes: number
  readonly commit: string
  readonly isTreeChanged: boolean
  readonly seed: number
  readonly timeScale: number
  readonly loadBefore: number
  readonly date: string
}

/** Call it before the measuring, so that the load is that of others. */
export function readConditions(): Conditions {
  const processors = cpus()
  return {
    node: process.version,
    cpu: processors[0]?.model ?? 'unknown',
    cores: processors.length,
    memoryGigabytes: Math.round(totalmem() / GIGABYTE),
    commit: git('rev-parse', '--short', 'HEAD'),
    isTreeChanged: git('status', '--porcelain', '--', 'src') !== '',
    seed: settings.seed,
    timeScale: settings.timeScale,
    loadBefore: Math.round(loadavg()[0] * 100) / 100,
    date: new Date().toISOString(),
  }
}

function git(...args: readonly string[]): string {
  try {
    return execFileSync('git', args, { cwd: ROOT, encoding: 'utf8' }).trim()
  } catch {
    return 'unknown'
  }
}

/** Milliseconds of CPU so far: of the whole machine, and of this process and its ended children. */
interface CpuTimes {
  readonly machineMs: number
  readonly ownMs: number
}

/**
 * Watches how much of the cores programs outside the benchmark use, in percent of one core;
 * 0 where there is no /proc. Kernel time of interrupts counts for nobody.
 */
export class OthersWatch {
  readonly #start = cpuTimes()
  readonly #startMs = performance.now()

  percent(): number {
    const { machineMs, ownMs } = cpuTimes()
    const othersMs = machineMs - this.#start.machineMs - (ownMs - this.#start.ownMs)
    return Math.max(0, (othersMs / (performance.now() - this.#startMs)) * 100)
  }
}

function cpuTimes(): CpuTimes {
  try {
    const [user, nice, system] = fieldsOf('/proc/stat').slice(1)
    // From the process's state on: utime, stime, cutime and cstime are its fields 12 to 15.
    const own = readFileSync('/proc/self/stat', 'utf8').split(') ')[1].split(' ').map(Number)
    const ownTicks = own[11] + own[12] + own[13] + own[14]
    return { machineMs: (user + nice + system) * TICK_MS, ownMs: ownTicks * TICK_MS }
  } catch {
    return { machineMs: 0, ownMs: 0 }
  }
}

function fieldsOf(path: string): number[] {
  return readFileSync(path, 'utf8').split('\n')[0].split(/\s+/).map(Number)
}
