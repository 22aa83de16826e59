import type { Recovered } from '../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import type { Random } from '../oracle/random.ts'
import type { CrashDisk } from '../store/disks/crash-disk.ts'
import { endSeqInFiles } from './journal-bytes.ts'
import { OracleCheck } from './oracle-check.ts'
import type { Plan } from './plan.ts'
import { FOLDER, type SimulatedProcess } from './process.ts'
import { type Arrival, cutArrivals, eventsOf, Reference, referenceAt } from './reference.ts'
import { insist, Violation } from './violation.ts'

/** A state a recovery found, as the reference has it too. */
interface Found {
  readonly arrivals: Arrival[]
  readonly reference: Reference
}

/**
 * Sees what clients could see and what the program said is safe, and holds every later state
 * against it. Whatever was folded counts as seen: a read may come at any moment.
 */
export class Witness {
  arrivals: Arrival[] = []
  reference: Reference
  epoch: string | null = null
  /** Events folded, and so seen. */
  seen = 0
  /** Below it the program said that all is on the disk. */
  #safe = 0
  #hadPowerFailure = false
  /** The batch that was being written when the disk refused or the process ended. */
  #attempted: Arrival | null = null
  #found: Found | null = null
  #messages: string[] = []
  readonly #plan: Plan
  readonly #oracle: OracleCheck

  constructor(plan: Plan) {
    this.#plan = plan
    this.reference = new Reference(plan)
    this.#oracle = new OracleCheck(plan)
  }

  /** A message left the engine: its event has to be in the journal's file by now. */
  published(message: string, disk: CrashDisk, batch: number): void {
    if (this.#messages.length === 0) {
      const inFile = endSeqInFiles(disk, FOLDER)
      insist(
        inFile >= this.seen + batch,
        () => `published event ${this.seen + batch} while the journal file ends at ${inFile}`,
      )
    }
    this.#messages.push(message)
  }

  /** The program has taken a batch. */
  accepted(arrival: Arrival, process: SimulatedProcess): void {
    this.reference.fold(arrival)
    this.arrivals.push(arrival)
    this.seen += arrival.events.length
    const { engine } = process.service
    const expected = this.reference.engine
    insist(engine.seq === expected.seq, () => `seq ${engine.seq} instead of ${expected.seq}`)
    insist(process.journal.seq === this.seen, () => `the journal is at ${process.journal.seq}`)
    const actual = this.#messages
    this.#messages = []
    const { messages } = this.reference
    const unlike = messages.findIndex((message, i) => message !== actual[i])
    insist(unlike < 0 && actual.length === messages.length, () =>
      unlike < 0
        ? `${actual.length} messages instead of ${messages.length}`
        : `message ${actual[unlike]} instead of ${messages[unlike]}`,
    )
  }

  /** The program has left a batch out: the disk has refused, or the process has ended. */
  refused(arrival: Arrival, isAlive: boolean, hasNamed: boolean): void {
    insist(this.#messages.length === 0 || !isAlive, () => 'published what the disk refused')
    this.#messages = []
    // What the disk took of the first such batch may come back; later ones were never written.
    this.#attempted ??= arrival
    // Once the journal is over, batches are not even looked at: their addresses get no numbers.
    if (isAlive && hasNamed) this.reference.fold({ ...arrival, kind: 'names' })
  }

  /** The process is no more. */
  stopped(process: SimulatedProcess): void {
    this.#safe = process.journal.syncedSeq
    this.#messages = []
  }

  powerFailed(): void {
    this.#hadPowerFailure = true
  }

  /** Holds what a recovery found against what had been seen. */
  recovered(process: SimulatedProcess): void {
    const { recovered, epoch } = process
    this.#checkSeq(recovered, epoch)
    insist(
      recovered.damagedSnapshots.length === 0,
      () => `the program left damaged snapshots: ${recovered.damagedSnapshots.join()}`,
    )
    this.#found = this.#find(process)
  }

  /** The process that recovered runs: from now on what it found is what is seen. */
  started(process: SimulatedProcess): void {
    if (this.#found === null) throw new Violation('nothing was recovered')
    this.arrivals = this.#found.arrivals
    this.reference = this.#found.reference
    this.seen = process.recovered.place.seq
    this.epoch = process.epoch
    this.#hadPowerFailure = false
    this.#attempted = null
    this.#found = null
  }

  /** The state is that of an engine that never stopped. */
  checkState(process: SimulatedProcess, when: string): string {
    const { engine } = process.service
    this.reference.engine.advance(engine.state.now)
    const actual = stateDigest(engine.parts)
    insist(actual === stateDigest(this.reference.engine.parts), () => {
      const parts = unlikeParts(process, this.reference)
      return `the state ${when} is not that of the reference: ${parts}`
    })
    return actual
  }

  checkOracle(process: SimulatedProcess, random: Random): void {
    const found = this.#oracle.difference(process.service.engine, this.arrivals, random)
    if (found !== null) throw new Violation(`not what the oracle says: ${found}`)
  }

  /** A snapshot holds the state of the same events replayed. */
  checkSnapshot(seq: number, digest: string): void {
    const { engine } = referenceAt(this.#plan, this.#maybe(), seq)
    insist(
      digest === '' || stateDigest(engine.parts) === digest,
      () => `the snapshot of seq ${seq} is not the state replayed`,
    )
  }

  #checkSeq({ place, loss }: Recovered, epoch: string): void {
    const { seq } = place
    const isPower = this.#hadPowerFailure
    const least = isPower && this.#plan.fsync !== 'always' ? this.#safe : this.seen
    const what = isPower ? 'a power failure' : 'a stop of the process'
    insist(seq >= least, () => `${what} cost events ${seq} to ${least - 1} of ${this.seen}`)
    const most = eventsOf(this.#maybe())
    insist(seq <= most, () => `recovered ${seq} events where ${most} arrived`)
    if (this.epoch === null) return
    if (seq < this.seen)
      insist(epoch !== this.epoch, () => `events ${seq} to ${this.seen - 1} are lost, epoch kept`)
    else if (!isPower)
      insist(
        epoch === this.epoch && loss === null,
        () => `a new epoch though nothing could be lost: ${loss}`,
      )
  }

  #maybe(): readonly Arrival[] {
    return this.#attempted === null ? this.arrivals : [...this.arrivals, this.#attempted]
  }

  /** The engine that never stopped, at the seq recovered: with or without what is left of a torn batch. */
  #find(process: SimulatedProcess): Found {
    const { seq } = process.recovered.place
    const { engine } = process.service
    const digest = stateDigest(engine.parts)
    let unlike = ''
    for (const leftOver of ['nothing', 'names', 'rests'] as const) {
      const arrivals = cutArrivals(this.#maybe(), seq, leftOver)
      const reference = referenceAt(this.#plan, arrivals, seq)
      const clock: Arrival = { kind: 'clock', now: engine.state.now, events: [] }
      if (clock.now > reference.engine.state.now) {
        reference.fold(clock)
        arrivals.push(clock)
      }
      if (stateDigest(reference.engine.parts) === digest) return { arrivals, reference }
      unlike ||= unlikeParts(process, reference)
    }
    throw new Violation(
      `the state recovered at seq ${seq} is not that of the reference: ${unlike} ` +
        `(snapshot ${process.recovered.snapshotSeq})`,
    )
  }
}

function unlikeParts(process: SimulatedProcess, reference: Reference): string {
  const expected = reference.engine.parts.map((part) => stateDigest([part]))
  const { engine } = process.service
  const unlike = engine.parts.filter((part, i) => stateDigest([part]) !== expected[i])
  const now = `now ${engine.state.now} and ${reference.engine.state.now}`
  return `${unlike.map(({ name }) => name).join(', ')}; ${now}`
}
