import { SWAP_RECORD_BYTES } from '../../events/swap-record.ts'
import { JOURNAL_VERSION, Kind, padded } from '../format/journal-format.ts'
import type { SegmentHeader } from '../format/segment-header.ts'
import { FORMAT_UPGRADES, type JournalUpgrade, upgradeSteps } from './format-upgrades.ts'

/** A frame as the fold takes it; its payload lies in the lanes from byte `payloadAt` on. */
export interface WholeFrame {
  readonly kind: number
  readonly seq: number
  /** Byte of the segment it starts at. */
  readonly start: number
  readonly events: number
  readonly payloadAt: number
  readonly payloadBytes: number
  readonly payload: Uint8Array
  readonly u32: Uint32Array
  readonly f64: Float64Array
}

/**
 * A frame as the present version has it; one of a segment of an older version may be several.
 * @throws StoreError `older_version` when there is no way from there
 */
export function presentFrames(
  frame: WholeFrame,
  header: SegmentHeader,
  known: readonly JournalUpgrade[] = FORMAT_UPGRADES.journal,
): readonly WholeFrame[] {
  if (header.version === JOURNAL_VERSION) return [frame]
  const what = `Journal segment ${header.index}`
  const steps = upgradeSteps(known, header.version, JOURNAL_VERSION, what)
  const upgrades = steps.flatMap((step) => step.frame ?? [])
  if (upgrades.length === 0) return [frame]
  let frames: readonly { kind: number; payload: Uint8Array }[] = [frame]
  for (const upgrade of upgrades)
    frames = frames.flatMap(({ kind, payload }) => upgrade(kind, payload))
  return frames.map(({ kind, payload }) => inLanes(frame, kind, payload))
}

function inLanes(old: WholeFrame, kind: number, given: Uint8Array): WholeFrame {
  const buffer = new ArrayBuffer(padded(given.length))
  const payload = new Uint8Array(buffer, 0, given.length)
  payload.set(given)
  return {
    kind,
    seq: old.seq,
    start: old.start,
    events: kind === Kind.records ? Math.floor(given.length / SWAP_RECORD_BYTES) : old.events,
    payloadAt: 0,
    payloadBytes: given.length,
    payload,
    u32: new Uint32Array(buffer),
    f64: new Float64Array(buffer),
  }
}
