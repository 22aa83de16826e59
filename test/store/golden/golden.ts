import { existsSync, readdirSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { gunzipSync } from 'node:zlib'
import type { EngineOptions } from '../../../src/engine/engine.ts'
import { eventLineText, type FeedEvent } from '../../../src/events/event.ts'
import { parseEventLine } from '../../../src/events/event-lines.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { everyRead } from '../../model/every-read.ts'
import { history } from '../../oracle/histories.ts'
import { BOOT, FOLDER, recovered, SIZES, writtenFolder } from '../damage/folder.ts'
import { ImageDisk } from '../damage/image-disk.ts'
import { octoberHistory } from './october.ts'

/**
 * Versions of which snapshots are read: of 0.9.14 (journals of version 3, snapshots of version 9), of 0.9.22 (4 and 9),
 * of 0.9.24 (5 and 10), of 0.9.31 (6 and 11, chunks of version 2), of 0.9.33 (chunks of version 3), of 0.9.35 (12), of 0.9.36 (13) and the present one.
 */
export const VERSIONS = ['v9', 'v10', 'v11', 'v12', 'v13', 'v14', 'v15', 'v16'] as const
export type Version = (typeof VERSIONS)[number]
/** The last one before them, whose snapshots (version 8) are refused. */
export const REFUSED = 'v8'
/** Versions of which journals are kept, one for each version of that format. */
export const JOURNALS = ['v1', 'v3', ...VERSIONS] as const
type JournalVersion = (typeof JOURNALS)[number]
export const PRESENT: Version = 'v16'

/**
 * Files of the present version, of a history that has all kinds and keys of October 2026; it lies beside them, with its answers.
 */
export const OCTOBER = 'v16-october'
/** The same of the versions before, whose chunks, addresses, bars or positions are others. */
export const OCTOBERS_BEFORE = ['v12-october', 'v13-october', 'v14-october', 'v15-october'] as const

/**
 * Folders with a history of their own; of the late one every event is in the reach of late events, of the busy one bars
 * are stored (busy.ts).
 */
export type Special = typeof OCTOBER | (typeof OCTOBERS_BEFORE)[number] | 'v10-late' | 'v14-busy'

/** The files as a version wrote them; what compresses well is kept so. */
export function goldenFolder(version: JournalVersion | Special): string {
  return fileURLToPath(new URL(`${version}/`, import.meta.url))
}

/** Where the history and its answers lie, the same for all versions. */
export const SHARED = goldenFolder('v1')
export const HISTORY = 'history.jsonl.gz'
export const EXPECTED = 'expected.json'
export const ANSWERS = 'answers.json.gz'

/** Events of the history, made once and kept beside the files. */
const HISTORY_EVENTS = 120
const HISTORY_SEED = 7
/** The second segment begins, and the snapshot is made, before this event. */
const SECOND_SEGMENT_AT = 106
const OCTOBER_SEED = 10
const OCTOBER_SEGMENT_AT = 300

const DATA_FILE = /^(journal|snapshot|tape|positions)-\d{16}\.mf[jstp](\.gz)?$/

export interface ExpectedState {
  readonly seq: number
  readonly snapshotSeq: number
  readonly digest: string
}

/** The event lines that are kept, or new ones where there are none yet. */
export function goldenLines(folder = SHARED): string {
  const path = join(folder, HISTORY)
  if (existsSync(path)) return gunzipSync(readFileSync(path)).toString('utf8')
  const isShared = folder === SHARED
  const events = isShared ? history(HISTORY_SEED, HISTORY_EVENTS) : octoberHistory(OCTOBER_SEED)
  return events.map(eventLineText).join('\n')
}

export function goldenEvents(folder = SHARED): FeedEvent[] {
  return goldenLines(folder)
    .split('\n')
    .map((line) => {
      const event = parseEventLine(line)
      if ('error' in event) throw new Error(`no event line: ${line}`)
      return event
    })
}

/** The files as this program writes them. */
export function writtenNow(sizes: EngineOptions = SIZES): ImageDisk {
  const plan = { events: goldenEvents(), segmentsAt: [SECOND_SEGMENT_AT], snapshotsAt: [2] }
  return writtenFolder(plan, sizes)
}

/**
 * The snapshot of a version with the sizes that its program had, written by the sources of then out of the same
 * history: those in the folders have the small ones of tests, so that the program takes them for damaged.
 */
export function fullSizePath(version: Version | typeof REFUSED): string {
  return fileURLToPath(new URL(`full-size/${version}.mfs.gz`, import.meta.url))
}

/** The folder that the program of a version left: it has no chunk of the tape yet. */
export function fullSizeFiles(version: Version): ImageDisk {
  const disk = keptFiles(version)
  for (const path of [...disk.files.keys()]) {
    if (path.endsWith('.mft')) disk.files.delete(path)
    if (path.endsWith('.mfs')) disk.files.set(path, gunzipSync(readFileSync(fullSizePath(version))))
  }
  return disk
}

/** The history of October 2026 as this program writes it. */
export function octoberWrittenNow(): ImageDisk {
  const events = goldenEvents(goldenFolder(OCTOBER))
  return writtenFolder({ events, segmentsAt: [OCTOBER_SEGMENT_AT], snapshotsAt: [2] })
}

/** The files that are kept of a version. */
export function keptFiles(version: JournalVersion | Special): ImageDisk {
  const disk = new ImageDisk()
  const folder = goldenFolder(version)
  for (const name of readdirSync(folder).filter((one) => DATA_FILE.test(one))) {
    const bytes = readFileSync(join(folder, name))
    const isPacked = name.endsWith('.gz')
    disk.files.set(join(FOLDER, name.replace('.gz', '')), isPacked ? gunzipSync(bytes) : bytes)
  }
  return disk
}

/** What a folder is recovered to: its state, and its answers about the events as JSON. */
export function readingOf(
  disk: ImageDisk,
  events = goldenEvents(),
  sizes: EngineOptions = SIZES,
): { state: ExpectedState; answers: string } {
  const { engine, found } = recovered(disk, BOOT, {}, sizes)
  const { tape } = engine.state
  tape.leaveMemory(tape.archivedCount)
  const state = {
    seq: found.place.seq,
    snapshotSeq: found.snapshotSeq ?? 0,
    digest: stateDigest(engine.parts),
  }
  return { state, answers: JSON.stringify([...everyRead(engine, events)]) }
}
