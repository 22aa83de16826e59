/**
 * What holds up the event loop. In: a look at the loop a hundred times a second, the kernel's count of what the loop's
 * thread did, named steps of the program. Out: the newest stalls (`GET /stalls`) and two counters. A stall is the
 * machine's when nothing above the bound is left without the time for which others had the core.
 */
import { closeSync, openSync, readSync } from 'node:fs'
import { type PerformanceEntry, PerformanceObserver } from 'node:perf_hooks'
import { systemText } from '../base/this-process.ts'

/** A turn of the loop that makes others wait for longer than this is a stall, in ms. */
export const STALL_MS = 50
/** Shorter turns are remembered too, when others did not have the core for most of them. */
export const LONG_TURN_MS = 20
/** How often the loop is looked at, in ms. */
const TICK_MS = 10
/** What a hypervisor took is asked after a long turn, and this often, so that a stall has no more of it. */
const STOLEN_EVERY_MS = 1000
/** Stalls that are remembered; the oldest go. */
export const STALLS_MAX = 512

/** One stall, or a long turn, and what the loop's thread did from the last look to this one. */
export interface Stall {
  /** When it was over, in unix milliseconds. */
  readonly atMs: number
  /** How long it held up what was due. */
  readonly lateMs: number
  /** On a core: the program's own work. */
  readonly ranMs: number
  /** Ready to run, while others had the core. */
  readonly waitedMs: number
  /** Neither, while a hypervisor took a processor away: at most that. */
  readonly stolenMs: number
  /** None of these: a disk, a helper of V8, a page that was not there, interrupts, a machine that stood still. */
  readonly blockedMs: number
  /**
   * Steps within it by name, in ms, long ones and many short ones: garbage collections ("gc"), folds, calls of
   * the disk, answers by their route, messages and rounds of the live feed.
   */
  readonly steps: Steps
}

/** What is left without the time for which others had the core. */
export function ownMs({
  lateMs,
  waitedMs,
  stolenMs,
}: Pick<Stall, 'lateMs' | 'waitedMs' | 'stolenMs'>): number {
  return Math.max(0, lateMs - waitedMs - stolenMs)
}

/** A long turn; its garbage collections are reported a moment later. */
interface Turn extends Pick<Stall, 'atMs' | 'ranMs' | 'waitedMs' | 'stolenMs'> {
  readonly startMs: number
  readonly endMs: number
  /** Sums of short steps. */
  readonly short: Steps
}

/** A look at the loop costs some ten microseconds. */
export class EventLoopStallMonitor {
  readonly #steps: LongSteps
  readonly #times = new ThreadTimes()
  #stolenTicks = stolenTicks()
  #stolenAtMs = 0
  readonly #stalls: Stall[] = []
  readonly #observer = new PerformanceObserver((list) => this.#collected(list.getEntries()))
  readonly #timer: NodeJS.Timeout
  #turn: Turn | null = null
  #lastMs = performance.now()
  #last = this.#times.read()
  #count = 0
  #countOwn = 0

  constructor(steps: LongSteps) {
    this.#steps = steps
    this.#observer.observe({ entryTypes: ['gc'] })
    this.#timer = setInterval(() => this.#look(), TICK_MS)
    this.#timer.unref()
  }

  stop(): void {
    clearInterval(this.#timer)
    this.#observer.disconnect()
    this.#times.close()
  }

  /** The newest stalls and long turns, oldest first. */
  stalls(): readonly Stall[] {
    return this.#stalls
  }

  /** Figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>> {
    return { loop_stalls_total: this.#count, loop_own_stalls_total: this.#countOwn }
  }

  #look(): void {
    if (this.#turn !== null) this.#note(this.#stallOf(this.#turn))
    this.#turn = null
    const nowMs = performance.now()
    const now = this.#times.read()
    const short = this.#steps.takeShort()
    const isLong = nowMs - this.#lastMs - TICK_MS > LONG_TURN_MS
    if (isLong || nowMs - this.#stolenAtMs > STOLEN_EVERY_MS) {
      const ticks = stolenTicks()
      const stolenMs = stolenBetweenMs(this.#stolenTicks, ticks)
      this.#stolenTicks = ticks
      this.#stolenAtMs = nowMs
      const [startMs, atMs] = [this.#lastMs, Date.now()]
      const ranMs = now[0] - this.#last[0]
      const waitedMs = now[1] - this.#last[1]
      if (isLong) this.#turn = { atMs, startMs, endMs: nowMs, ranMs, waitedMs, stolenMs, short }
    }
    this.#lastMs = nowMs
    this.#last = now
  }

  #stallOf({ atMs, startMs, endMs, ranMs, waitedMs, ...turn }: Turn): Stall {
    const lateMs = endMs - startMs - TICK_MS
    const steps = { ...this.#steps.within(startMs, endMs) }
    for (const [name, ms] of Object.entries(turn.short)) steps[name] = (steps[name] ?? 0) + ms
    const stoppedMs = Math.max(0, lateMs - ranMs - waitedMs)
    const stolenMs = Math.min(stoppedMs, turn.stolenMs)
    return { atMs, lateMs, ranMs, waitedMs, stolenMs, blockedMs: stoppedMs - stolenMs, steps }
  }

  #note(stall: Stall): void {
    const isStall = stall.lateMs > STALL_MS
    if (!isStall && ownMs(stall) <= LONG_TURN_MS) return
    if (isStall) this.#count += 1
    if (ownMs(stall) > STALL_MS) this.#countOwn += 1
    if (this.#stalls.length === STALLS_MAX) this.#stalls.shift()
    this.#stalls.push(stall)
  }

  #collected(entries: readonly PerformanceEntry[]): void {
    for (const { startTime, duration } of entries)
      this.#steps.note('gc', startTime, startTime + duration)
  }
}

/** Of a thread: nanoseconds on a core, nanoseconds ready for one, and times put on one; Linux only. */
const THREAD_TIMES = '/proc/self/schedstat'
const TEXT_BYTES = 96
const NANOSECONDS_PER_MS = 1e6
const MICROSECONDS_PER_MS = 1e3

/** How long the loop's thread ran and waited for a core so far, by the kernel's count. */
class ThreadTimes {
  readonly #file = openedOrNull(THREAD_TIMES)
  readonly #text = Buffer.alloc(TEXT_BYTES)

  /** Milliseconds on a core, and ready for one. Where the kernel does not say, the whole process stands for the first. */
  read(): readonly [number, number] {
    if (this.#file === null) {
      const { user, system } = process.cpuUsage()
      return [(user + system) / MICROSECONDS_PER_MS, 0]
    }
    const length = readSync(this.#file, this.#text, 0, TEXT_BYTES, 0)
    const [ran, waited] = this.#text.toString('latin1', 0, length).split(' ')
    return [Number(ran) / NANOSECONDS_PER_MS || 0, Number(waited) / NANOSECONDS_PER_MS || 0]
  }

  close(): void {
    if (this.#file !== null) closeSync(this.#file)
  }
}

function openedOrNull(path: string): number | null {
  try {
    return openSync(path, 'r')
  } catch {
    return null
  }
}

const MS_PER_TICK = 10
/** Of a processor's line in /proc/stat: its name, then user, nice, system, idle, iowait, irq, softirq, steal. */
const STEAL_FIELD = 8
const PROCESSOR = /^cpu\d+ /

/**
 * Ticks for which a hypervisor let others have each processor so far; none where nobody counts. A kernel that counts
 * them (`PARAVIRT_TIME_ACCOUNTING`) leaves them out of what a thread ran and waited for.
 */
export function stolenTicks(path = '/proc/stat'): readonly number[] {
  const processors = systemText(path)
    .split('\n')
    .filter((line) => PROCESSOR.test(line))
  return processors.map((line) => Number(line.split(' ')[STEAL_FIELD]) || 0)
}

/** Milliseconds that were stolen of the processor that lost most between two looks. */
export function stolenBetweenMs(before: readonly number[], now: readonly number[]): number {
  return Math.max(0, ...now.map((ticks, i) => ticks - (before[i] ?? ticks))) * MS_PER_TICK
}

/** Shorter steps are not remembered, in ms. */
const LONG_STEP_MS = 5
/** Steps that are remembered; the oldest go. */
const STEPS_MAX = 1024

/** Milliseconds by name. */
type Steps = Readonly<Record<string, number>>

const NO_STEPS: Steps = {}

/**
 * Steps of the program that took long, by name: what a stall of the loop was made of. Short ones are summed up by
 * name: hundreds of them in one turn hold the loop as a long one does.
 */
export class LongSteps {
  readonly #steps: { readonly name: string; readonly startMs: number; readonly endMs: number }[] =
    []
  /** Sums of the short ones since they were taken. */
  readonly #short = new Map<string, number>()

  /** Notes a step that began at `startMs`; times are those of `performance.now`. */
  note(name: string, startMs: number, endMs = performance.now()): void {
    if (endMs - startMs < LONG_STEP_MS) {
      this.#short.set(name, (this.#short.get(name) ?? 0) + endMs - startMs)
      return
    }
    if (this.#steps.length === STEPS_MAX) this.#steps.shift()
    this.#steps.push({ name, startMs, endMs })
  }

  /** Sums of the short steps since the last call, of names that come to as much as a long step. */
  takeShort(): Steps {
    if (this.#short.size === 0) return NO_STEPS
    const long = [...this.#short].filter(([, ms]) => ms >= LONG_STEP_MS)
    this.#short.clear()
    return Object.fromEntries(long)
  }

  /** Milliseconds of each name within a time; one step may lie within another. */
  within(fromMs: number, toMs: number): Steps {
    const found: Record<string, number> = {}
    for (const { name, startMs, endMs } of this.#steps) {
      const sharedMs = Math.min(toMs, endMs) - Math.max(fromMs, startMs)
      if (sharedMs > 0) found[name] = (found[name] ?? 0) + sharedMs
    }
    return found
  }
}
