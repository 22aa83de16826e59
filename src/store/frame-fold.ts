import type { Engine, EngineSettings } from '../engine/engine.ts'
import { RecordBatch } from '../engine/record-batch.ts'
import { SWAP_RECORD_BYTES } from '../engine/swap-record.ts'
import { parseEventLine } from '../wire/event-lines.ts'
import { applyDefinitions } from './definitions.ts'
import { StoreError } from './failure.ts'
import { Kind } from './journal-format.ts'
import type { SegmentScan } from './segment-scan.ts'

/**
 * Folds a frame into the engine as it was folded when it was written.
 * @throws StoreError when a frame that is whole makes no sense: a fault of the program that wrote it
 */
export function foldFrame(engine: Engine, frame: SegmentScan): void {
  const { kind, payload } = frame
  if (kind === Kind.records) {
    if (payload.length !== frame.events * SWAP_RECORD_BYTES) throw senseless(frame)
    engine.acceptRecords(RecordBatch.over(payload))
  } else if (kind === Kind.event) {
    const event = parseEventLine(textOf(payload))
    if ('error' in event) throw senseless(frame)
    engine.accept(event)
  } else if (kind === Kind.clock) {
    engine.advance(Buffer.from(payload.buffer, payload.byteOffset, 8).readDoubleLE())
  } else if (kind === Kind.definitions) applyDefinitions(payload, engine.state.book)
  else if (kind === Kind.settings) engine.settle(settingsOf(frame))
}

/** @throws StoreError when the frame holds no settings */
export function settingsOf(frame: SegmentScan): EngineSettings {
  const settings = readSettings(textOf(frame.payload))
  if (settings === null) throw senseless(frame)
  return settings
}

/** Settings from their JSON, or null. */
export function readSettings(text: string): EngineSettings | null {
  const value: unknown = JSON.parse(text)
  if (typeof value !== 'object' || value === null) return null
  if (!('clock' in value) || !('lateSlots' in value)) return null
  const { clock, lateSlots } = value
  if ((clock !== 'wall' && clock !== 'event') || typeof lateSlots !== 'number') return null
  return { clock, lateSlots }
}

function textOf(payload: Uint8Array): string {
  return Buffer.from(payload.buffer, payload.byteOffset, payload.length).toString('utf8')
}

function senseless(frame: SegmentScan): StoreError {
  return new StoreError(
    'damaged',
    `The journal frame at seq ${frame.seq} (kind ${frame.kind}, byte ${frame.start}) is whole but ` +
      'cannot be read: it was written by another program than this one.',
  )
}
