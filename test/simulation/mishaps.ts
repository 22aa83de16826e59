import type { Random } from '../oracle/random.ts'
import type { Chances } from './plan.ts'
import type { SimulatedProcess } from './process.ts'
import type { DiskFate } from './process-disk.ts'
import type { VirtualTime } from './virtual-time.ts'

/** Calls of the disk until what was decided happens. */
const CALLS_AHEAD_MAX = 30
/** As above, of syncs alone, which are fewer. */
const SYNCS_AHEAD_MAX = 4
/** About the calls of a start that change something. */
const START_CALLS_MAX = 8
/** About the calls of a compactor from its start to its end. */
const COMPACTOR_CALLS_MAX = 100
/** A start is that many times as likely to be troubled as a step. */
const STARTS_TROUBLED = 5
const HOUR_MS = 3_600_000

/** Decides what goes wrong and when; told of each, for the trace. */
export class Mishaps {
  clockSteps = 0
  readonly #random: Random
  readonly #chances: Chances
  readonly #trace: (line: string) => void

  constructor(random: Random, chances: Chances, trace: (line: string) => void) {
    this.#random = random
    this.#chances = chances
    this.#trace = trace
  }

  /** What may come upon a process that runs. */
  prepare(process: SimulatedProcess, time: VirtualTime): void {
    const random = this.#random
    if (random.chance(this.#chances.clockStep)) this.#stepClock(time)
    if (random.chance(this.#chances.compaction)) this.#snapshot(process)
    if (random.chance(this.#chances.fault)) this.#armFault(process)
  }

  /** What may come upon a start. */
  atStart(): Partial<DiskFate> {
    const random = this.#random
    if (!random.chance(this.#chances.fault * STARTS_TROUBLED)) return {}
    const trouble = random.pick(['callsToLive', 'callsToFault'] as const)
    const ends = random.pick(['process', 'power'] as const)
    return { [trouble]: random.integer(1, START_CALLS_MAX), ends }
  }

  #stepClock(time: VirtualTime): void {
    const random = this.#random
    this.clockSteps += 1
    const steps = [0, 0, -HOUR_MS, HOUR_MS, -5_000, 30_000] as const
    time.skewMs = random.pick(steps)
    this.#trace(`clock ${time.skewMs}`)
  }

  /** A snapshot is due; its compactor may be killed at any call. */
  #snapshot(process: SimulatedProcess): void {
    const random = this.#random
    void process.snapshots.take()
    const fate = process.compaction?.disk.fate
    if (fate && random.chance(this.#chances.compactorKill))
      fate.callsToLive = random.integer(1, COMPACTOR_CALLS_MAX)
  }

  /** The next calls of the disk: one fails, or is the last of the process or of the machine. */
  #armFault(process: SimulatedProcess): void {
    const random = this.#random
    const compactor = process.compaction?.disk.fate
    const fate = compactor && random.chance(0.5) ? compactor : process.disk.fate
    const calls = random.integer(1, CALLS_AHEAD_MAX)
    const what = random.pick(['fault', 'fault', 'kill', 'power'] as const)
    if (what === 'fault') {
      fate.fault = random.pick(['ENOSPC', 'EIO'])
      fate.faultsSyncs = fate.fault === 'EIO' && random.chance(0.6)
      fate.callsToFault = fate.faultsSyncs ? random.integer(1, SYNCS_AHEAD_MAX) : calls
    } else {
      fate.callsToLive = calls
      if (what === 'power') fate.ends = 'power'
    }
    this.#trace(
      `in ${calls} calls of ${fate === compactor ? 'the compactor' : 'the disk'}: ${what}`,
    )
  }
}
