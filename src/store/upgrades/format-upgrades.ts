/**
 * Reads files of former versions in the form of today: snapshots of versions 9 (0.9.14 to 0.9.23) and 10, and chunks of
 * version 1. Older snapshots are refused (docs/decisions/0030-two-versions-are-read.md). Journals of every version are
 * read as they are: versions only brought new kinds of frames, and lanes that were zero before.
 *
 * A snapshot is brought up once, when it is loaded. A chunk is shared by the snapshots that refer to it by the crc
 * of its header, so it stays as it is and its records are brought up whenever they are read.
 */
import { crc32 } from '../../base/crc32.ts'
import type { StatePart } from '../../engine/memory/state-part.ts'
import { bytesOf, lanesOf, totalBytes } from '../../engine/memory/views.ts'
import { type DiskFile, readAll } from '../disk/disk.ts'

/** A part of a snapshot with all its bytes. */
interface SavedPart {
  readonly name: string
  readonly facts: readonly number[]
  readonly bytes: Uint8Array
}

/** Where a part lies in the file, and what its bytes are checked by. */
type PlacedPart = Omit<SavedPart, 'bytes'> & {
  readonly at: number
  readonly bytes: number
  readonly crc: number
}

/** Takes one part after the other, in the order of the file; gives what stands there in the next version. */
type PartUpgrade = (part: SavedPart) => readonly SavedPart[]

/** Read at once: the system refuses 2 GiB, and of more than 4 GiB no crc is right. */
const PIECE_BYTES = 8 << 20

/** Loads the parts of a snapshot of the version before; yields the bytes read so far. False when the file is damaged. */
export function* loadOldParts(
  file: DiskFile,
  entries: readonly PlacedPart[],
  upgrade: PartUpgrade,
  parts: readonly StatePart[],
): Generator<number, boolean> {
  let next = 0
  let done = 0
  for (const entry of entries) {
    const saved = readPart(file, entry)
    if (saved === null) return false
    for (const part of upgrade(saved)) {
      const target = parts[next++]
      if (target === undefined || !fill(target, part)) return false
    }
    done += entry.bytes
    yield done
  }
  return next === parts.length
}

function readPart(file: DiskFile, { name, facts, at, bytes, crc }: PlacedPart): SavedPart | null {
  if (at + bytes > file.size()) return null
  const saved = new Uint8Array(bytes)
  let found = 0
  for (let done = 0; done < bytes; done += PIECE_BYTES) {
    const piece = saved.subarray(done, done + PIECE_BYTES)
    if (!readAll(file, piece, at + done)) return null
    found = crc32(piece, found)
  }
  return found === crc ? { name, facts, bytes: saved } : null
}

function fill(part: StatePart, { name, facts, bytes }: SavedPart): boolean {
  if (part.name !== name) return false
  const views = part.open(facts)
  if (totalBytes(views) !== bytes.length) return false
  let at = 0
  for (const view of views) {
    view.set(bytes.subarray(at, at + view.length))
    at += view.length
  }
  return true
}

/** Parts that came with version 10 follow, zeroed, the one that they stand behind. */
const NEW_PARTS: ReadonlyMap<string, readonly SavedPart[]> = new Map([
  ['globals', [{ name: 'quote coins', facts: [0], bytes: new Uint8Array(0) }]],
  [
    'clamp count',
    [
      { name: 'clamp balances', facts: [16], bytes: new Uint8Array(256) },
      { name: 'last burn', facts: [1], bytes: new Uint8Array(24) },
      { name: 'route sales', facts: [64], bytes: new Uint8Array(1_024) },
    ],
  ],
])

/** Brings the parts of a snapshot of a version before up to the present one. */
export function upgradeOf(version: number): PartUpgrade {
  const before = version < 10 ? octoberParts() : (part: SavedPart) => [part]
  return (part) => {
    const upgraded = before(part)
    return part.name === 'derived' ? [...upgraded, UNSEEN_SLOTS] : upgraded
  }
}

/** The last part, which came with version 11: versions before did not remember what was not seen. */
const UNSEEN_SLOTS: SavedPart = { name: 'unseen slots', facts: [0], bytes: new Uint8Array(0) }

/** u32 lanes of a token and of its metadata, and those that count: traders, and (version 10) positions. */
const TOKEN_LANES = 52
const TRADERS = 43
const METADATA_LANES = 10
const POSITIONS = 9

/**
 * Parts of version 9 in the form of version 10, whose folded records keep LP fee, cashback and hop, and whose tokens
 * count their positions: before, every one of them was a trader's.
 */
function octoberParts(): PartUpgrade {
  let traders = new Uint32Array(0)
  return (part) => {
    // Tokens stand before their metadata.
    if (part.name === 'tokens') traders = tradersOf(part)
    return [octoberPart(part, traders), ...(NEW_PARTS.get(part.name) ?? [])]
  }
}

function tradersOf({ facts: [count = 0], bytes }: SavedPart): Uint32Array<ArrayBuffer> {
  const rows = lanesOf(bytes)
  return Uint32Array.from({ length: count }, (_, token) => rows[token * TOKEN_LANES + TRADERS] ?? 0)
}

function octoberPart(part: SavedPart, traders: Uint32Array): SavedPart {
  if (part.name !== 'tape' && part.name !== 'metadata') return part
  const lanes = lanesOf(part.bytes)
  if (part.name === 'tape') upgradeFoldedRecords(lanes)
  else
    for (const [token, count] of traders.entries())
      lanes[token * METADATA_LANES + POSITIONS] = count
  return { ...part, bytes: bytesOf(lanes) }
}

/**
 * Folded swap records of snapshots up to version 9 and chunks of version 1, put into the form of later ones
 * where they lie (`beginFold` in events/swap-record.ts):
 *
 * - the price of SOL that the feed gave stood in a lane that is the cashback's now; there was no cashback then. The
 *   sign of the price that the fold used says that none was given;
 * - the real base of an AMM swap, which moved nothing, stood where its LP fee is now.
 *
 * Numbers of lanes stand here as these files have them, whatever records become later.
 */
const RECORD_LANES = 56
const FLAGS = 5
const AMM = 1 << 1
/** f64 lanes, as the first of two u32 lanes each. */
const GIVEN_SOL_PRICE = 12
const USED_SOL_PRICE = 14
const AMM_REAL_BASE = 28
const SIGN = 0x80000000

/** Records behind one another, from lane 0 on. */
export function upgradeFoldedRecords(lanes: Uint32Array): void {
  for (let at = 0; at + RECORD_LANES <= lanes.length; at += RECORD_LANES) {
    const isGiven = isAbove0(lanes, at + GIVEN_SOL_PRICE)
    if (!isGiven && isAbove0(lanes, at + USED_SOL_PRICE))
      lanes[at + USED_SOL_PRICE + 1] = ((lanes[at + USED_SOL_PRICE + 1] ?? 0) | SIGN) >>> 0
    clear(lanes, at + GIVEN_SOL_PRICE)
    if (((lanes[at + FLAGS] ?? 0) & AMM) !== 0) clear(lanes, at + AMM_REAL_BASE)
  }
}

/** Is the double above 0 that lies there? The bytes are looked at: no copy of a double touches them up. */
function isAbove0(lanes: Uint32Array, at: number): boolean {
  const high = lanes[at + 1] ?? 0
  return ((lanes[at] ?? 0) | high) !== 0 && high < SIGN
}

function clear(lanes: Uint32Array, at: number): void {
  lanes[at] = 0
  lanes[at + 1] = 0
}
