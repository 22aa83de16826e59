import { crc32 } from '../../base/crc32.ts'
import type { StatePart } from '../../engine/memory/state-part.ts'
import { totalBytes } from '../../engine/memory/views.ts'
import { type DiskFile, readAll } from '../disk/disk.ts'
import type { PartEntry } from '../format/snapshot-format.ts'
import type { SnapshotUpgrade } from './format-upgrades.ts'
import type { SavedPart } from './saved-part.ts'

/** Read at once: the system refuses 2 GiB, and of more than 4 GiB no crc is right. */
const PIECE_BYTES = 8 << 20

/**
 * Loads the parts of a snapshot of an older version, one after the other through the steps to the
 * present one; yields the bytes read so far. False when the file is damaged.
 */
export function* loadOldParts(
  file: DiskFile,
  entries: readonly PartEntry[],
  steps: readonly SnapshotUpgrade[],
  parts: readonly StatePart[],
): Generator<number, boolean> {
  const upgrades = steps.flatMap((step) => step.parts?.() ?? [])
  let next = 0
  let done = 0
  for (const entry of entries) {
    const saved = readPart(file, entry)
    if (saved === null) return false
    for (const part of upgraded(saved, upgrades)) {
      if (next === parts.length || !fill(parts[next], part)) return false
      next += 1
    }
    done += entry.bytes
    yield done
  }
  return next === parts.length
}

function readPart(file: DiskFile, { name, facts, at, bytes, crc }: PartEntry): SavedPart | null {
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

function upgraded(
  saved: SavedPart,
  upgrades: readonly ((part: SavedPart) => readonly SavedPart[])[],
): readonly SavedPart[] {
  let parts: readonly SavedPart[] = [saved]
  for (const upgrade of upgrades) parts = parts.flatMap((part) => upgrade(part))
  return parts
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
