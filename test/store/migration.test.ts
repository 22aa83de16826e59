import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { StoreError } from '../../src/store/disk/failure.ts'
import { runToEnd } from '../../src/store/disk/steps.ts'
import { listDataFiles, segmentPath } from '../../src/store/folder/data-folder.ts'
import { FrameWriter } from '../../src/store/format/frame-writer.ts'
import { Kind, S, SEGMENT_HEADER_BYTES } from '../../src/store/format/journal-format.ts'
import { FOOTER, SNAPSHOT_FOOTER_BYTES } from '../../src/store/format/snapshot-format.ts'
import { walkJournal } from '../../src/store/journal/journal-scan.ts'
import { type Recovered, recover } from '../../src/store/recovery/recovery.ts'
import { readContents } from '../../src/store/snapshot/snapshot-file.ts'
import { stateDigest } from '../../src/store/snapshot/state-digest.ts'
import { archivedEngine } from '../../src/store/snapshot/tape-archive.ts'
import {
  FORMAT_UPGRADES,
  type FormatUpgrades,
  type UpgradedFrame,
  upgradeSteps,
} from '../../src/store/upgrades/format-upgrades.ts'
import { history } from '../oracle/histories.ts'
import { NO_KINDS } from '../oracle/kinds.ts'
import { BOOT, digestsOf, EPOCH, FOLDER, NEW_EPOCH, SIZES, writtenFolder } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'

/*
 * A made-up version 0, older than the first there was. Its journal had settings without lateSlots,
 * and swap records without the 8 bytes of the volume, which the fold fills. Its snapshot had no
 * lateSlots either, called the tape "swaps" and kept no part for what is derived.
 */
const RECORD_BYTES = 224
const VOLUME_AT = 64
const VOLUME_BYTES = 8
const OLD_RECORD_BYTES = RECORD_BYTES - VOLUME_BYTES
const LATE_SLOTS = 32
const VERSION_AT = 8

const UPGRADES: FormatUpgrades = {
  journal: [
    { from: 0, frame: upgradedFrame },
    // The made-up version had what later ones had not, up to the present one.
    ...FORMAT_UPGRADES.journal.map(({ from }) => ({ from })),
  ],
  snapshots: [
    {
      from: 0,
      contents: (contents) => {
        const settings = { clock: SIZES.clock, lateSlots: LATE_SLOTS }
        return typeof contents === 'object' ? { ...contents, settings } : null
      },
      parts: () => (part) => {
        if (part.name === 'swaps') return [{ ...part, name: 'tape' }]
        const derived = { name: 'derived', facts: [], bytes: new Uint8Array(0) }
        return part.name === 'announcements' ? [part, derived] : [part]
      },
    },
    ...FORMAT_UPGRADES.snapshots.map(({ from }) => ({ from })),
  ],
}

function upgradedFrame(kind: number, payload: Uint8Array): UpgradedFrame[] {
  if (kind === Kind.settings) {
    const settings = { ...JSON.parse(Buffer.from(payload).toString()), lateSlots: LATE_SLOTS }
    return [{ kind, payload: Buffer.from(JSON.stringify(settings)) }]
  }
  if (kind !== Kind.records) return [{ kind, payload }]
  const records: Uint8Array[] = []
  for (let at = 0; at < payload.length; at += OLD_RECORD_BYTES) {
    const record = payload.subarray(at, at + OLD_RECORD_BYTES)
    const volume = new Uint8Array(VOLUME_BYTES)
    records.push(record.subarray(0, VOLUME_AT), volume, record.subarray(VOLUME_AT))
  }
  return [{ kind, payload: Buffer.concat(records) }]
}

/** The payload that version 0 would have written. */
function oldPayload(kind: number, payload: Uint8Array): Uint8Array {
  if (kind === Kind.settings) return Buffer.from(JSON.stringify({ clock: SIZES.clock }))
  if (kind !== Kind.records) return payload
  const parts: Uint8Array[] = []
  for (let at = 0; at < payload.length; at += RECORD_BYTES)
    parts.push(
      payload.subarray(at, at + VOLUME_AT),
      payload.subarray(at + VOLUME_AT + VOLUME_BYTES, at + RECORD_BYTES),
    )
  return Buffer.concat(parts)
}

/** Nothing of October 2026 in it: cashback lies where the volume did. */
const whole = writtenFolder({
  events: history(11, 200, NO_KINDS),
  segmentsAt: [150],
  snapshotsAt: [2],
})
const files = listDataFiles(whole, FOLDER)
const [snapshot] = files.snapshots
const digest = digestsOf(whole).get(200)?.at(-1)

/** The journal as version 0 would have written it, up to a segment; later ones as they are now. */
function oldJournal(untilSegment: number): ImageDisk {
  const disk = new ImageDisk()
  const segments = new Map<number, Buffer[]>()
  const frames = new FrameWriter()
  let crc = 0
  const walk = walkJournal(whole, files, 0, (frame, { index }) => {
    const isOld = index < untilSegment
    const parts = segments.get(index) ?? [header(index, crc, isOld)]
    if (!segments.has(index)) crc = parts[0].readUInt32LE(S.crc)
    segments.set(index, parts)
    const payload = isOld ? oldPayload(frame.kind, frame.payload) : frame.payload
    frames.begin(crc, frame.syncedSeq)
    frames.add(frame.kind, frame.seq, frame.events, payload)
    parts.push(Buffer.from(frames.bytes))
    crc = frames.crc
  })
  runToEnd(walk)
  for (const [index, parts] of segments)
    disk.files.set(segmentPath(FOLDER, index), Buffer.concat(parts))
  return disk
}

function header(index: number, previousCrc: number, isOld: boolean): Buffer {
  const bytes = Buffer.from(whole.bytesOf(segmentPath(FOLDER, index))).subarray(
    0,
    SEGMENT_HEADER_BYTES,
  )
  if (isOld) bytes.writeUInt32LE(0, S.version)
  bytes.writeUInt32LE(previousCrc, S.previousCrc)
  bytes.writeUInt32LE(crc32(bytes.subarray(0, S.crc)), S.crc)
  return bytes
}

/** The snapshot as version 0 would have written it. */
function oldSnapshot(): Buffer {
  const bytes = Buffer.from(whole.bytesOf(snapshot.path))
  const contents = readContents(whole.open(snapshot.path), snapshot.path)
  if (contents === null) throw new Error('the snapshot is damaged')
  const { version: _, ...about } = contents
  const parts: unknown[] = []
  for (const part of about.parts)
    if (part.name === 'tape') parts.push({ ...part, name: 'swaps' })
    else if (part.name !== 'derived') parts.push(part)
  const text = Buffer.from(JSON.stringify({ ...about, settings: { clock: 'event' }, parts }))
  const footer = Buffer.from(bytes.subarray(-SNAPSHOT_FOOTER_BYTES))
  footer.writeDoubleLE(text.length, FOOTER.contentsBytes)
  footer.writeUInt32LE(crc32(text), FOOTER.crc)
  footer.writeUInt32LE(0, FOOTER.version)
  bytes.writeUInt32LE(0, VERSION_AT)
  return Buffer.concat([bytes.subarray(0, footer.readDoubleLE(FOOTER.contentsAt)), text, footer])
}

function recoveredWith(
  disk: ImageDisk,
  upgrades: FormatUpgrades,
): { digest: string; lateSlots: number; found: Recovered } {
  const newEngine = () => archivedEngine(disk, FOLDER, { ...SIZES, lateSlots: 1 })
  const engine = newEngine()
  const written = {
    ...{ seq: 0, segment: 0, epoch: EPOCH },
    ...{ boot: BOOT, isClosed: false, isHere: true },
  }
  const options = { disk, folder: FOLDER, boot: BOOT, written, engine, newEngine, upgrades }
  const found = runToEnd(recover({ ...options, newEpoch: () => NEW_EPOCH }))
  return { digest: stateDigest(engine.parts), lateSlots: engine.settings.lateSlots, found }
}

function expectOlder(disk: ImageDisk, named: string): void {
  const before = new Map(disk.files)
  const read = () => recoveredWith(disk, FORMAT_UPGRADES)
  expect(read).toThrow(StoreError)
  expect(read).toThrow(
    `${named} has version 0 of its format, which this mintfeed does not read any more: start one ` +
      'that does, or another DATA_DIR.',
  )
  expect(disk.files).toEqual(before)
}

test('a journal of an older version is read by its upgrade, and refused without', () => {
  const disk = oldJournal(3)
  expectOlder(disk, 'Journal segment 1')
  expect(recoveredWith(disk, UPGRADES)).toMatchObject({ digest, lateSlots: LATE_SLOTS })
})

test('a journal that an older version began and this one went on with is read to its end', () => {
  const disk = oldJournal(2)
  const { found, ...state } = recoveredWith(disk, UPGRADES)
  expect(state).toEqual({ digest, lateSlots: LATE_SLOTS })
  expect(found).toMatchObject({ loss: null, cut: null })
})

test('a snapshot of an older version is read by its upgrade, and refused without', () => {
  const disk = whole.copy()
  disk.files.set(snapshot.path, oldSnapshot())
  expectOlder(disk, snapshot.path)
  const { found, ...state } = recoveredWith(disk, UPGRADES)
  expect(found).toMatchObject({ snapshotSeq: 150, damagedSnapshots: [] })
  expect(state).toEqual({ digest, lateSlots: LATE_SLOTS })
})

test('a damaged snapshot of an older version is left aside like any other', () => {
  const old = oldSnapshot()
  for (const at of [20, old.length / 2, old.length - 40]) {
    const disk = whole.copy()
    const bytes = Buffer.from(old)
    bytes[Math.floor(at)] ^= 1
    disk.files.set(snapshot.path, bytes)
    const { found, ...state } = recoveredWith(disk, UPGRADES)
    expect(found.damagedSnapshots).toEqual([snapshot.path])
    expect(state.digest).toBe(digest)
  }
})

test('steps are taken in the order of their versions, and none is left out', () => {
  const known = [{ from: 2 }, { from: 0 }, { from: 1 }]
  expect(upgradeSteps(known, 0, 3, 'it')).toEqual([{ from: 0 }, { from: 1 }, { from: 2 }])
  expect(upgradeSteps(known, 3, 3, 'it')).toEqual([])
  expect(() => upgradeSteps(known.slice(1), 0, 3, 'it')).toThrow('it has version 0')
  const later = { ...UPGRADES, snapshots: UPGRADES.snapshots.map((one) => ({ ...one, from: 5 })) }
  const disk = whole.copy()
  disk.files.set(snapshot.path, oldSnapshot())
  expect(() => recoveredWith(disk, later)).toThrow('has version 0 of its format')
})
