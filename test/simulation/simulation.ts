import { createHash } from 'node:crypto'
import type { FeedEvent } from '../../src/events/event.ts'
import type { CompactorResult } from '../../src/store/compaction/compactor-messages.ts'
import { StoreError } from '../../src/store/disk/failure.ts'
import { Random } from '../oracle/random.ts'
import { Clients } from './clients.ts'
import { type Lie, NO_LIE } from './lies.ts'
import { Machine, type MachineHears, type Stop } from './machine.ts'
import { Mishaps } from './mishaps.ts'
import { noTally, type Outcome } from './outcome.ts'
import { type Plan, planOf } from './plan.ts'
import type { SimulatedProcess } from './process.ts'
import { namesIn, Reads } from './reads.ts'
import type { Arrival } from './reference.ts'
import { storyOf } from './story.ts'
import { insist, Violation } from './violation.ts'
import { VirtualTime } from './virtual-time.ts'
import { Witness } from './witness.ts'

export interface SimulationOptions {
  readonly lie?: Lie
  readonly tell?: (line: string) => void
}

/** Steps of a run at most, for each event: many restarts may keep a feed from getting on. */
const STEPS_PER_EVENT = 1
/** Events that a feed sends again after a restart, at most. */
const BACKFILL_MAX = 12

/** One seed: a machine, its program, its feeds and clients, and whatever goes wrong. */
export class Simulation {
  readonly plan: Plan
  readonly #random: Random
  readonly #time: VirtualTime
  readonly #machine: Machine
  readonly #witness: Witness
  readonly #story: readonly FeedEvent[]
  readonly #clients: Clients
  readonly #reads: Reads
  readonly #tally = noTally()
  readonly #mishaps: Mishaps
  readonly #hash = createHash('sha256')
  readonly #tell: (line: string) => void
  /** Made, but not checked yet. */
  readonly #newSnapshots: Omit<CompactorResult, 'chunks'>[] = []
  #cursor = 0
  #steps = 0
  #batch = 0
  /** A disk call ended the process or the machine in the middle of something. */
  #ending: Exclude<Stop, 'order'> | null = null

  constructor(seed: number, options: SimulationOptions = {}) {
    this.plan = { ...planOf(seed), ...options.lie?.plan }
    this.#tell = options.tell ?? (() => {})
    this.#random = new Random(seed ^ 0xf1a7)
    this.#story = storyOf(this.plan)
    this.#time = new VirtualTime(1000 * (this.#story[0]?.timestamp ?? 0))
    this.#witness = new Witness(this.plan)
    this.#clients = new Clients(this.plan.clientBufferBytes, this.#random)
    this.#mishaps = new Mishaps(this.#random, this.plan.chances, (line) => this.#trace(line))
    this.#reads = new Reads(namesIn(this.#story), this.#random)
    const { plan } = this
    const parts = { plan, time: this.#time, random: this.#random, lie: options.lie ?? NO_LIE }
    this.#machine = new Machine(parts, this.#ears())
  }

  #ears(): MachineHears {
    return {
      message: (message) => this.#hear(message),
      snapshot: (result) => {
        this.#tally.snapshots += 1
        this.#newSnapshots.push(result)
      },
      fault: (code) => {
        this.#tally.diskFaults += 1
        this.#trace(`fault ${code}`)
      },
      ended: (what) => {
        if (what === 'compactor') this.#tally.compactorsKilled += 1
        else this.#ending = what === 'power' ? 'power' : 'kill'
      },
    }
  }

  /** @throws Violation at the first thing that does not hold */
  async run(): Promise<Outcome> {
    this.#trace(JSON.stringify(this.plan))
    try {
      const stepsMax = STEPS_PER_EVENT * this.#story.length
      while (this.#cursor < this.#story.length && this.#steps < stepsMax) await this.#step()
      await this.#finish()
    } catch (error) {
      this.#trace(`violated: ${String(error)}`)
      throw error
    }
    const { read, slowReaders } = this.#clients
    return {
      seed: this.plan.seed,
      trace: this.#hash.digest('hex'),
      steps: this.#steps,
      virtualMs: this.#time.nowMs,
      tally: {
        ...this.#tally,
        clockSteps: this.#mishaps.clockSteps,
        reads: this.#reads.count,
        messagesRead: read,
        slowReaders,
      },
    }
  }

  async #step(): Promise<void> {
    this.#steps += 1
    const random = this.#random
    this.#pass(random.pick([0, 0, 1, 7, 100, 3_000]))
    this.#endIfEnded(this.#machine.process)
    const process = this.#machine.process ?? this.#start()
    if (process === null) return
    this.#mishaps.prepare(process, this.#time)
    if (random.chance(this.plan.chances.stop)) await this.#stopSomehow(process)
    if (this.#machine.process === process) await this.#serve(process)
    this.#endIfEnded(process)
  }

  /** Here, not when it is told: the program takes an error of its listener for a failed snapshot. */
  #checkSnapshots(): void {
    for (const { seq, digest } of this.#newSnapshots.splice(0)) {
      this.#trace(`snapshot ${seq} ${digest.slice(0, 8)}`)
      this.#witness.checkSnapshot(seq, digest)
    }
  }

  /** One turn of a process that lives: its compactor, a batch, a read. */
  async #serve(process: SimulatedProcess): Promise<void> {
    const random = this.#random
    await this.#machine.compactorWorks(random.integer(0, 2))
    this.#checkSnapshots()
    if (this.#ending !== null) return
    if (process.journal.failure !== null && random.chance(0.3)) {
      // Somebody notices: frees space and starts the program anew.
      this.#machine.space.isFull = false
      await this.#stop(process, random.pick(['order', 'kill']))
      return
    }
    this.#deliver(process)
    if (this.#ending !== null) return
    if (random.chance(this.plan.chances.read)) this.#read(process)
    if (random.chance(0.02)) this.#witness.checkState(process, 'while it runs')
    if (random.chance(0.008)) this.#witness.checkOracle(process, random)
  }

  /** A batch of a feed arrives at the time of its newest event, or a little later. */
  #deliver(process: SimulatedProcess): void {
    const random = this.#random
    const arrival = this.#nextArrival(process)
    // The time until it arrived may have been the process's last.
    if (this.#ending !== null) return
    const { events } = arrival
    this.#batch = events.length
    const seqBefore = process.service.engine.seq
    const leftOut = process.leftOut
    const { book } = process.service.engine.state
    const known = JSON.stringify(book.counts)
    const { dormant } = process.service.engine.state
    const woken = dormant.wakings
    process.take(arrival)
    const taken = { ...arrival, rests: process.rests }
    const hasNamed = JSON.stringify(book.counts) !== known
    const isAlive = this.#ending === null
    const isRefused = !isAlive || process.leftOut > leftOut
    // One that ends in the middle of a batch meets its end as any other fault.
    if (isAlive)
      insist(process.service.failure === null, () => `the service: ${process.service.failure}`)
    if (isRefused) {
      this.#tally.batchesRefused += 1
      this.#witness.refused(taken, isAlive, hasNamed)
      if (isAlive)
        insist(process.service.engine.seq === seqBefore, () => 'took events after a disk failure')
    } else {
      this.#witness.accepted(taken, process)
      this.#tally.events += events.length
      this.#tally.tokensRested += process.rests.length
      this.#tally.tokensWoken += dormant.wakings - woken
    }
    this.#trace(`${isRefused ? 'refused' : 'took'} ${events.length} at ${this.#cursor}`)
    this.#cursor += events.length
    if (random.chance(0.01)) this.#cursor = Math.max(0, this.#cursor - random.integer(0, 3))
  }

  #nextArrival(process: SimulatedProcess): Arrival {
    const random = this.#random
    const size = random.integer(1, this.plan.batchMax)
    const events = this.#story.slice(this.#cursor, this.#cursor + size)
    const isRecords = random.chance(0.25)
    const newest = Math.min(...events.map(({ timestamp }) => timestamp))
    this.#pass(Math.max(0, newest * 1000 - this.#time.trueWallMs) + random.integer(0, 900))
    process.service.tick()
    const { now } = process.service.engine.state
    return { kind: isRecords ? 'records' : 'events', now, events }
  }

  #read(process: SimulatedProcess): void {
    const isChecked = this.#random.chance(0.05)
    process.service.tick()
    const before = isChecked ? this.#witness.checkState(process, 'before a read') : ''
    for (let i = this.#random.integer(1, 3); i > 0; i--) this.#reads.read(process, this.#witness)
    if (!isChecked) return
    const after = this.#witness.checkState(process, 'after a read')
    insist(before === after, () => 'a read changed the state')
  }

  #hear(message: string): void {
    // A process that has ended reaches nobody.
    if (this.#ending !== null) return
    this.#witness.published(message, this.#machine.disk, this.#batch)
    this.#clients.publish(message)
  }

  #pass(ms: number): void {
    this.#time.advance(ms)
    const missed = this.#clients.pass(ms)
    if (missed !== null) throw new Violation(missed)
  }

  async #stopSomehow(process: SimulatedProcess): Promise<void> {
    await this.#stop(process, this.#random.pick(['kill', 'power', 'order']))
  }

  async #stop(process: SimulatedProcess, stop: Stop): Promise<void> {
    if (stop === 'order') {
      this.#tally.stopsInOrder += 1
      await this.#machine.stopInOrder(process)
      this.#checkSnapshots()
      if (this.#ending !== null) return
      this.#trace('stopped in order')
      this.#witness.stopped(process)
      this.#afterStop()
    } else {
      this.#ending = stop
      this.#endIfEnded(process)
    }
  }

  /** What a disk call, or somebody, has ended. */
  #endIfEnded(process: SimulatedProcess | null): void {
    const stop = this.#ending
    if (stop === null) return
    this.#ending = null
    if (process !== null) this.#witness.stopped(process)
    if (stop === 'power') this.#powerFails()
    else {
      this.#tally.kills += 1
      const isOrphan = process?.compaction !== null && this.#random.chance(0.4)
      if (isOrphan) this.#tally.orphans += 1
      this.#machine.kill(isOrphan)
    }
    this.#trace(`ended: ${stop}`)
    this.#afterStop()
  }

  #powerFails(): void {
    this.#tally.powerFailures += 1
    this.#machine.powerFailure()
    this.#witness.powerFailed()
  }

  #afterStop(): void {
    this.#clients.hangUp()
    this.#pass(this.#random.pick([0, 10, 60_000]))
    if (this.#random.chance(0.7)) this.#machine.space.isFull = false
  }

  /** Starts the program; null when a fault of the disk kept it from starting. */
  #start(): SimulatedProcess | null {
    const faultsBefore = this.#tally.diskFaults
    try {
      const process = this.#machine.start(this.#witness, this.#mishaps.atStart())
      this.#started(process)
      return process
    } catch (error) {
      if (this.#ending !== null) {
        this.#endIfEnded(null)
        return null
      }
      const isExcused = this.#machine.space.isFull || this.#tally.diskFaults > faultsBefore
      if (error instanceof Violation || !isExcused) throw refusal(error)
      this.#tally.startsRefused += 1
      this.#trace(`refused to start: ${String(error)}`)
      this.#machine.space.isFull = false
      return null
    }
  }

  #started(process: SimulatedProcess): void {
    const seen = this.#witness.seen
    this.#witness.started(process)
    this.#tally.starts += 1
    this.#tally.eventsLost += Math.max(0, seen - this.#witness.seen)
    // A feed back-fills what it may have missed, and a little more.
    this.#cursor = Math.max(0, this.#cursor - this.#random.integer(0, BACKFILL_MAX))
    const { snapshotSeq, place } = process.recovered
    this.#trace(`started at ${place.seq}, snapshot ${snapshotSeq}, epoch ${process.epoch}`)
  }

  /** Whatever happened: the program starts again, has its state, and stops in order. */
  async #finish(): Promise<void> {
    this.#machine.space.isFull = false
    const { process: running } = this.#machine
    if (running !== null) await this.#stop(running, this.#random.pick(['kill', 'power']))
    for (const last of ['kill', 'power', 'order', 'order'] as const) {
      const process = this.#startUndisturbed()
      this.#trace(`state ${this.#witness.checkState(process, 'at the end')}`)
      this.#witness.checkOracle(process, this.#random)
      this.#reads.read(process, this.#witness)
      await this.#stop(process, last)
    }
  }

  #startUndisturbed(): SimulatedProcess {
    try {
      const process = this.#machine.start(this.#witness, {})
      this.#started(process)
      return process
    } catch (error) {
      throw refusal(error)
    }
  }

  #trace(line: string): void {
    const text = `${this.#time.nowMs} ${line}`
    this.#hash.update(text).update('\n')
    this.#tell(text)
  }
}

function refusal(error: unknown): Error {
  if (!(error instanceof StoreError))
    return error instanceof Error ? error : new Error(String(error))
  return new Violation(`the program does not start: ${error.message}`)
}
