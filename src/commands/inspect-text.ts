import type { ChunkReport } from './chunk-report.ts'
import type { FolderReport } from './inspect.ts'
import type { SegmentReport } from './segment-report.ts'
import type { SnapshotReport } from './snapshot-report.ts'
import type { Verdict } from './verdict.ts'

/** A folder's report for a person. */
export function reportText(report: FolderReport): string {
  const { usedBy } = report
  const lines = [
    `${report.folder}: ${usedBy === null ? 'not in use' : `used by process ${usedBy}`}`,
    ...report.segments.flatMap(segmentLines),
    ...report.snapshots.flatMap(snapshotLines),
    ...report.chunks.map(chunkLine),
    ...report.dormantChunks.map(chunkLine),
    ...report.unfinished.map((name) => `${name}  its writing was not finished`),
    ...report.putAside.map((name) => `${name}  damaged, put aside by a start`),
    ...report.givenUp.map((name) => `${name}/  given up by a repair`),
    totalText(report),
    verdictLine(report.verdict, usedBy),
  ]
  return `${lines.join('\n')}\n`
}

function totalText({ segments, snapshots, chunks, dormantChunks, totals }: FolderReport): string {
  const { bytes, frames, seqs, tapeRecords, dormantRecords } = totals
  if (segments.length + snapshots.length + chunks.length + dormantChunks.length === 0)
    return 'no data files'
  const range = seqs === null ? 'none' : `${count(seqs.from)} to ${count(seqs.to)}`
  return (
    `total: ${count(bytes)} bytes, ${count(frames)} frames, seq ${range}, ` +
    `${count(tapeRecords)} swaps in tape chunks${dormantText(dormantRecords)}`
  )
}

/** Only where tokens were put to rest. */
function dormantText(records: number): string {
  return records === 0 ? '' : `, ${count(records)} positions in chunks of dormant tokens`
}

function segmentLines(segment: SegmentReport): string[] {
  const { name, firstSeq, endSeq, bytes, epoch, isClosed, frames, damage } = segment
  const kinds = Object.entries(frames).map(([kind, number]) => `${count(number)} ${kind}`)
  const head =
    epoch === ''
      ? `${name}  ${count(bytes)} bytes`
      : `${name}  seq ${count(firstSeq)} to ${count(endSeq)}  ${count(bytes)} bytes  ` +
        `epoch ${epoch}  ${isClosed ? 'closed' : 'not closed'}`
  const inside = kinds.length === 0 ? [] : [`  frames: ${kinds.join(', ')}`]
  return [head, ...inside, ...(damage === null ? [] : [`  byte ${damage.byte}: ${damage.reason}`])]
}

function snapshotLines(snapshot: SnapshotReport): string[] {
  const { name, seq, bytes, epoch, digest, parts, status, damage } = snapshot
  if (epoch === '') return [`${name}  ${count(bytes)} bytes  ${status}`, `  ${damage}`]
  const sizes = parts
    .filter((part) => part.bytes > 0)
    .map((part) => `${part.name} ${count(part.bytes)}`)
  return [
    `${name}  seq ${count(seq)}  ${count(bytes)} bytes  epoch ${epoch}  ${status}`,
    `  digest ${digest}`,
    `  parts: ${sizes.join(', ')}`,
    ...(damage === '' ? [] : [`  ${damage}`]),
  ]
}

function chunkLine({ name, records, bytes, isWhole, damagedBlocks }: ChunkReport): string {
  const where = damagedBlocks.length > 0 ? `blocks ${damagedBlocks.join(', ')}` : 'its head'
  const state = isWhole ? 'whole' : `damaged: ${where}`
  return `${name}  ${count(records)} records  ${count(bytes)} bytes  ${state}`
}

/** What a start would do, in one line. */
export function verdictLine(verdict: Verdict, usedBy: number | null): string {
  if (!verdict.starts) return `would not start: ${verdict.reason}`
  const { seq, snapshotSeq, cutBytes } = verdict
  const from = snapshotSeq === null ? '' : `, from the snapshot of seq ${count(snapshotSeq)}`
  const start = `would start at seq ${count(seq)}${from}`
  if (usedBy === null) return `${start}${tailText(verdict)}${epochText(verdict)}`
  return cutBytes === 0
    ? start
    : `${start}; the last ${count(cutBytes)} bytes are a write that is under way`
}

function tailText({ cut, cutBytes }: Extract<Verdict, { starts: true }>): string {
  if (cut === null) return ''
  const bytes = `; ${count(cutBytes)} bytes from ${cut.name}, byte ${count(cut.byte)}, on`
  if (cut.isUnfinished) return `${bytes} are half a write and would be cut off`
  const whole = cut.frames === 0 ? '' : `, ${count(cut.frames)} whole frames among them,`
  return `${bytes}${whole} do not go on where the journal ends and would be put aside`
}

function epochText({ newEpoch }: Extract<Verdict, { starts: true }>): string {
  return newEpoch === null ? '' : `; with a new epoch: ${newEpoch}`
}

/** Digits in groups. */
export function count(number: number): string {
  return number.toLocaleString('en-US')
}
