import fs from 'node:fs'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { messageOf } from '../base/errors.ts'
import type { Config } from '../config/config.ts'
import type { Market } from '../config/source-settings.ts'
import type { StreamSetting } from '../config/stream-settings.ts'
import type { Log } from '../server/http/exchange.ts'
import { StoreError } from '../store/disk/failure.ts'
import { NodeDisk } from '../store/disk/node-disk.ts'
import { listDataFiles, writeWhole } from '../store/folder/data-folder.ts'
import { markWhole, replaceData } from '../store/folder/replace-data.ts'
import { NatsStream } from '../stream/nats-stream.ts'
import type { StreamTarget } from '../stream/stream-follower.ts'
import { readMessage } from '../stream/stream-message.ts'
import { type Durability, historyFolder } from './durability.ts'
import type { Service } from './service.ts'

/** NATS is asked for a connection again after so long. */
const CONNECT_AGAIN_MS = 500
/** Of the file in a data folder which says that it is a copy of a stream, and so may be made anew. */
const MARK = 'stream'

/** A service and its folder, which is a copy of the stream. */
export interface StreamCopy {
  readonly service: Service
  readonly durability: Durability
}

/** Hands messages to the service of now: written to its folder, folded, published. */
export function targetOf(now: () => StreamCopy): StreamTarget {
  return {
    get seq() {
      return now().durability.copy.seq
    },
    get epoch() {
      return now().durability.epoch
    },
    takesRunsWhole: true,
    take(messages) {
      const { service, durability } = now()
      const { copy } = durability
      const { seq } = copy
      for (const message of messages) copy.write(message)
      service.follow(copy.seq - seq, () => copy.fold(messages, seq))
      const reason = service.failure ?? service.historyLimit.reason
      if (reason !== null) throw new StoreError('fault', reason)
    },
  }
}

/** Connects, as often as it takes; null: it was stopped. */
export async function connected(
  setting: StreamSetting,
  who: string,
  onWaiting: (reason: string) => void,
  signal: AbortSignal,
): Promise<NatsStream | null> {
  while (!signal.aborted)
    try {
      return await NatsStream.connect(setting, who)
    } catch (error) {
      onWaiting(messageOf(error))
      await sleep(CONNECT_AGAIN_MS, undefined, { signal }).catch(() => {})
    }
  return null
}

/** How a stream begins; null: it has no message. Rejects when there is no answer. */
export async function beginningOf(
  stream: NatsStream,
): Promise<{ readonly epoch: string; readonly firstSeq: number } | null> {
  const head = await stream.head()
  if (head === null || head.messages === 0) return null
  const first = await stream.message(head.first)
  return first === null ? null : readMessage(first, head.first).header
}

const SIMULATED = 'mintfeed: a simulated market'
const OF_THE_CHAIN = 'mintfeed: the market of the chain'
const UNKNOWN = 'mintfeed'

/** What a stream is made for, as its description says it. */
export function descriptionOf(market: Market | null): string {
  if (market === null) return UNKNOWN
  return market === 'simulated' ? SIMULATED : OF_THE_CHAIN
}

/** The market of a stream by its description; null: it does not say. */
export function marketOfStream(description: string): Market | null {
  if (description === SIMULATED) return 'simulated'
  return description === OF_THE_CHAIN ? 'chain' : null
}

/** Does a folder hold events? */
export function hasMarket(folder: string): boolean {
  const disk = new NodeDisk()
  disk.makeFolder(folder)
  const { segments, snapshots } = listDataFiles(disk, folder)
  return segments.length + snapshots.length > 0
}

/** The folder is a copy of the stream from now on. */
export function markCopy(folder: string, name: string): void {
  const path = join(folder, MARK)
  if (fs.existsSync(path)) return
  writeWhole(new NodeDisk(), folder, path, (append) => append(Buffer.from(`${name}\n`)))
}

/** Is it a copy of a stream, which can be had again? */
export function isCopy(folder: string): boolean {
  return fs.existsSync(join(folder, MARK))
}

/**
 * Brings an empty folder to where the stream can go on: from SEED_URL, or from the stream's own beginning, for which
 * nothing is needed. Resolves with why neither can be, or null.
 */
export async function fillFolder(options: {
  readonly config: Config
  readonly folder: string
  readonly begins: { readonly epoch: string; readonly firstSeq: number }
  readonly market: Market | null
  readonly log: Log
  readonly onState: (sentence: string) => void
}): Promise<string | null> {
  const { config, folder, begins, market, log, onState } = options
  const { seed } = config
  if (seed === null) {
    if (begins.firstSeq === 0) return null
    return `The stream begins at seq ${begins.firstSeq}: set SEED_URL to the ADMIN_PORT of a replica or sequencer that has what was before.`
  }
  const { seedFolder } = await import('../seed/seed-folder.ts')
  try {
    await seedFolder({ folder, server: seed, market, log, onState, epoch: begins.epoch })
    return null
  } catch (error) {
    if (!(error instanceof StoreError)) throw error
    if (begins.firstSeq > 0) return error.message
    log.warn(
      { reason: error.message },
      'no seed can be had: the stream is folded from its beginning',
    )
    return null
  }
}

/** The empty folder in which another copy is made than the one that a folder holds. */
export function emptyPlace(folder: string): string {
  const place = historyFolder(folder)
  fs.rmSync(place, { recursive: true, force: true })
  fs.mkdirSync(place, { recursive: true })
  return place
}

/** As `fillFolder`, of a folder that has a copy of another stream, or of a place that the stream no longer has. */
export async function refillFolder(
  options: Parameters<typeof fillFolder>[0],
): Promise<string | null> {
  const { folder } = options
  const place = emptyPlace(folder)
  const reason = await fillFolder({ ...options, folder: place })
  if (reason !== null) return reason
  const disk = new NodeDisk()
  markWhole(disk, place)
  replaceData(disk, folder, place)
  return null
}
