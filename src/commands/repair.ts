import { randomUUID } from 'node:crypto'
import fs from 'node:fs'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline/promises'
import { TAPE_CHUNK_RECORDS } from '../engine/state/tape.ts'
import type { Disk } from '../store/disk/disk.ts'
import { newerVersion, StoreError } from '../store/disk/failure.ts'
import { NodeDisk, unlessUnreadable } from '../store/disk/node-disk.ts'
import { runToEnd } from '../store/disk/steps.ts'
import { FileCommitMarker } from '../store/folder/commit-marker.ts'
import {
  copyTail,
  type DataFiles,
  FileBuffer,
  listDataFiles,
  type NumberedFile,
  syncFiles,
  withFile,
} from '../store/folder/data-folder.ts'
import { bootId, endOrphan, lockFolder } from '../store/folder/process-lock.ts'
import {
  evidenceBehind,
  readSegmentHeader,
  type SegmentHeader,
  SegmentScan,
  scanned,
} from '../store/format/journal-format.ts'
import { Journal } from '../store/journal/journal.ts'
import { MappedRing, type RingPlace, ringPath } from '../store/journal/journal-ring.ts'
import { headerOf, type JournalStart, settleRing } from '../store/journal/journal-scan.ts'
import type { Recovered } from '../store/recovery/recovery.ts'
import { type Command, count, Exit, seqFlag, type Terminal, UsageError } from './command.ts'
import { neededChunks, reportSnapshot, type SnapshotReport, sizeOf } from './file-reports.ts'
import { GIVEN_UP } from './inspect.ts'
import { settledDisk } from './read-only-disk.ts'

/** What `repair` would give up. */
interface RepairPlan {
  readonly isNothing: boolean
  /** Where the journal goes on: its seq is where the folder stands afterwards. */
  readonly place: Recovered['place']
  /** The segment that stays in part: everything from `byte` on goes. */
  readonly cut: {
    readonly file: NumberedFile
    readonly byte: number
    readonly bytes: number
  } | null
  /** Segments, snapshots and chunks of the tape that go whole. */
  readonly segments: readonly NumberedFile[]
  readonly snapshots: readonly NumberedFile[]
  readonly chunks: readonly NumberedFile[]
  /** Whole frames among what goes, and the seq behind the last event that can be read. */
  readonly frames: number
  readonly lastSeq: number
  readonly bytes: number
}

/** Where the good part of the journal ends. */
interface GoodEnd {
  readonly seq: number
  readonly crc: number
  /** Place in the list of the segment that holds the end; later ones go. */
  readonly segment: number
  readonly cut: RepairPlan['cut']
}

/**
 * Finds what has to go so that nothing reaches beyond `until`: from the first such frame on, or
 * from the first damaged place. Changes nothing.
 * @throws StoreError when there is nothing in the folder to go back to
 */
export function planRepair(
  disk: Disk,
  folder: string,
  until: number,
  chunkRecords: number,
): RepairPlan {
  const files = listDataFiles(disk, folder)
  const { base, unusable } = repairBase(disk, folder, files.snapshots, until, chunkRecords)
  const end = goodEnd(disk, files, base ?? { seq: 0, segment: 0 }, until)
  const segments = files.segments.slice(end.segment + 1)
  const snapshots = files.snapshots.filter(
    (file) => file.number > end.seq || unusable.includes(file),
  )
  const isNothing = end.cut === null && segments.length + snapshots.length === 0
  // Of chunks, those that the snapshot leaves records to are needed; the others are made again.
  const behind = (archived: number) => (file: NumberedFile) =>
    !isNothing && (file.number + 1) * chunkRecords > archived
  const chunks = [
    ...files.chunks.filter(behind(base?.archivedRecords ?? 0)),
    ...files.dormantChunks.filter(behind(base?.archivedPositions ?? 0)),
  ]
  const lost = lostFrames(disk, end, segments)
  const before = segments[0] === undefined ? 0 : segments[0].number - 1
  return {
    isNothing,
    place: { seq: end.seq, crc: end.crc, segment: files.segments[end.segment]?.number ?? before },
    cut: end.cut,
    segments,
    snapshots,
    chunks,
    ...lost,
    // A snapshot may hold events of which the journal is gone.
    lastSeq: Math.max(lost.lastSeq, ...snapshots.map(({ number }) => number)),
  }
}

function goodEnd(disk: Disk, files: DataFiles, from: JournalStart, until: number): GoodEnd {
  const { seq: fromSeq } = from
  const segments = [...files.segments.entries()]
  const first = firstOf(disk, files, from)
  const buffer = new FileBuffer()
  let end: GoodEnd | null = null
  // Where that one cannot be read, what takes its place goes on where the one before it ends.
  for (const [i, file] of segments.slice(0, first + 1).reverse())
    end ??= endIn(disk, buffer, file, i, until, null)
  if (end === null && fromSeq === 0 && segments.length > 0)
    throw new StoreError(
      'missing',
      `There is no whole snapshot with its chunks at or before seq ${until} and no segment of the journal ` +
        `that can be read begins at 0: there is nothing to go back to. Snapshots are at ${seqsOf(files)}.`,
    )
  if (end === null) return { seq: fromSeq, crc: 0, segment: -1, cut: null }
  for (const [i, file] of segments.slice(end.segment + 1)) {
    const next: GoodEnd | null = end.cut === null ? endIn(disk, buffer, file, i, until, end) : null
    if (next === null) break
    end = next
  }
  return { ...end, seq: Math.max(end.seq, fromSeq) }
}

/** Place of the segment that a start begins with; there may be segments without events at the same seq. */
function firstOf(disk: Disk, { segments }: DataFiles, { seq, segment }: JournalStart): number {
  const begun = segments.map(({ path, number }) => {
    const header = knownHeader(disk, path)
    return header !== null && header.firstSeq <= seq ? number : null
  })
  const first = begun.findLastIndex((number) => number !== null && number <= segment)
  return first < 0 ? begun.findIndex((number) => number !== null) : first
}

/** Where the good frames of a segment end; null when it cannot be read or does not go on where `before` ends. */
function endIn(
  disk: Disk,
  buffer: FileBuffer,
  file: NumberedFile,
  segment: number,
  until: number,
  before: GoodEnd | null,
): GoodEnd | null {
  const bytes = unlessUnreadable(() => buffer.read(disk, file.path))
  if (bytes === null) return null
  const header = readSegmentHeader(bytes)
  if (header === null || header === 'newer' || header.index !== file.number) return null
  if (before !== null && (header.firstSeq !== before.seq || header.previousCrc !== before.crc))
    return null
  const scan = new SegmentScan(bytes, header.crc, header.firstSeq)
  // Behind the last event that stays: definitions for events that go must not stay.
  let { end: byte, crc, endSeq: seq } = scan
  let isBeyond = false
  while (!isBeyond && scan.next()) {
    isBeyond = scan.endSeq > until
    if (isBeyond || scan.events === 0) continue
    byte = scan.end
    crc = scan.crc
    seq = scan.endSeq
  }
  if (!isBeyond && !scan.hasBadTail) return { seq, crc: scan.crc, segment, cut: null }
  return { seq, crc, segment, cut: { file, byte, bytes: bytes.length - byte } }
}

function knownHeader(disk: Disk, path: string): SegmentHeader | null {
  const header = unlessUnreadable(() => headerOf(disk, path))
  if (header === 'newer') throw newerVersion(path)
  return header
}

function seqsOf({ snapshots }: DataFiles): string {
  return snapshots.map(({ number }) => number).join(', ') || 'no seq'
}

/** What the frames that go hold, as far as they can be read. */
function lostFrames(
  disk: Disk,
  end: GoodEnd,
  segments: readonly NumberedFile[],
): Pick<RepairPlan, 'frames' | 'lastSeq' | 'bytes'> {
  const buffer = new FileBuffer()
  let frames = 0
  let lastSeq = end.seq
  let total = 0
  const count = (file: NumberedFile, from: number) => {
    total += sizeOf(disk, file.path) - from
    const bytes = unlessUnreadable(() => buffer.read(disk, file.path))
    // What was in it is unknown.
    if (bytes === null) return
    frames += evidenceBehind(bytes, from).frames
    lastSeq = Math.max(lastSeq, scanned(bytes)?.endSeq ?? 0)
  }
  if (end.cut !== null) count(end.cut.file, end.cut.byte)
  for (const file of segments) count(file, 0)
  return { frames, lastSeq, bytes: total }
}

/**
 * What the folder goes back to before the journal is folded: the newest whole snapshot, null for none. `unusable` are
 * newer ones that are whole, and that a start refuses since chunks of theirs are gone.
 * @throws StoreError when another version wrote a snapshot that may be the one
 */
function repairBase(
  disk: Disk,
  folder: string,
  snapshots: readonly NumberedFile[],
  until: number,
  chunkRecords: number,
): { readonly base: SnapshotReport | null; readonly unusable: readonly NumberedFile[] } {
  const unusable: NumberedFile[] = []
  for (const file of snapshots.toReversed()) {
    if (file.number > until) continue
    const report = reportSnapshot(disk, file)
    if (report.status === 'other version') throw new StoreError('newer_version', report.damage)
    if (report.status === 'damaged') continue
    if (hasItsChunks(disk, folder, report, chunkRecords)) return { base: report, unusable }
    unusable.push(file)
  }
  return { base: null, unusable }
}

function hasItsChunks(
  disk: Disk,
  folder: string,
  report: SnapshotReport,
  chunkRecords: number,
): boolean {
  try {
    runToEnd(neededChunks(disk, folder, report, chunkRecords))
    return true
  } catch (error) {
    if (error instanceof StoreError && error.code === 'missing') return false
    throw error
  }
}

const KEEPS_ALL =
  'No event will be given up: the next start makes anew, out of the journal, what was in'

/**
 * Moves what is given up into a folder of its own below the data folder and returns that. A segment
 * of a new epoch, empty and closed in order, marks that the stream has broken off here.
 *
 * It takes the place of the first segment that goes. Until the last step a start refuses what is
 * left or finds the new epoch, and a repair that was interrupted can be run again.
 */
export function carryOut(disk: Disk, folder: string, plan: RepairPlan, now: Date): string {
  const { cut, snapshots, chunks, segments } = plan
  const givenUp = newFolder(disk, folder, now)
  const move = ({ path, name }: NumberedFile) => disk.rename(path, join(givenUp, name))
  if (cut !== null) {
    const { file, byte, bytes } = cut
    const to = join(givenUp, `${file.name}.from-byte-${byte}`)
    copyTail(disk, { path: file.path, byte, bytes }, to)
  }
  for (const file of [...snapshots, ...chunks, ...segments.slice(0, 1)]) move(file)
  // What is given up has to be there, by its name, before it goes where it was.
  disk.syncFolder(givenUp)
  beginEpoch(disk, folder, plan)
  if (cut !== null)
    withFile(disk.open(cut.file.path), (file) => {
      file.truncate(cut.byte)
      file.sync()
    })
  for (const file of segments.slice(1)) move(file)
  disk.syncFolder(givenUp)
  disk.syncFolder(folder)
  return givenUp
}

function newFolder(disk: Disk, folder: string, now: Date): string {
  const stamp = now.toISOString().replaceAll(':', '-')
  const path = join(folder, `${GIVEN_UP}${stamp}`)
  disk.makeFolder(path)
  return path
}

function beginEpoch(disk: Disk, folder: string, { place }: RepairPlan): void {
  const journal = new Journal(
    {
      disk,
      folder,
      fsync: 'always',
      epoch: randomUUID(),
      boot: bootId(),
      mark: new FileCommitMarker(folder),
      onFailure: (failure) => {
        throw failure
      },
    },
    place,
  )
  journal.close()
}

/** `mintfeed repair`. */
export const repairCommand: Command = {
  summary: 'gives up everything from a seq or a damaged place on, so that the service starts',
  help:
    'From the first frame that reaches beyond --until, or the first damaged place before it, all\n' +
    'is moved to given-up-<time> in the data folder, later segments and snapshots too; nothing is\n' +
    'deleted. The stream gets a new epoch, by which clients see that it broke off. The service\n' +
    'must be stopped. Look at the folder with "mintfeed inspect" first.',
  flags: {
    until: { type: 'string', meaning: 'seq behind the last event that stays (required)' },
    yes: { type: 'boolean', meaning: 'do not ask; required where there is no terminal' },
  },
  async run(asked, terminal) {
    const { folder, flags } = asked
    const until = seqFlag(asked, 'until')
    if (until === null) throw new UsageError('repair needs --until <seq>: what is to stay.')
    const isSure = flags.yes === true
    if (!isSure && terminal.stdin.isTTY !== true)
      throw new UsageError('repair asks before it does anything: without a terminal say --yes.')
    const unlock = lockFolder(folder)
    try {
      endOrphan(folder)
      const plan = planRepair(settledDisk(folder), folder, until, TAPE_CHUNK_RECORDS)
      if (plan.isNothing) {
        terminal.stdout.write(
          `Nothing reaches beyond seq ${until}, and no damage keeps the service from starting.\n`,
        )
        return Exit.good
      }
      terminal.stdout.write(planText(plan))
      if (!isSure && !(await isConfirmed(terminal))) return Exit.bad
      const disk = new NodeDisk()
      emptyRing(disk, folder, new MappedRing(folder, null, () => {}))
      const givenUp = carryOut(disk, folder, plan, new Date())
      terminal.stdout.write(
        `Moved to ${givenUp}; the next start begins at seq ${plan.place.seq} with a new epoch.\n`,
      )
      return Exit.good
    } finally {
      giveToOwner(folder)
      unlock()
    }
  },
}

function planText(plan: RepairPlan): string {
  const { cut, segments, snapshots, chunks } = plan
  const where = cut === null ? [] : [`  ${cut.file.name} from byte ${count(cut.byte)} on`]
  const files = [...segments, ...snapshots, ...chunks].map(({ name }) => `  ${name}`)
  return `${[keepsAll(plan) ? KEEPS_ALL : eventsText(plan), ...where, ...files].join('\n')}\n`
}

/** Whether only files go that the journal makes again. */
function keepsAll({ place, cut, segments, snapshots }: RepairPlan): boolean {
  const isJournalKept = cut === null && segments.length === 0
  return isJournalKept && snapshots.every(({ number }) => number <= place.seq)
}

function eventsText({ place, lastSeq, frames, bytes }: RepairPlan): string {
  const range = lastSeq > place.seq ? ` (as far as can be told to ${count(lastSeq - 1)})` : ''
  const sum = `${count(bytes)} bytes of journal, ${count(frames)} whole frames`
  return `Events from seq ${count(place.seq)} on${range} will be given up: ${sum}.`
}

async function isConfirmed({ stdin, stderr }: Terminal): Promise<boolean> {
  const lines = createInterface({ input: stdin, output: stderr })
  try {
    // Ctrl-D and Ctrl-C close the lines, and leave the question unanswered for ever.
    const closed = new Promise<string>((resolve) => lines.once('close', () => resolve('')))
    const answer = lines.question('Give this up? Type yes: ')
    return (await Promise.race([answer, closed])).trim() === 'yes'
  } finally {
    lines.close()
  }
}

/**
 * Gives the files that root has made in another user's data folder to that user, whose service could not open
 * them. (Working as that user from the beginning fails where only root may enter a folder above.)
 */
function giveToOwner(folder: string): void {
  if (process.geteuid?.() !== 0) return
  try {
    const { uid, gid } = fs.statSync(folder)
    if (uid === 0) return
    for (const path of madeByRoot(folder)) fs.lchownSync(path, uid, gid)
  } catch {
    // This root may not: the service reports the file that it cannot open.
  }
}

function madeByRoot(folder: string): string[] {
  return fs.readdirSync(folder).flatMap((name) => {
    const path = join(folder, name)
    const stat = fs.lstatSync(path)
    const isOfRoot = stat.uid === 0
    if (stat.isDirectory())
      return name.startsWith(GIVEN_UP) ? [...(isOfRoot ? [path] : []), ...madeByRoot(path)] : []
    // A file with a second link may be one that root withholds from this user.
    return isOfRoot && stat.isFile() && stat.nlink === 1 ? [path] : []
  })
}

/**
 * Moves what a killed process had in its ring alone into the segment, durably, and removes the ring; before anything
 * of the journal is given up.
 */
export function emptyRing(disk: Disk, folder: string, place: RingPlace): void {
  const { segments } = listDataFiles(disk, folder)
  settleRing(disk, folder, segments, place)
  // And the segments before it, with their names: the process may not have synced those either.
  syncFiles(disk, folder, segments)
  // The next start would read from it what is given up.
  const ring = ringPath(folder)
  if (disk.list(folder).includes(basename(ring))) disk.remove(ring)
}
