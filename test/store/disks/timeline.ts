import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import type { Random } from '../../oracle/random.ts'
import { CrashDisk } from './crash-disk.ts'
import { CrashService, newUuid, recoverFrom } from './crash-service.ts'
import type { Images, Promised } from './images.ts'
import { MemoryMark } from './memory-mark.ts'
import type { Story } from './story.ts'

export interface TimelineOptions {
  readonly story: Story
  readonly random: Random
  readonly images: Images
  /** Power failures looked at after each change of the disk. */
  readonly imagesEach: number
  /** One in so many changes is a power failure after which the service goes on; 0 for none. */
  readonly goesOnEvery: number
}

/**
 * A service on a disk through its crashes. Each change of the disk is looked at: what a power
 * failure there, and a kill, would leave is recovered and held against what had been promised.
 */
export class Timeline {
  readonly #options: TimelineOptions
  readonly #promised: Promised
  #disk: CrashDisk
  readonly #mark: MemoryMark
  #boot = newUuid()
  #service: CrashService | null = null
  /** Events that a kill must leave. */
  #seen: number
  /** Times a service went on after a power failure. */
  wentOn = 0

  constructor(
    options: TimelineOptions,
    disk = new CrashDisk(),
    promised = nothingPromised(),
    mark = new MemoryMark(null, options.story.ringBytes !== null),
  ) {
    this.#mark = mark
    this.#options = options
    this.#disk = disk
    this.#promised = promised
    this.#seen = promised.synced
  }

  /** Feeds until `untilSeq`; compacts, stops and is killed now and then. */
  run(untilSeq: number): void {
    const { random } = this.#options
    let service = this.#service ?? this.#open()
    while (service.journal.seq < untilSeq) {
      this.#feed(service)
      this.#disturb(service)
      if (random.chance(0.012)) service = this.#stop(service)
      else if (random.chance(0.02)) service = this.#kill()
    }
  }

  /** The power fails: the timeline that follows, with a service that is yet to start. */
  powerFailure(imagesEach: number): Timeline {
    const { synced, written, published } = this.#promised
    const promised = { synced, written, published: new Map(published) }
    const disk = this.#disk.crash(this.#options.random)
    const mark = new MemoryMark(this.#mark.crashed, this.#mark.isMemory)
    return new Timeline({ ...this.#options, imagesEach, goesOnEvery: 0 }, disk, promised, mark)
  }

  /** A stop in order, and a start on another day that has everything: its digest. */
  end(): string {
    const service = this.#service ?? this.#open()
    this.#disk.onChange = null
    service.journal.close()
    const { story } = this.#options
    const { killed } = this.#mark
    const { engine, recovered } = recoverFrom(story, this.#disk, newUuid(), killed)
    if (recovered.epoch !== service.recovered.epoch)
      throw new Error('a stop in order made a new epoch')
    return stateDigest(engine.parts)
  }

  #open(): CrashService {
    const disk = this.#disk
    const { story, imagesEach } = this.#options
    disk.onChange = imagesEach === 0 ? null : () => this.#look()
    const service = new CrashService(story, disk, this.#boot, this.#mark)
    this.#service = service
    this.#promised.written = service.journal.seq
    this.#publish(service)
    return service
  }

  #feed(service: CrashService): void {
    const { story, random } = this.#options
    const { seq } = service.journal
    const batch = story.batches.find(({ from, events }) => from + events.length > seq)
    if (batch === undefined) throw new Error(`there is no event ${seq}`)
    this.#promised.written = batch.from + batch.events.length
    if (random.chance(0.2)) this.#disk.appendLimit = (bytes) => random.integer(1, bytes)
    service.feed(batch)
    this.#disk.appendLimit = null
    if (service.journal.failure !== null) throw service.journal.failure
    this.#publish(service)
    // A store to the ring is no call of the disk, which would be looked at by itself.
    if (story.ringBytes !== null) this.#disk.onChange?.()
  }

  #publish(service: CrashService): void {
    const { seq } = service.journal
    this.#seen = seq
    this.#promised.published.set(service.recovered.epoch, seq)
    if (this.#options.story.fsync === 'always') this.#promised.synced = seq
    this.#noteSynced()
  }

  #noteSynced(): void {
    const syncedSeq = this.#service?.journal.syncedSeq ?? 0
    this.#promised.synced = Math.max(this.#promised.synced, syncedSeq)
  }

  #disturb(service: CrashService): void {
    const { random } = this.#options
    while (this.#disk.pending > 0 && random.chance(0.5)) {
      this.#disk.settle(1)
      this.#noteSynced()
    }
    if (service.isCompacting) service.step()
    else if (random.chance(0.03)) service.beginCompaction()
  }

  #stop(service: CrashService): CrashService {
    service.journal.close()
    this.#noteSynced()
    this.#service = null
    return this.#open()
  }

  #kill(): CrashService {
    this.#disk.onChange = null
    this.#disk = this.#disk.kill()
    this.#service = null
    return this.#open()
  }

  #look(): void {
    const { random, images, imagesEach, goesOnEvery } = this.#options
    this.#noteSynced()
    for (let i = 0; i < imagesEach; i += 1) {
      const image = { disk: this.#disk.crash(random), boot: null, written: this.#mark.crashed }
      images.check(image, this.#promised, () => this.#where('power failure'))
    }
    this.#lookKilled()
    if (goesOnEvery > 0 && random.chance(1 / goesOnEvery)) this.#goOn()
  }

  #lookKilled(): void {
    const where = () => this.#where('kill')
    const { images } = this.#options
    const image = { disk: this.#disk.kill(), boot: this.#boot, written: this.#mark.killed }
    const { n, epoch } = images.check(image, this.#promised, where)
    if (n < this.#seen) throw new Error(`${where()}: ${n} events of ${this.#seen} are left`)
    const isSame = this.#service === null || epoch === this.#service.recovered.epoch
    if (!isSame) throw new Error(`${where()}: the epoch is a new one`)
  }

  /** Two power failures, with some events in between; then the rest, which must end as ever. */
  #goOn(): void {
    const { story, random } = this.#options
    const first = this.powerFailure(1)
    first.run(Math.min(story.count, this.#promised.synced + random.integer(0, 30)))
    const second = first.powerFailure(0)
    second.run(story.count)
    if (second.end() !== story.end)
      throw new Error(`${this.#where('power failure')}: what came then ends in another state`)
    this.wentOn += 1
  }

  #where(what: string): string {
    const { synced, written } = this.#promised
    const calls = this.#disk.calls.slice(-4).join(', ')
    return `${what} behind ${calls}; safe ${synced}, seen ${this.#seen}, written ${written}`
  }
}

function nothingPromised(): Promised {
  return { synced: 0, written: 0, published: new Map() }
}
