import type { CompactorResult } from '../../src/store/compaction/compactor-messages.ts'
import type { Random } from '../oracle/random.ts'
import { CrashDisk } from '../store/disks/crash-disk.ts'
import { MemoryMark } from '../store/disks/memory-mark.ts'
import type { Lie } from './lies.ts'
import type { Plan } from './plan.ts'
import { type RunningCompaction, SimulatedProcess, stepCompaction } from './process.ts'
import { type DiskFate, type DiskSpace, ProcessDisk } from './process-disk.ts'
import { Violation } from './violation.ts'
import type { VirtualTime } from './virtual-time.ts'
import type { Witness } from './witness.ts'

/** How a process comes to its end. */
export type Stop = 'kill' | 'power' | 'order'

export interface MachineHears {
  readonly message: (message: string) => void
  readonly snapshot: (result: Omit<CompactorResult, 'chunks'>) => void
  readonly fault: (code: string) => void
  /** The fate of a disk call ended something at once. */
  readonly ended: (what: DiskFate['ends']) => void
}

/** Turns of the event loop that let every promise that is due come to its end. */
const TURNS = 12
/** Steps of a compaction that nobody interrupts. */
const STEPS_MAX = 1_000_000

/** The machine: its disk, its boots, the process that runs on it and its compactor. */
export class Machine {
  disk = new CrashDisk()
  mark: MemoryMark
  process: SimulatedProcess | null = null
  readonly space: DiskSpace = { isFull: false }
  boots = 0
  /** Compactors whose process was killed and who go on. */
  orphans: RunningCompaction[] = []
  #epochs = 0
  readonly #plan: Plan
  readonly #time: VirtualTime
  readonly #random: Random
  readonly #lie: Lie
  readonly #hears: MachineHears

  constructor(
    parts: { plan: Plan; time: VirtualTime; random: Random; lie: Lie },
    hears: MachineHears,
  ) {
    this.#plan = parts.plan
    this.#time = parts.time
    this.#random = parts.random
    this.#lie = parts.lie
    this.#hears = hears
    this.mark = new MemoryMark(null, parts.plan.ringBytes !== null)
    this.boot()
  }

  /** The machine gets its power back. */
  boot(): void {
    this.boots += 1
  }

  /**
   * Starts the program.
   * @throws whatever the program refuses to start with
   */
  start(witness: Witness, fate: Partial<DiskFate>): SimulatedProcess {
    // The program ends a compactor that outlived its process before it looks at the folder.
    for (const orphan of this.orphans) orphan.disk.end()
    this.orphans = []
    const process = new SimulatedProcess(
      {
        plan: this.#plan,
        disk: this.#newDisk(fate),
        time: this.#time,
        boot: uuid(0xb007, this.boots),
        mark: this.mark,
        newEpoch: () => {
          this.#epochs += 1
          return uuid(0xe90c, this.#epochs)
        },
        formerEpoch: witness.epoch,
        lie: this.#lie,
        random: this.#random,
        newCompactorDisk: () => this.#newDisk({ ends: 'compactor' }),
        onMessage: this.#hears.message,
        onSnapshot: this.#hears.snapshot,
      },
      (recovered) => witness.recovered(recovered),
    )
    this.process = process
    return process
  }

  /** kill -9: the disk has everything; a compactor may go on by itself. */
  kill(leavesOrphan: boolean): void {
    const { process } = this
    process?.disk.end()
    if (process?.compaction) {
      if (leavesOrphan) this.orphans.push(process.compaction)
      else process.compaction.disk.end()
    }
    this.process = null
  }

  powerFailure(): void {
    this.process?.disk.end()
    this.process = null
    this.orphans = []
    this.#time.forget()
    this.disk = this.disk.crash(this.#random)
    this.mark = new MemoryMark(this.mark.crashed, this.mark.isMemory)
    this.boot()
  }

  /** The compactor works for some steps. */
  async compactorWorks(steps: number): Promise<void> {
    for (const orphan of [...this.orphans])
      if (stepCompaction(orphan, steps))
        this.orphans = this.orphans.filter((other) => other !== orphan)
    const { process } = this
    const compaction = process?.compaction
    if (!process || !compaction) return
    if (stepCompaction(compaction, steps)) process.compaction = null
    await turns()
  }

  /** SIGTERM: the journal ends in order, a last snapshot is made; null when all went well. */
  async stopInOrder(process: SimulatedProcess): Promise<void> {
    let isDone = false
    const closing = process.close().then(() => {
      isDone = true
    })
    for (let rounds = 0; !isDone; rounds++) {
      await turns()
      if (this.process !== process) return
      await this.compactorWorks(STEPS_MAX)
      if (rounds > TURNS) throw new Violation('the stop in order does not come to its end')
    }
    await closing
    process.closed()
    this.process = null
  }

  #newDisk(fate: Partial<DiskFate>): ProcessDisk {
    const random = this.#random
    const own: DiskFate = {
      callsToLive: Number.POSITIVE_INFINITY,
      callsToFault: Number.POSITIVE_INFINITY,
      ends: 'process',
      faultsSyncs: false,
      fault: 'EIO',
      takes: () => random.pick([0, 0.3, 0.7, 1]),
      syncMs: () => random.integer(0, this.#plan.syncMsMax),
      onEnd: () => this.#hears.ended(own.ends),
      onFault: () => this.#hears.fault(own.fault),
      ...fate,
    }
    return new ProcessDisk(this.disk, this.#time, this.space, own)
  }
}

async function turns(): Promise<void> {
  for (let i = 0; i < TURNS; i++) await null
}

function uuid(kind: number, number: number): string {
  const tail = number.toString(16).padStart(12, '0')
  return `${kind.toString(16).padStart(8, '0')}-0000-4000-8000-${tail}`
}
