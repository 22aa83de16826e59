import { withWholeCharacters } from '../base/whole-characters.ts'
import type { Engine } from '../engine/engine.ts'
import { swapOfRecord } from '../engine/read/swap-outtake.ts'
import { eventLineText } from '../events/event-line-text.ts'
import { SWAP_U32_LANES } from '../events/swap-record.ts'
import type { Disk } from '../store/disk/disk.ts'
import { StoreError } from '../store/disk/failure.ts'
import { runToEnd } from '../store/disk/steps.ts'
import { type DataFiles, listDataFiles } from '../store/folder/data-folder.ts'
import { frameBytes, Kind } from '../store/format/journal-format.ts'
import { foldFrame, lineTextOf } from '../store/journal/frame-fold.ts'
import { headerOf, type JournalStart, walkJournal } from '../store/journal/journal-scan.ts'
import { loadNewestAnew } from '../store/recovery/recovery.ts'
import { presentFrames, type WholeFrame } from '../store/upgrades/old-frames.ts'
import { bytesBetween } from './journal-bytes.ts'
import type { Progress } from './progress.ts'

export interface ExportOptions {
  readonly disk: Disk
  readonly folder: string
  /** Makes an empty engine that reads the tape's chunks of the folder. */
  readonly newEngine: () => Engine
  /** First seq that is wanted. */
  readonly from: number
  /** Seq behind the last one that is wanted. */
  readonly to: number
  readonly progress: Progress
}

/** What was exported. */
export interface Exported {
  /** Seq the journal begins at: older events are not in it any more. */
  readonly journalFrom: number
  readonly events: number
  /** Bytes at the journal's end that are no good frames. */
  readonly tornBytes: number
}

interface Start {
  readonly engine: Engine
  /** What comes from there on has to be folded; the addresses of all before it are known. */
  readonly foldFrom: JournalStart
}

/**
 * The events of the journal as event lines, in order of arrival, duplicates included; yields the
 * lines of a frame.
 *
 * Records name addresses by number. A number never changes its address, so the newest snapshot
 * knows those of all events before it; behind it the journal is folded along, since folding gives
 * numbers too.
 */
export function* exportLines(options: ExportOptions): Generator<string, Exported> {
  const { disk, folder, to } = options
  const files = listDataFiles(disk, folder)
  const seqs = firstSeqs(disk, files)
  const journalFrom = seqs[0] ?? 0
  const start = startOf(options, files, journalFrom)
  const from = Math.max(options.from, journalFrom)
  const { foldFrom } = start
  const wanted = seqs.findLast((seq) => seq <= Math.min(from, foldFrom.seq)) ?? foldFrom.seq
  // Frames without events stand on either side of the snapshot too: its segment tells.
  const walkFrom = wanted < foldFrom.seq ? wanted : foldFrom
  options.progress.begin('exporting', bytesBetween(disk, files.segments, wanted, to))
  let text = ''
  let events = 0
  let done = 0
  let isBehind = false
  const walk = walkJournal(
    disk,
    files,
    walkFrom,
    (frame, header) => {
      done += frameBytes(frame.payloadBytes)
      isBehind ||= frame.seq >= to
      if (isBehind) return
      for (const one of presentFrames(frame, header)) {
        const lines = linesOf(one, start.engine, from, to)
        events += lines.length
        for (const line of lines) text += `${line}\n`
      }
      if (header.index >= foldFrom.segment) foldFrame(start.engine, frame, header)
    },
    { framesPerRest: 1 },
  )
  for (;;) {
    const step = walk.next()
    if (text !== '') yield text
    text = ''
    if (step.done) return { journalFrom, events, tornBytes: step.value.cut?.bytes ?? 0 }
    if (isBehind) return { journalFrom, events, tornBytes: 0 }
    options.progress.to(done)
  }
}

function linesOf(frame: WholeFrame, engine: Engine, from: number, to: number): string[] {
  const first = Math.max(0, from - frame.seq)
  const end = Math.min(frame.events, to - frame.seq)
  const { kind, u32, f64 } = frame
  // Older journals hold halves of characters, which no other program reads.
  if ((kind === Kind.event || kind === Kind.packed) && first < end)
    return [withWholeCharacters(lineTextOf(frame))]
  const lines: string[] = []
  if (kind === Kind.records)
    for (let i = first; i < end; i++) {
      const at = (frame.payloadAt >>> 2) + i * SWAP_U32_LANES
      lines.push(eventLineText(swapOfRecord({ u32, f64, at }, engine.state.book)))
    }
  return lines
}

/** First seq of each segment that can be read, ascending. */
function firstSeqs(disk: Disk, files: DataFiles): number[] {
  return files.segments.flatMap(({ path }) => {
    const header = headerOf(disk, path)
    return header === null || header === 'newer' ? [] : header.firstSeq
  })
}

function startOf(
  { disk, folder, newEngine }: ExportOptions,
  files: DataFiles,
  journalFrom: number,
): Start {
  const loaded = runToEnd(loadNewestAnew(disk, files.snapshots, newEngine))
  if (loaded !== null) return { engine: loaded.engine, foldFrom: loaded.contents }
  if (journalFrom === 0) return { engine: newEngine(), foldFrom: { seq: 0, segment: 0 } }
  throw new StoreError(
    'missing',
    `The journal of ${folder} begins at seq ${journalFrom} and no snapshot is whole: who traded ` +
      'what cannot be told. Put back a snapshot.',
  )
}
