import { codeOf, isHistoryDamage, messageOf } from '../base/errors.ts'
import type { Engine } from '../engine/engine.ts'
import { TAPE_BLOCK_RECORDS, type Tape } from '../engine/state/tape.ts'
import type { Disk, DiskFile } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { isUnreadable, unlessUnreadable } from '../store/disk/node-disk.ts'
import { runToEnd } from '../store/disk/steps.ts'
import { lossOf, readMark, type WrittenBefore } from '../store/folder/commit-marker.ts'
import {
  type DataFiles,
  listDataFiles,
  type NumberedFile,
  withFile,
} from '../store/folder/data-folder.ts'
import { bootId } from '../store/folder/process-lock.ts'
import { frameBytes, type SegmentHeader } from '../store/format/journal-format.ts'
import { foldFrame } from '../store/journal/journal-fold.ts'
import {
  headerOf,
  type JournalEnd,
  type JournalStart,
  walkJournal,
} from '../store/journal/journal-scan.ts'
import { loadSnapshot } from '../store/recovery/recovery.ts'
import {
  archivedOf,
  type Contents,
  readContents,
  SNAPSHOT_VERSION,
  stateDigest,
} from '../store/snapshot/snapshot-file.ts'
import { archivedEngine } from '../store/snapshot/tape-archive.ts'
import {
  type ChunkKind,
  DORMANT_CHUNKS,
  readChunkBlock,
  readChunkTable,
  SWAP_CHUNKS,
} from '../store/snapshot/tape-chunk.ts'
import { checkAgainst } from './against.ts'
import { type Command, Exit, type Progress, progressOn, type StreamReport } from './command.ts'
import { bytesBetween, reportChunk } from './file-reports.ts'
import { settledDisk } from './read-only-disk.ts'
import { ofStream, type Streams } from './streams.ts'

/** A folder without data is no good backup: it would restore nothing. */
const NOTHING = 'no journal and no snapshot is in it: is it the right folder?'

const OTHER_FILE = 'it is another file than the one the snapshots were made with'

interface VerifyOptions {
  readonly disk: Disk
  readonly folder: string
  /** Makes an empty engine that reads the tape's chunks of the folder. */
  readonly newEngine: () => Engine
  readonly progress: Progress
  /** The mark of the process that wrote last: how far it has written. */
  readonly written: WrittenBefore | null
  /** Takes each check once it is done. */
  readonly onCheck: (check: Check) => void
}

/** One thing that was checked. */
interface Check {
  readonly what: string
  readonly isGood: boolean
  /** What was found. */
  readonly found: string
}

interface Snapshot {
  readonly file: NumberedFile
  /** The digest in it counts only where this version wrote it. */
  readonly contents: Contents & { readonly version: number }
}

/**
 * Recomputes what a folder holds from its journal: each snapshot from the one before it, the tape's
 * chunks between them, and at last the tail. Returns all checks.
 */
export function verifyFolder(options: VerifyOptions): readonly Check[] {
  const checks: Check[] = []
  new Verification(options, (what, isGood, found) => {
    const check = { what, isGood, found }
    checks.push(check)
    options.onCheck(check)
  }).run()
  return checks
}

class Verification {
  readonly #options: VerifyOptions
  readonly #report: (what: string, isGood: boolean, found: string) => void
  readonly #files: DataFiles
  /** Those that can be read, ascending. */
  #snapshots: readonly Snapshot[] = []
  /** Records that snapshots leave to chunks; nothing reads chunks behind them. */
  #archived = { swaps: 0, positions: 0 }

  constructor(options: VerifyOptions, report: (...check: [string, boolean, string]) => void) {
    this.#options = options
    this.#report = report
    this.#files = listDataFiles(options.disk, options.folder)
  }

  run(): void {
    const { segments, snapshots } = this.#files
    if (segments.length + snapshots.length === 0) {
      this.#report('folder', false, lossOf(null, this.#options.written, bootId()) ?? NOTHING)
      return
    }
    this.#checkFirstSegments()
    const readable = snapshots.flatMap((file) => this.#readable(file) ?? [])
    const most = (tape: Parameters<typeof archivedOf>[1]) =>
      Math.max(0, ...readable.map(({ contents }) => archivedOf(contents, tape)))
    this.#snapshots = readable
    this.#archived = { swaps: most('tape'), positions: most('dormant tape') }
    const { chunks, dormantChunks } = this.#files
    const known = readable.at(-1)?.contents.chunks ?? { swaps: [], positions: [] }
    const { swaps, positions } = this.#archived
    this.#checkChunks(swaps, chunks, SWAP_CHUNKS, 'tape', known.swaps)
    this.#checkChunks(positions, dormantChunks, DORMANT_CHUNKS, 'dormant', known.positions)
    if (readable.length === 0 || this.#beginsAt0()) this.#replayAll()
    for (const [i, snapshot] of readable.entries())
      this.#replayFrom(snapshot, readable[i + 1] ?? null)
  }

  #replayAll(): void {
    const start = { seq: 0, segment: 0, isOlder: this.#snapshots.some(goesBackToOlder) }
    this.#replay('the beginning', this.#options.newEngine(), start, this.#snapshots[0] ?? null)
  }

  /** The state is freed with this call, so that only one is in memory. */
  #replayFrom(snapshot: Snapshot, next: Snapshot | null): void {
    const engine = this.#loaded(snapshot)
    if (engine === null) return
    const { name, number: seq } = snapshot.file
    const isOlder = snapshot.contents.version < SNAPSHOT_VERSION
    const start = { seq, segment: snapshot.contents.segment, isOlder }
    this.#replay(name, engine, start, next)
  }

  #readable(file: NumberedFile): Snapshot | null {
    try {
      const contents = withFile(this.#options.disk.open(file.path), (open) =>
        readContents(open, file.path),
      )
      if (contents?.seq === file.number) return { file, contents }
      this.#report(file.name, false, 'its table of contents is damaged')
    } catch (error) {
      this.#report(file.name, false, whyNot(error))
    }
    return null
  }

  #beginsAt0(): boolean {
    const first = this.#files.segments[0]
    return first !== undefined && this.#headerOf(first)?.firstSeq === 0
  }

  /** Those before the first that can be read are in no replay. */
  #checkFirstSegments(): void {
    const first = this.#files.segments.findIndex((file) => this.#headerOf(file) !== null)
    for (const { name } of this.#files.segments.slice(0, Math.max(0, first)))
      this.#report(name, false, 'its header is damaged, and its events are in no replay')
  }

  #headerOf({ path }: NumberedFile): SegmentHeader | null {
    const header = unlessUnreadable(() => headerOf(this.#options.disk, path))
    return header === 'newer' ? null : header
  }

  /** Checks every chunk that a snapshot leaves records to: whole, and the one that the snapshot names. */
  #checkChunks(
    archived: number,
    files: readonly NumberedFile[],
    kind: ChunkKind,
    what: string,
    known: readonly number[],
  ): void {
    const { disk, newEngine } = this.#options
    const used = archived / newEngine().state.tape.chunkRecords
    for (let number = 0; number < used; number++) {
      const file = files.find((chunk) => chunk.number === number)
      if (file === undefined) {
        this.#report(`${what} chunk ${number}`, false, 'it is missing')
        continue
      }
      const { isWhole, blocks, damagedBlocks, crc } = reportChunk(disk, file, kind)
      const damage = damagedBlocks.length > 0 ? `block ${damagedBlocks[0]}` : 'its head'
      if (!isWhole) this.#report(file.name, false, `${damage} is damaged`)
      else if (crc === known[number]) this.#report(file.name, true, `${blocks} blocks are whole`)
      else this.#report(file.name, false, OTHER_FILE)
    }
  }

  #loaded({ file, contents }: Snapshot): Engine | null {
    const { disk, newEngine, progress } = this.#options
    const engine = newEngine()
    progress.begin(
      `loading ${file.name}`,
      contents.parts.reduce((sum, { bytes }) => sum + bytes, 0),
    )
    const loaded = runToEnd(loadSnapshot(disk, file.path, engine), (step) => progress.to(step.done))
    progress.end()
    if (loaded === null) {
      this.#report(file.name, false, 'its parts are not what was written')
      return null
    }
    if (contents.version < SNAPSHOT_VERSION) {
      this.#report(file.name, true, `it loads; version ${contents.version} has another digest`)
      return engine
    }
    const isGood = stateDigest(engine.parts) === contents.digest
    this.#report(file.name, isGood, isGood ? 'it loads with its digest' : 'its digest is another')
    return isGood ? engine : null
  }

  /**
   * Folds the journal from a place to a snapshot, or to its end, and compares. `isOlder`: an older version folded what
   * comes there first, so its records may be others.
   */
  #replay(
    from: string,
    engine: Engine,
    start: JournalStart & { readonly isOlder: boolean },
    to: Snapshot | null,
  ): void {
    const chunks = new ReplayedChunks(this.#options, engine, this.#archived)
    const what = `journal from ${from} to ${to?.file.name ?? 'its end'}`
    try {
      const end = this.#fold(engine, start, to, chunks)
      // A snapshot within a run that fills a gap, as a stop makes one, has what came of it folded.
      engine.endFill()
      this.#options.progress.end()
      const { isGood, says } = to === null ? this.#end(end) : stateAt(engine, start, end, to)
      this.#report(what, isGood, `seq ${start.seq} to ${end.seq}${says}`)
    } catch (error) {
      this.#options.progress.end()
      this.#report(what, false, whyNot(error))
    }
    for (const { name, isSame } of chunks.compared) {
      const differs = `other records${start.isOlder ? ', as an older version may have folded them' : ''}`
      const isGood = isSame || start.isOlder
      this.#report(`${name} against the journal`, isGood, isSame ? 'the same records' : differs)
    }
  }

  /** Compares the end with what is known to have been written. */
  #end({ seq, epoch, cut }: FoldEnd): { isGood: boolean; says: string } {
    const { written } = this.#options
    const isOurs = written !== null && (epoch === null || epoch === written.epoch)
    const writtenSeq = isOurs ? written.seq : 0
    const tail = cut === null ? '' : `, ${cut.bytes} bytes behind it do not go on there`
    if (writtenSeq <= seq) return { isGood: true, says: tail }
    const gone = `events ${seq} to ${writtenSeq - 1} had been written and are not there any more`
    return { isGood: false, says: `${tail}; ${gone}` }
  }

  /** Returns where it came to. */
  #fold(engine: Engine, start: JournalStart, to: Snapshot | null, chunks: ReplayedChunks): FoldEnd {
    const { disk, progress } = this.#options
    const toSeq = to?.file.number ?? null
    progress.begin('replaying', bytesBetween(disk, this.#files.segments, start.seq, toSeq))
    let done = 0
    let isThere = false
    const walk = walkJournal(
      disk,
      this.#files,
      start,
      (frame, header) => {
        isThere ||= to !== null && isBehind(frame.seq, header.index, to)
        if (isThere) return
        foldFrame(engine, frame)
        chunks.compare()
        done += frameBytes(frame.payloadBytes)
      },
      { framesPerYield: 1 },
    )
    for (;;) {
      const step = walk.next()
      if (step.done) return step.value
      if (isThere) return { seq: toSeq ?? 0, epoch: null, cut: null }
      progress.to(done)
    }
  }
}

/** The sentence of damage; any other error is thrown. */
function whyNot(error: unknown): string {
  const isDamage = error instanceof StoreError || isHistoryDamage(error) || isUnreadable(error)
  if (!isDamage) throw error
  return messageOf(error)
}

type FoldEnd = Pick<JournalEnd, 'seq' | 'epoch' | 'cut'>

function goesBackToOlder({ contents }: Snapshot): boolean {
  return contents.version < SNAPSHOT_VERSION || contents.upgradedFrom !== undefined
}

/** Compares the state with that of a snapshot; `says` goes on behind the seqs. */
function stateAt(engine: Engine, start: JournalStart, { seq }: FoldEnd, to: Snapshot) {
  const { upgradedFrom } = to.contents
  // That snapshot is gone, or what is compared began before it.
  if (upgradedFrom !== undefined && start.segment === 0 && seq === to.file.number)
    return { isGood: true, says: `, it goes back to one of version ${upgradedFrom}` }
  const isGood = isState(engine, seq, to)
  return { isGood, says: isGood ? ', the same state' : ', another state' }
}

/** Frames without events may stand on either side of a snapshot at its seq, so its segment decides. */
function isBehind(seq: number, segment: number, { file, contents }: Snapshot): boolean {
  return seq > file.number || (seq === file.number && segment >= contents.segment)
}

function isState(engine: Engine, seq: number, { file, contents }: Snapshot): boolean {
  if (seq !== file.number) return false
  return contents.version < SNAPSHOT_VERSION || stateDigest(engine.parts) === contents.digest
}

/** `mintfeed verify`. */
export function verifyCommand(streams: Streams | null): Command {
  const command: Command = {
    summary: 'replays the journal and compares it with snapshots and tape',
    help:
      'Each snapshot is recomputed from the one before it and must have its digest; chunks of the\n' +
      'tape between them are recomputed and compared block by block; the tail is folded. Takes the\n' +
      'memory of the service. Changes nothing and takes no lock.\n' +
      'With --against the folder is folded to the newest snapshot of another copy of the same\n' +
      'stream, whose ADMIN_PORT is given (its token as SEED_TOKEN), and the parts are compared.\n' +
      'Exit code 0: all checks hold; 1: one does not.',
    flags: {
      json: { type: 'boolean', meaning: 'one JSON object instead of text' },
      ...(streams && { against: { type: 'string', meaning: 'http://host:port of another copy' } }),
    },
    async run({ folder, flags, stream }, { stdout, stderr, environment }) {
      const isJson = flags.json === true
      const checks: Check[] = []
      const onCheck = (check: Check) => {
        checks.push(check)
        if (!isJson) stdout.write(checkLine(check))
      }
      if (stream !== undefined) onCheck(streamCheck(stream))
      const url = flags.against
      if (streams !== null && typeof url === 'string')
        onCheck(await checkAgainst(folder, url, environment, streams))
      else verifyFound(folder, progressOn(stderr), onCheck)
      const bad = checks.filter(({ isGood }) => !isGood)
      const isGood = bad.length === 0
      const count = checks.length
      const isOne = count === 1
      if (isJson) stdout.write(`${JSON.stringify({ folder, isGood, checks })}\n`)
      else if (isGood)
        stdout.write(`${isOne ? 'the one check holds' : `all ${count} checks hold`}\n`)
      else
        stderr.write(
          `mintfeed: ${isOne ? 'the one check does' : `${bad.length} of ${count} checks do`} not hold.\n`,
        )
      return isGood ? Exit.good : Exit.bad
    },
  }
  return ofStream(command, streams, true)
}

function verifyFound(folder: string, progress: Progress, onCheck: (check: Check) => void): void {
  // Before the files and the ring: a service that runs writes on meanwhile.
  const written = readMark(folder, bootId())
  const disk = settledDisk(folder)
  const newEngine = () => archivedEngine(disk, folder)
  verifyFolder({ disk, folder, written, newEngine, progress, onCheck })
}

function streamCheck({ name, messages, damage }: StreamReport): Check {
  const found = damage ?? `${messages} messages are whole, each goes on where the one before ends`
  return { what: `stream ${name}`, isGood: damage === null, found }
}

function checkLine({ what, isGood, found }: Check): string {
  return `${isGood ? 'good' : 'BAD '}  ${what}: ${found}\n`
}

/** Compares each chunk on the disk with the tape of a replay, as soon as its records are settled. */
class ReplayedChunks {
  readonly compared: { readonly name: string; readonly isSame: boolean }[] = []
  readonly #disk: Disk
  readonly #folder: string
  readonly #engine: Engine
  readonly #archived: { readonly swaps: number; readonly positions: number }
  /** Tapes with a chunk that differs: its records must not be read from the file. */
  readonly #stays = new Set<Tape>()

  constructor(
    { disk, folder }: Pick<VerifyOptions, 'disk' | 'folder'>,
    engine: Engine,
    archived: { readonly swaps: number; readonly positions: number },
  ) {
    this.#disk = disk
    this.#folder = folder
    this.#engine = engine
    this.#archived = archived
  }

  /** To be called between frames; compared records leave memory. */
  compare(): void {
    const { state, settledSwaps } = this.#engine
    const { swaps, positions } = this.#archived
    this.#compare(state.tape, Math.min(swaps, settledSwaps), SWAP_CHUNKS, 'tape')
    const { tape } = state.dormant
    this.#compare(tape, Math.min(positions, tape.count), DORMANT_CHUNKS, 'dormant')
  }

  #compare(tape: Tape, until: number, kind: ChunkKind, what: string): void {
    for (;;) {
      const end = tape.archivedCount + tape.chunkRecords
      if (end > until) return
      const chunk = tape.archivedCount / tape.chunkRecords
      const isSame = this.#isSame(tape, chunk, kind)
      this.compared.push({ name: `${what} chunk ${chunk}`, isSame })
      tape.archivedCount = end
      if (!isSame) this.#stays.add(tape)
      if (!this.#stays.has(tape)) tape.leaveMemory(end)
    }
  }

  #isSame(tape: Tape, chunk: number, kind: ChunkKind): boolean {
    const path = kind.path(this.#folder, chunk)
    try {
      return withFile(this.#disk.open(path), (file) => isChunkOf(tape, chunk, file, path, kind))
    } catch (error) {
      if (codeOf(error) === 'ENOENT' || isUnreadable(error)) return false
      throw error
    }
  }
}

function isChunkOf(
  tape: Tape,
  chunk: number,
  file: DiskFile,
  path: string,
  kind: ChunkKind,
): boolean {
  const table = readChunkTable(file, chunk, path, kind)
  const blocks = tape.chunkRecords / TAPE_BLOCK_RECORDS
  if (table?.crcs.length !== blocks || table.blockRecords !== TAPE_BLOCK_RECORDS) return false
  const first = chunk * tape.chunkRecords
  for (let block = 0; block < blocks; block++) {
    const replayed = tape.blockBytes(first + block * TAPE_BLOCK_RECORDS)
    const onDisk = new Uint8Array(replayed.length)
    if (!readChunkBlock(file, table, block, onDisk)) return false
    if (Buffer.compare(onDisk, replayed) !== 0) return false
  }
  tape.chunkCrcs[chunk] = table.crc
  return true
}
