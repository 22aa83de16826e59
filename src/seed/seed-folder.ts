import fs from 'node:fs'
import { open } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { performance } from 'node:perf_hooks'
import { setImmediate, setTimeout as sleep } from 'node:timers/promises'
import { inTurns } from '../base/budget.ts'
import type { Market } from '../config/source-settings.ts'
import { Backoff } from '../feeds/backoff.ts'
import { StoreError } from '../store/disk/failure.ts'
import { diskOf, NodeDisk } from '../store/disk/node-disk.ts'
import { listDataFiles, UNFINISHED, withFile } from '../store/folder/data-folder.ts'
import { markMarket, otherSeed } from '../store/folder/market-mark.ts'
import { OLDEST_SNAPSHOT_VERSION, SNAPSHOT_VERSION } from '../store/snapshot/snapshot-file.ts'
import { SeedClient } from './seed-client.ts'
import { bytesOf, chunksOf, isWhole, type SeedFile, snapshotFile, tagOf } from './seed-files.ts'
import type { SeedList, SeedSnapshot } from './seed-list.ts'

/** Times of a seeding; tests have shorter ones. */
export const SEED_TIMES = {
  /** An answer that gives nothing for so long is asked for again. */
  silenceMs: 30_000,
  /** So long nothing came at all: the start is given up. A restart of the other instance takes less. */
  giveUpMs: 300_000,
}
/** Lines of the log about progress are this far apart. */
const PROGRESS_MS = 1_000
/** A file that came damaged so often is damaged where it comes from, or something on the way changes it. */
const DAMAGED_MAX = 3
/** So often a snapshot may go before it has come whole; it stays for two of the other's SNAPSHOT_EVERY. */
const GONE_MAX = 5

interface SeedOptions {
  readonly folder: string
  readonly server: { readonly url: string; readonly token: string | null }
  /** What FEED brings; null: unknown. */
  readonly market: Market | null
  readonly log: Record<
    'info' | 'warn',
    (fields: Readonly<Record<string, unknown>>, message: string) => void
  >
  /** Takes what is to be told to who asks meanwhile, in one sentence. */
  readonly onState: (sentence: string) => void
  readonly times?: typeof SEED_TIMES
  /** Only snapshots of this stream will do, which goes on behind them. */
  readonly epoch?: string
  /** The one to take; else a new one is ordered. */
  readonly snapshot?: SeedSnapshot
}

/**
 * Fills a folder that holds no market, and that this process has locked, from a running instance. What has come stays
 * over a kill, and the next call goes on from there. False: the folder holds a market, and nothing was done.
 * @throws StoreError `seed` or `seed_unreached` with a sentence that says what to do
 * @throws Error with the disk's code when the disk refuses
 */
export async function seedFolder(options: SeedOptions): Promise<boolean> {
  const { segments, snapshots } = listDataFiles(new NodeDisk(), options.folder)
  if (segments.length + snapshots.length === 0) {
    await new Seeding(options).run()
    return true
  }
  const { folder, log } = options
  log.info({ folder }, 'SEED_URL is not asked: DATA_DIR holds a market already')
  return false
}

class Seeding {
  readonly #options: SeedOptions
  readonly #times: typeof SEED_TIMES
  readonly #disk = new NodeDisk()
  readonly #client: SeedClient
  readonly #backoff = new Backoff()
  #reachedAtMs = performance.now()
  #nextLineMs = 0
  #bytes = 0
  #ofBytes = 0
  /** How long new snapshots took to be made, and files to be proven. */
  #orderedMs = 0
  #provenMs = 0

  constructor(options: SeedOptions) {
    this.#options = options
    this.#times = options.times ?? SEED_TIMES
    this.#client = new SeedClient(options.server, this.#times.silenceMs)
  }

  async run(): Promise<void> {
    this.#options.onState('The instance of SEED_URL is asked for its market.')
    for (let gone = 1; ; gone++)
      try {
        return await this.#fill()
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'seed_gone') throw error
        if (gone === GONE_MAX) throw goneTooOften(error.message)
        this.#options.log.warn({ reason: error.message }, 'seeding begins with a newer snapshot')
      }
  }

  /**
   * The chunks first: they are those of the next snapshot too, and months of them may take hours. Then a new snapshot is
   * ordered, so that the live feed has the less to fill behind it; one that has come in part is taken as it is.
   */
  async #fill(): Promise<void> {
    const { folder, log } = this.#options
    const startedMs = performance.now()
    let list = await this.#list()
    let snapshot = this.#options.snapshot ?? this.#begun(list)
    if (snapshot === null) {
      const newest = list.snapshots.at(-1)
      if (newest !== undefined) await this.#fetchAll(chunksOf(folder, newest), newest.bytes)
      list = await this.#list(() => this.#freshList())
      snapshot = newestOf(list)
    }
    this.#dropOthers(snapshot)
    const { seq } = snapshot
    const file = snapshotFile(folder, snapshot)
    await this.#fetchAll([...chunksOf(folder, snapshot), file])
    // Before the folder holds anything: a feed of the other market must not get into it.
    markMarket(folder, list.market, (sentence) => log.warn({}, sentence))
    this.#disk.syncFolder(folder)
    this.#disk.rename(`${file.path}${UNFINISHED}`, file.path)
    this.#disk.syncFolder(folder)
    const seconds = Math.round((performance.now() - startedMs) / 1000)
    const [orderedMs, provenMs] = [this.#orderedMs, this.#provenMs].map(Math.round)
    const about = { seq, bytes: this.#ofBytes, seconds, orderedMs, provenMs }
    log.info(about, 'seeded from the instance of SEED_URL')
  }

  async #list(ask = () => this.#client.list()): Promise<SeedList> {
    const list = ofEpoch(await this.#reached(ask), this.#options.epoch)
    const refusal = otherSeed(list.market, this.#options.market) ?? otherVersion(list)
    if (refusal !== null) throw new StoreError('seed', refusal)
    return list
  }

  /** The snapshot that came in part, if it is still there. */
  #begun({ snapshots }: SeedList): SeedSnapshot | null {
    const { folder } = this.#options
    const isBegun = (snapshot: SeedSnapshot) =>
      fs.existsSync(`${snapshotFile(folder, snapshot).path}${UNFINISHED}`)
    return snapshots.findLast(isBegun) ?? null
  }

  /** What came of another snapshot only takes room. */
  #dropOthers(snapshot: SeedSnapshot): void {
    const { folder } = this.#options
    const wanted = [snapshotFile(folder, snapshot), ...chunksOf(folder, snapshot)]
    const names = new Set(wanted.map(({ path }) => `${basename(path)}${UNFINISHED}`))
    for (const name of listDataFiles(this.#disk, folder).unfinished)
      if (!names.has(name)) this.#disk.remove(join(folder, name))
  }

  /** With a new snapshot, if it can be had: a shorter gap is worth a try and no more. */
  async #freshList(): Promise<SeedList> {
    const startedMs = performance.now()
    try {
      await this.#client.orderSnapshot()
      this.#orderedMs += performance.now() - startedMs
    } catch (error) {
      if (!(error instanceof StoreError) || error.code !== 'seed_unreached') throw error
      this.#options.log.warn(
        { reason: error.message },
        'no new snapshot came: an older one is used',
      )
    }
    const list = await this.#client.list()
    newestOf(ofEpoch(list, this.#options.epoch))
    return list
  }

  /** Fetches those that are not there, before so many bytes more; a snapshot stays under its unfinished name. */
  async #fetchAll(files: readonly SeedFile[], laterBytes = 0): Promise<void> {
    const missing: SeedFile[] = []
    this.#ofBytes = files.reduce((sum, { bytes }) => sum + bytes, laterBytes)
    let missingBytes = laterBytes
    for (const file of files) {
      await setImmediate()
      if (isThere(this.#disk, file)) continue
      missing.push(file)
      const partPath = `${file.path}${UNFINISHED}`
      const partBytes = bytesOf(partPath)
      // Longer than the file is none of it.
      if (partBytes > file.bytes) this.#disk.remove(partPath)
      missingBytes += file.bytes - (partBytes > file.bytes ? 0 : partBytes)
    }
    this.#bytes = this.#ofBytes - missingBytes
    checkRoom(this.#options.folder, missingBytes)
    for (const file of missing) await this.#fetch(file)
  }

  async #fetch(file: SeedFile): Promise<void> {
    const path = `${file.path}${UNFINISHED}`
    for (let damaged = 1; ; damaged++) {
      await this.#reached(async () => {
        if (bytesOf(path) < file.bytes) await this.#client.load(file, (bytes) => this.#tell(bytes))
      })
      if (await this.#isWhole(file, path)) break
      this.#disk.remove(path)
      this.#tell(-file.bytes)
      const name = basename(file.path)
      if (damaged === DAMAGED_MAX) throw damagedTooOften(name)
      this.#options.log.warn({ file: name }, 'it came damaged and is fetched again')
    }
    await madeToLast(path)
    if (file.chunkKind !== null) this.#disk.rename(path, file.path)
  }

  async #isWhole(file: SeedFile, path: string): Promise<boolean> {
    const startedMs = performance.now()
    const unfinished = this.#disk.open(path)
    try {
      return await inTurns(isWhole(unfinished, file))
    } finally {
      this.#provenMs += performance.now() - startedMs
      unfinished.close()
    }
  }

  #tell(bytes: number): void {
    this.#bytes += bytes
    this.#reachedAtMs = performance.now()
    this.#backoff.succeeded()
    if (this.#reachedAtMs < this.#nextLineMs) return
    this.#nextLineMs = this.#reachedAtMs + PROGRESS_MS
    const [done, all] = [this.#bytes, this.#ofBytes].map((count) => count.toLocaleString('en'))
    this.#options.log.info({ bytes: this.#bytes, ofBytes: this.#ofBytes }, 'seeding')
    this.#options.onState(
      `The market of another instance is being fetched: ${done} of ${all} bytes.`,
    )
  }

  /** Asks until there is an answer; gives up after a time without any. */
  async #reached<T>(ask: () => Promise<T>): Promise<T> {
    for (;;)
      try {
        const answer = await ask()
        this.#reachedAtMs = performance.now()
        this.#backoff.succeeded()
        return answer
      } catch (error) {
        if (!(error instanceof StoreError) || error.code !== 'seed_unreached') throw error
        const { giveUpMs } = this.#times
        const waitMs = this.#backoff.nextMs()
        if (performance.now() + waitMs - this.#reachedAtMs > giveUpMs)
          throw notReached(giveUpMs, error.message)
        const reason = error.message
        this.#options.log.warn({ reason, waitMs }, 'SEED_URL does not answer and is asked again')
        await sleep(waitMs)
      }
  }
}

/** In the background: gigabytes take a while, and the API tells meanwhile how it stands. */
async function madeToLast(path: string): Promise<void> {
  const handle = await open(path, 'r+')
  await handle.datasync().finally(() => handle.close())
}

/** Is a chunk there under its name, and so was found whole? */
function isThere(disk: NodeDisk, file: SeedFile): boolean {
  if (file.chunkKind === null || !fs.existsSync(file.path)) return false
  return withFile(disk.open(file.path), (open) => tagOf(open, file)) === file.tag
}

/**
 * Without snapshots of a stream before: one of the stream is made when it is ordered.
 * @throws StoreError when the instance is not of the stream
 */
function ofEpoch(list: SeedList, wanted: string | undefined): SeedList {
  if (wanted === undefined) return list
  if (list.epoch === wanted)
    return { ...list, snapshots: list.snapshots.filter(({ epoch }) => epoch === wanted) }
  throw new StoreError(
    'seed',
    'SEED_URL has another epoch than this stream: set that of a replica or sequencer of the same stream.',
  )
}

function otherVersion({ program, snapshots }: SeedList): string | null {
  const version = snapshots.at(-1)?.version ?? SNAPSHOT_VERSION
  if (version > SNAPSHOT_VERSION)
    return `SEED_URL runs mintfeed ${program}, whose snapshots this version does not read: install that one here, or a later one.`
  if (version < OLDEST_SNAPSHOT_VERSION)
    return `SEED_URL runs mintfeed ${program}, whose snapshots this version does not read any more: upgrade it first.`
  return null
}

/** @throws StoreError when the files would leave the journal without room */
function checkRoom(folder: string, bytes: number): void {
  const { freeBytes, roomBytes } = diskOf(folder)
  if (freeBytes - bytes >= roomBytes) return
  throw new StoreError(
    'disk',
    `The market of SEED_URL takes ${bytes} bytes more and the journal has to keep ${roomBytes}, but the disk of ` +
      `${folder} has ${freeBytes} left: make room, or give another DATA_DIR.`,
  )
}

/** @throws StoreError when there is none: the instance may have begun a moment ago */
function newestOf({ snapshots }: SeedList): SeedSnapshot {
  const newest = snapshots.at(-1)
  if (newest === undefined) throw new StoreError('seed_unreached', 'it has no market yet')
  return newest
}

function notReached(giveUpMs: number, reason: string): StoreError {
  return new StoreError(
    'seed_unreached',
    `SEED_URL gave nothing for ${giveUpMs / 1000} s (${reason}): see that the instance runs and its ADMIN_PORT can be ` +
      'reached from here. What has come is kept, and the next start goes on from there; without SEED_URL it begins ' +
      'with an empty market.',
  )
}

function damagedTooOften(name: string): StoreError {
  return new StoreError(
    'seed',
    `${name} came damaged from SEED_URL ${DAMAGED_MAX} times: check it there with "mintfeed verify", and what is ` +
      'between the two machines.',
  )
}

function goneTooOften(reason: string): StoreError {
  return new StoreError(
    'seed',
    `Files of SEED_URL went ${GONE_MAX} times before they had come (${reason}): set a longer SNAPSHOT_EVERY there, ` +
      'or check its folder with "mintfeed verify".',
  )
}
