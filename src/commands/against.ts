import type { Engine } from '../engine/engine.ts'
import { SWAP_U32_LANES, SwapLane } from '../events/swap-record.ts'
import type { Disk } from '../store/disk/disk.ts'
import { runToEnd } from '../store/disk/steps.ts'
import { listDataFiles, withFile } from '../store/folder/data-folder.ts'
import { Kind } from '../store/format/journal-format.ts'
import { foldFrame } from '../store/journal/journal-fold.ts'
import { headerOf, type JournalStart, walkJournal } from '../store/journal/journal-scan.ts'
import { loadNewest } from '../store/recovery/recovery.ts'
import { readContents, stateDigest } from '../store/snapshot/snapshot-file.ts'
import { archivedEngine } from '../store/snapshot/tape-archive.ts'
import type { Terminal } from './command.ts'
import { settledDisk } from './read-only-disk.ts'
import type { Streams } from './streams.ts'

/**
 * Compares the state of a folder with that of another copy of the same stream, at a snapshot of that one and part by
 * part; `mintfeed verify --against`. What a clock changes is compared at the same time.
 */
export async function checkAgainst(
  folder: string,
  url: string,
  environment: Terminal['environment'],
  streams: Streams,
): Promise<{ what: string; isGood: boolean; found: string }> {
  const what = `state against ${url}`
  const own = reachOf(folder)
  if (own === null) return { what, isGood: false, found: 'the folder has no state to compare' }
  const { from, epoch } = own
  const found = await streams.snapshot(
    { url, environment, epoch, from, reached: () => reachOf(folder)?.to ?? 0 },
    (other) => differences(folder, other),
  )
  if (typeof found === 'string') return { what, isGood: false, found }
  const { seq, parts } = found
  const isGood = parts.length === 0
  const differs = `${parts.length === 1 ? 'a part differs' : 'parts differ'}: ${parts.join(', ')}`
  return { what, isGood, found: `seq ${seq}, ${isGood ? 'the same state' : differs}` }
}

/** From where to where a folder can be folded, and its stream; null: nowhere. */
function reachOf(folder: string): { from: number; to: number; epoch: string } | null {
  const disk = settledDisk(folder)
  const files = listDataFiles(disk, folder)
  const { segments, snapshots } = files
  const first = segments[0] === undefined ? null : headerOf(disk, segments[0].path)
  const isWhole = first !== null && first !== 'newer' && first.firstSeq === 0
  const oldest = isWhole ? 0 : snapshots[0]?.number
  if (oldest === undefined) return null
  const end = runToEnd(walkJournal(disk, files, snapshots.at(-1)?.number ?? 0, () => {}))
  const epoch = end.epoch ?? epochOf(disk, snapshots.at(-1)?.path)
  return epoch === null ? null : { from: oldest, to: end.seq, epoch }
}

function epochOf(disk: Disk, path: string | undefined): string | null {
  if (path === undefined) return null
  return withFile(disk.open(path), (file) => readContents(file, path))?.epoch ?? null
}

/** What differs at the seq of the other folder's snapshot. One state is in memory at a time. */
function differences(folder: string, other: string): { seq: number; parts: readonly string[] } {
  const { seq, seconds } = placeOf(other)
  const own = ownStates(folder, seq, seconds)
  const { engine } = loaded(other, Number.POSITIVE_INFINITY)
  engine.advance(own.seconds)
  const wanted = digestsOf(engine)
  const differing = own.states.map((state) =>
    [...wanted].filter(([name, digest]) => state.get(name) !== digest).map(([name]) => name),
  )
  const [parts = []] = differing.sort((a, b) => a.length - b.length)
  return { seq, parts }
}

/** Seq and clock of a folder's newest snapshot. */
function placeOf(folder: string): { seq: number; seconds: number } {
  const { engine, from } = loaded(folder, Number.POSITIVE_INFINITY)
  return { seq: from.seq, seconds: engine.state.now }
}

/** The newest state of a folder whose seq is not above `seq`, or an empty one, and where the journal goes on. */
function loaded(folder: string, seq: number): { engine: Engine; from: JournalStart } {
  const disk = settledDisk(folder)
  const snapshots = listDataFiles(disk, folder).snapshots.filter(({ number }) => number <= seq)
  const engineFor = () => archivedEngine(disk, folder)
  const found = runToEnd(loadNewest(disk, snapshots, engineFor))
  if (found !== null) return { engine: found.engine, from: found.contents }
  return { engine: engineFor(), from: { seq: 0, segment: 0 } }
}

/**
 * The digests of a folder's state at a seq, with the clock at `seconds` or later. Frames without events stand on either
 * side of a snapshot, by where a message of the stream ended: there is a state behind each of those at the seq.
 */
function ownStates(folder: string, seq: number, seconds: number) {
  const { engine, from } = loaded(folder, seq)
  const disk = settledDisk(folder)
  const states: Map<string, string>[] = []
  const note = () => {
    // As in the snapshot, which may have been made within a run that fills a gap.
    engine.endFill()
    engine.advance(seconds)
    states.push(digestsOf(engine))
  }
  let isBehind = false
  const walk = walkJournal(disk, listDataFiles(disk, folder), from, (frame) => {
    isBehind ||= frame.endSeq > seq
    if (isBehind || (frame.seq === seq && frame.kind === Kind.clock)) return
    if (frame.seq === seq) note()
    foldFrame(engine, frame)
  })
  for (let isDone = false; !isDone && !isBehind; ) isDone = walk.next().done === true
  note()
  return { states, seconds: engine.state.now }
}

/** Of each part of a state. */
function digestsOf({ parts }: Engine): Map<string, string> {
  return new Map(
    parts.map(({ name, facts, views }) => {
      const compared = name === 'tape' ? () => views().map(withoutWindow) : views
      return [name, stateDigest([{ name, facts, views: compared }])]
    }),
  )
}

/** A swap is linked to others of its second if it was younger than a day by the clock of its copy when it was folded. */
function withoutWindow(records: Uint8Array): Uint8Array {
  const lanes = new Uint32Array(new Uint8Array(records).buffer)
  for (let at = 0; at < lanes.length; at += SWAP_U32_LANES) lanes[at + SwapLane.nextInSecond] = 0
  return new Uint8Array(lanes.buffer)
}
