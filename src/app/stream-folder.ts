import { spawn } from 'node:child_process'
import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import { type Config, readConfig } from '../config/config.ts'
import type { StreamSetting } from '../config/stream-settings.ts'
import { seedSetting } from '../config/surface.ts'
import { StoreError } from '../store/disk/failure.ts'
import { diskOf, NodeDisk } from '../store/disk/node-disk.ts'
import { listDataFiles, withFile } from '../store/folder/data-folder.ts'
import { bootId } from '../store/folder/process-lock.ts'
import { Journal, SEGMENT_BYTES } from '../store/journal/journal.ts'
import { JournalCopy } from '../store/journal/journal-copy.ts'
import { readContents } from '../store/snapshot/snapshot-file.ts'
import { NatsStream, type StreamHead } from '../stream/nats-stream.ts'
import { StreamFollower } from '../stream/stream-follower.ts'
import { readMessage } from '../stream/stream-message.ts'
import { isCopy } from './stream-copy.ts'

/** A command gives up when NATS gave no answer for so long. */
const UNREACHED_MS = 15_000
const LOOK_EVERY_MS = 200
/** A copy that runs reaches a snapshot that was just made within so long. */
const REACH_MS = 10_000
const SEED_SILENCE_MS = 30_000
const SILENT = { info: () => {}, warn: () => {}, error: () => {} }
const NEEDS_SEED =
  'The stream does not go back to the beginning of the market: set SEED_URL to the ADMIN_PORT of a replica or sequencer, ' +
  'which has what was before.'

/** `Streams.read` of commands/streams.ts. */
export async function readStream(
  asked: {
    readonly environment: Parameters<typeof readConfig>[1]
    readonly isFolded: boolean
    readonly progress: {
      begin(what: string, total: number): void
      to(done: number): void
      end(): void
    }
  },
  use: (folder: string, stream: Awaited<ReturnType<typeof copied>>) => number | Promise<number>,
): Promise<number> {
  const { setting, seed } = settingsOf(asked.environment)
  return inFolder('stream', async (folder) => {
    const stream = await asking(NatsStream.connect(setting, 'command'))
    const report = await copied(stream, setting, asked.isFolded ? seed : null, folder, asked)
      // Closed before anything is folded, which takes the loop for as long as it takes.
      .finally(() => stream.close())
    return use(folder, report)
  })
}

/** Of a command, beside the settings of the service. */
function settingsOf(environment: Parameters<typeof readConfig>[1]): {
  setting: StreamSetting
  seed: Config['seed']
} {
  const { stream, seed } = readConfig([], { ...environment, FEED: 'nats', DATA_DIR: '' })
  if (stream === null) throw new Error('FEED=nats has a stream')
  return { setting: stream, seed }
}

/** Writes the stream into an empty folder as a journal, and tells what it is. */
async function copied(
  stream: NatsStream,
  { name, servers }: StreamSetting,
  seed: Config['seed'],
  folder: string,
  { isFolded, progress }: Omit<Parameters<typeof readStream>[0], 'environment'>,
) {
  const details = await asking(stream.details())
  if (details === null)
    throw new StoreError('missing', `There is no stream "${name}" at ${servers.join(', ')}.`)
  const { freeBytes, roomBytes } = diskOf(folder)
  if (freeBytes - details.bytes < roomBytes)
    throw new StoreError(
      'disk',
      `The stream takes ${details.bytes} bytes, but the disk of ${folder} has ${freeBytes} left: set TMPDIR to a folder with room.`,
    )
  const [{ version }, writer] = await asking(Promise.all([stream.serverFacts(), stream.writer()]))
  const about = { ...details, servers, version, writer, epoch: null, seqs: null, damage: null }
  try {
    const begins = await firstOf(stream, details)
    if (begins === null) return about
    const { epoch, firstSeq } = begins
    const place =
      firstSeq > 0 && isFolded ? await seeded(folder, seed, epoch) : { seq: Infinity, segment: 0 }
    const journal = new SplitJournal(folder, begins, place, details.bytes)
    progress.begin('reading the stream', details.messages)
    const damage = await follow(stream, journal, details, progress).finally(() => {
      progress.end()
      journal.close()
    })
    return { ...about, epoch, seqs: { from: firstSeq, to: journal.seq }, damage }
  } catch (error) {
    if (!isDamage(error)) throw error
    return { ...about, damage: error.message }
  }
}

async function firstOf(stream: NatsStream, { first, messages }: Omit<StreamHead, 'description'>) {
  if (messages === 0) return null
  const bytes = await asking(stream.message(first))
  return bytes === null ? null : readMessage(bytes, first).header
}

/** Fetches what was before the stream; where its journal goes on. */
async function seeded(folder: string, seed: Config['seed'], epoch: string) {
  if (seed === null) throw new StoreError('missing', NEEDS_SEED)
  const { seedFolder } = await import('../seed/seed-folder.ts')
  await seedFolder({ folder, server: seed, market: null, log: SILENT, onState: () => {}, epoch })
  const disk = new NodeDisk()
  const [snapshot] = listDataFiles(disk, folder).snapshots
  const contents =
    snapshot && withFile(disk.open(snapshot.path), (file) => readContents(file, snapshot.path))
  if (!contents) throw new Error('a folder that was seeded has a snapshot')
  return contents
}

/** More than a message has: a part that has fewer might begin and end within one, and would be no segment. */
const EVENTS_A_PART = 2_048

/**
 * The journal of a folder that may have a snapshot in its middle: a segment begins there, with the number that the
 * snapshot says, so that those before have their numbers counted back from it, and are longer where there are too few.
 */
export class SplitJournal {
  readonly epoch: string
  readonly #journal: Journal
  readonly #copy: JournalCopy
  readonly #splits: number[] = []
  readonly #segmentBytes: number

  constructor(
    folder: string,
    { epoch, firstSeq }: { readonly epoch: string; readonly firstSeq: number },
    snapshot: { readonly seq: number; readonly segment: number },
    bytes: number,
    segmentBytes = SEGMENT_BYTES,
  ) {
    this.epoch = epoch
    this.#segmentBytes = segmentBytes
    const events = snapshot.seq - firstSeq
    const parts = Math.min(Math.ceil(bytes / segmentBytes), Math.floor(events / EVENTS_A_PART)) || 1
    const count = Math.min(parts, snapshot.segment - 1)
    const isSplit = count > 0 && events > 0
    for (let part = 1; isSplit && part <= count; part++)
      this.#splits.push(firstSeq + Math.floor((events * part) / count))
    const segment = isSplit ? snapshot.segment - count - 1 : Math.max(0, snapshot.segment - 1)
    this.#journal = new Journal(
      {
        ...{ disk: new NodeDisk(), folder, fsync: 'off', epoch, boot: bootId(), onFailure() {} },
        segmentBytes: Number.POSITIVE_INFINITY,
      },
      { seq: firstSeq, crc: 0, segment },
    )
    this.#copy = new JournalCopy(null, this.#journal)
  }

  get seq(): number {
    return this.#journal.seq
  }

  take(message: ReturnType<typeof readMessage>): void {
    this.#copy.write(message)
    while (this.seq >= (this.#splits[0] ?? Number.POSITIVE_INFINITY)) {
      this.#splits.shift()
      this.#journal.boundary()
    }
    if (this.#splits.length === 0 && this.#journal.segmentSize >= this.#segmentBytes)
      this.#journal.boundary()
  }

  close(): void {
    this.#journal.close()
  }
}

/** Takes every message up to the last one; resolves with what is damaged. */
async function follow(
  stream: NatsStream,
  journal: SplitJournal,
  { first, last }: Pick<StreamHead, 'first' | 'last'>,
  progress: Parameters<typeof readStream>[0]['progress'],
): Promise<string | null> {
  const follower = new StreamFollower(stream, {
    epoch: journal.epoch,
    get seq() {
      return journal.seq
    },
    takesRunsWhole: false,
    take([message]) {
      if (message === undefined) return
      journal.take(message)
      progress.to(message.header.index - first + 1)
      if (message.header.index >= last) follower.stop()
    },
  })
  let unreached: string | null = null
  const timer = setInterval(() => {
    if (follower.lag.unreachedMs < UNREACHED_MS) return
    unreached = follower.waiting
    follower.stop()
  }, LOOK_EVERY_MS)
  try {
    await follower.run()
  } catch (error) {
    if (!isDamage(error)) throw error
    return error.message
  } finally {
    clearInterval(timer)
  }
  if (unreached !== null) throw new StoreError('stream', `The stream cannot be read: ${unreached}.`)
  return null
}

/** Is it what is wrong with the stream? */
function isDamage(error: unknown): error is StoreError {
  return error instanceof StoreError && ['stream', 'damaged', 'newer_version'].includes(error.code)
}

/** @throws StoreError `missing`, since nothing can be said of the stream */
async function asking<T>(asked: Promise<T>): Promise<T> {
  try {
    return await asked
  } catch (error) {
    if (error instanceof StoreError) throw error
    throw new StoreError('missing', `The stream cannot be asked: ${messageOf(error)}.`)
  }
}

/** `Streams.position` of commands/streams.ts. */
export async function positionInStream(
  folder: string,
  environment: Parameters<typeof readConfig>[1],
  { seq, epoch }: { readonly seq: number; readonly epoch: string },
) {
  if (!environment.NATS_URL || !isCopy(folder)) return null
  const { setting } = settingsOf(environment)
  const { name } = setting
  let stream: NatsStream | null = null
  try {
    stream = await NatsStream.connect(setting, 'command')
    const found = await new StreamFollower(stream, {
      ...{ seq, epoch, takesRunsWhole: false },
      take() {},
    }).find()
    if (found === null) return { name, reason: 'there is no such stream any more.' }
    const { next, head } = found
    const endOf = async (index: number) => {
      const bytes = (await stream?.message(index)) ?? null
      return bytes === null ? seq : readMessage(bytes, index).endSeq
    }
    const { last, messages } = head
    if (messages === 0) return { name, at: last, last, lag: 0 }
    const at = next <= last && (await endOf(next)) <= seq ? next : next - 1
    return { name, at, last, lag: (await endOf(last)) - seq }
  } catch (error) {
    return { name, reason: messageOf(error) }
  } finally {
    await stream?.close()
  }
}

/** `Streams.snapshot` of commands/streams.ts. */
export async function fetchSnapshot<T>(
  asked: {
    readonly url: string
    readonly environment: Parameters<typeof readConfig>[1]
    readonly epoch: string
    readonly from: number
    readonly reached: () => number
  },
  use: (folder: string) => T,
): Promise<T | string> {
  const { url, environment, epoch, from, reached } = asked
  const server = seedSetting(url, environment.SEED_TOKEN ?? '', '')
  if (server === null) return 'no address is given.'
  const [{ SeedClient }, { seedFolder }] = await Promise.all([
    import('../seed/seed-client.ts'),
    import('../seed/seed-folder.ts'),
  ])
  const client = new SeedClient(server, SEED_SILENCE_MS)
  try {
    let { snapshots } = await client.list()
    const wanted = () =>
      snapshots.findLast((one) => one.epoch === epoch && one.seq >= from && one.seq <= reached())
    let snapshot = wanted()
    if (snapshot === undefined) {
      await client.orderSnapshot()
      snapshots = (await client.list()).snapshots
      const untilMs = performance.now() + REACH_MS
      const isAhead = () => (snapshots.at(-1)?.seq ?? 0) > reached()
      while (isAhead() && performance.now() < untilMs) await sleep(LOOK_EVERY_MS)
      snapshot = wanted()
    }
    if (snapshot === undefined) return nothingInCommon(snapshots, asked)
    const about = { server, market: null, log: SILENT, onState: () => {}, snapshot }
    return await inFolder('against', async (folder) => {
      await seedFolder({ ...about, folder })
      return use(folder)
    })
  } catch (error) {
    if (!(error instanceof StoreError) || !error.code.startsWith('seed')) throw error
    const reason = error.message.replaceAll('SEED_URL', '--against')
    if (error.code === 'seed') throw new StoreError('seed', reason)
    throw new StoreError('seed_unreached', `The instance of --against cannot be asked: ${reason}.`)
  }
}

function nothingInCommon(
  snapshots: readonly { readonly epoch: string; readonly seq: number }[],
  { epoch, from, reached }: Parameters<typeof fetchSnapshot>[0],
): string {
  const own = snapshots.filter((one) => one.epoch === epoch)
  const [first] = snapshots
  if (first === undefined) return 'it has no snapshot yet.'
  if (own.length === 0)
    return `it has epoch ${first.epoch} and this one ${epoch}: no copies of one stream.`
  const seqs = own.map(({ seq }) => seq).join(', ')
  return `no position in common: it has snapshots at seq ${seqs}, and this one can be folded from ${from} to ${reached()}.`
}

/** A folder of TMPDIR that is gone once `use` has ended, or this process, however it ends. */
async function inFolder<T>(what: string, use: (folder: string) => Promise<T>): Promise<T> {
  const folder = join(tmpdir(), `mintfeed-${what}-${randomUUID()}`)
  // Before the folder is there. It reads the end of its input once this process is gone; Ctrl-C is for this one alone.
  const guard = spawn('sh', ['-c', 'read -r end; rm -rf -- "$0"', folder], {
    detached: true,
    stdio: ['pipe', 'ignore', 'ignore'],
  })
  guard.on('error', () => {})
  guard.unref()
  try {
    fs.mkdirSync(folder, { mode: 0o700 })
    return await use(folder)
  } finally {
    fs.rmSync(folder, { recursive: true, force: true })
    guard.stdin.destroy()
  }
}
