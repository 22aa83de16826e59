import { jsonOf } from '../../base/json-access.ts'
import type { Engine } from '../../engine/engine.ts'
import type { EngineSettings } from '../../events/engine-settings.ts'
import type { FeedEvent } from '../../events/event.ts'
import { type LineError, parseFoldedLine, parseFoldedValue } from '../../events/event-lines.ts'
import { SWAP_RECORD_BYTES } from '../../events/swap-record.ts'
import { StoreError } from '../disk/failure.ts'
import { Kind } from '../format/journal-format.ts'
import { unpackedLine } from '../format/packed-event.ts'
import { recordedSettings } from '../format/recorded-settings.ts'
import type { SegmentScan } from '../format/segment-scan.ts'
import { applyDefinitions } from './definitions.ts'

/**
 * Folds a frame into the engine as it was folded when it was written.
 * @throws StoreError when a frame that is whole makes no sense: a fault of the program that wrote it
 */
export function foldFrame(engine: Engine, frame: SegmentScan): void {
  const { kind } = frame
  if (isRecords(frame))
    engine.acceptLanes(frame.u32, frame.f64, frame.payloadAt >>> 2, frame.events)
  else if (kind === Kind.packed || kind === Kind.event) {
    const event = eventOf(frame)
    if ('error' in event) throw senseless(frame)
    engine.accept(event)
  } else if (kind === Kind.clock) {
    engine.advance(frame.f64[frame.payloadAt >>> 3])
  } else if (kind === Kind.definitions) applyDefinitions(frame.payload, engine.state.book)
  else if (kind === Kind.rest) engine.coldStore.evict(tokensOf(frame))
  else if (kind === Kind.settings) engine.settle(settingsOf(frame))
}

/**
 * The event line of a frame of another event, well-formed: the journal has halves of characters as they
 * came, and strict readers refuse a file that names one.
 * @throws StoreError as `foldFrame`
 */
export function lineTextOf(frame: SegmentScan): string {
  if (frame.kind === Kind.event) return wellFormedLine(textOf(frame.payload))
  const line = unpackedLine(frame)
  if (line === null) throw senseless(frame)
  return wellFormedLine(JSON.stringify(line))
}

/** JSON writes a half as an escape; few lines have a text that looks like one. */
function wellFormedLine(text: string): string {
  if (!text.includes('\\ud')) return text
  const line = jsonOf(text)
  if (line === undefined) return text
  return JSON.stringify(line, (_, value) =>
    typeof value === 'string' ? value.toWellFormed() : value,
  )
}

/** Is it a frame of swap records? */
export function isRecords(frame: SegmentScan): boolean {
  if (frame.kind !== Kind.records) return false
  if (frame.payloadBytes !== frame.events * SWAP_RECORD_BYTES) throw senseless(frame)
  return true
}

function eventOf(frame: SegmentScan): FeedEvent | LineError {
  if (frame.kind === Kind.packed) return parseFoldedValue(unpackedLine(frame))
  return parseFoldedLine(textOf(frame.payload))
}

function tokensOf(frame: SegmentScan): Uint32Array {
  if (frame.payloadBytes % 4 !== 0) throw senseless(frame)
  const first = frame.payloadAt >>> 2
  return frame.u32.subarray(first, first + (frame.payloadBytes >>> 2))
}

function settingsOf(frame: SegmentScan): EngineSettings {
  const settings = recordedSettings(textOf(frame.payload))
  if (settings === null) throw senseless(frame)
  return settings
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
