import Type from 'typebox'
import { ChunkCrcs } from '../format/recorded-values.ts'

const Count = Type.Integer({ minimum: 0 })

/** What a compactor is to do. */
export const CompactorRun = Type.Object({
  /** Of the program that asks (snapshot-file.ts): a compactor out of files that were replaced since is another one. */
  program: Type.String(),
  folder: Type.String(),
  untilSegment: Count,
  keepsJournal: Type.Boolean(),
  /** It ends itself above this resident size. */
  memoryBytesMax: Count,
})
export type CompactorRun = Type.Static<typeof CompactorRun>

/** What a compactor process did. */
export const CompactorResult = Type.Object({
  seq: Count,
  /** Seq of the snapshot it started from; 0 for none. */
  fromSeq: Count,
  framesFolded: Count,
  digest: Type.String(),
  /** Records of the tape that are in chunks on the disk. */
  archivedRecords: Count,
  /** Records of the dormant tape that are. */
  archivedPositions: Count,
  /** All of these chunks. */
  chunks: ChunkCrcs,
  /** Paths of snapshots that were found damaged and put aside. */
  damagedSnapshots: Type.Array(Type.String()),
  snapshotsRemoved: Count,
  segmentsRemoved: Count,
  durationMs: Count,
  /** Largest resident size of the process. */
  peakBytes: Count,
})
export type CompactorResult = Type.Static<typeof CompactorResult>

export const CompactorProgress = Type.Object({ step: Type.String(), done: Count })
export type CompactorProgress = Type.Static<typeof CompactorProgress>

/** What the launcher sends the program about the compactor it was asked for. */
export const LauncherMessage = Type.Union([
  /** Sent every so often while a compactor runs: the launcher itself does not hang. */
  Type.Object({ alive: Type.Literal(true) }),
  Type.Object({ progress: CompactorProgress }),
  Type.Object({ result: CompactorResult }),
  Type.Object({ failed: Type.String() }),
])
