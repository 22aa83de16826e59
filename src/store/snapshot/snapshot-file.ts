/**
 * Snapshots: the parts of a state as a file and back, and chunks, to which old records of the tapes are left. In: the
 * `StatePart`s of an engine. Out: one file with a table of contents, a crc for each part and a digest of all.
 *
 * - The same events give the same bytes, so a digest compares two states.
 * - Nothing that a file says is believed before its crc is right; what is wrong is damage, never an exception.
 */
import { createHash, type Hash } from 'node:crypto'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { crc32 } from '../../base/crc32.ts'
import { jsonOf } from '../../base/json-access.ts'
import { PROGRAM_VERSION } from '../../base/program-files.ts'
import { StateError, type StatePart } from '../../engine/memory/state-part.ts'
import { totalBytes } from '../../engine/memory/views.ts'
import { type Disk, type DiskFile, readAll } from '../disk/disk.ts'
import { newerVersion, StoreError } from '../disk/failure.ts'
import { writeWhole } from '../folder/data-folder.ts'
import { JOURNAL_VERSION, padded } from '../format/journal-format.ts'
import { ChunkCrcs, SettingsSchema } from '../format/recorded-values.ts'
import { upgradeOf } from '../upgrades/format-upgrades.ts'
import { CHUNK_VERSION } from './tape-chunk.ts'

/**
 * The layout of a snapshot, version 11, little-endian:
 *
 *     header   magic, version, zeros (16 bytes)
 *     parts    the bytes of each part, each padded with zeros to 8 bytes
 *     contents JSON of `Contents`
 *     footer   offset and length of the contents, their crc, version, magic (32 bytes)
 *
 * It is written in one go and found by its end, so that a torn one has none. Header and footer of
 * later versions stay as they are, each with the version, so that an older program knows them.
 */
const SNAPSHOT_MAGIC = 'MFSNAPS\n'
export const SNAPSHOT_VERSION = 14
/** The oldest that is read (store/upgrades). */
export const OLDEST_SNAPSHOT_VERSION = 9
const SNAPSHOT_HEADER_BYTES = 16
export const SNAPSHOT_FOOTER_BYTES = 32
/** Byte offsets in the footer. */
export const FOOTER = { contentsAt: 0, contentsBytes: 8, crc: 16, version: 20, magic: 24 } as const
/** Largest table of contents that is believed. */
const CONTENTS_BYTES_MAX = 64 << 20

const Count = Type.Integer({ minimum: 0, maximum: Number.MAX_SAFE_INTEGER })
const ContentsSchema = Type.Object({
  /** Seq behind the last event in it. */
  seq: Count,
  epoch: Type.String(),
  /** Segment of the journal that goes on behind it. */
  segment: Count,
  settings: SettingsSchema,
  /**
   * Version of the first of the snapshots that it goes back to, where that is an older one: the journal
   * from its beginning may come to other bytes of the same state.
   */
  upgradedFrom: Type.Optional(Count),
  chunks: ChunkCrcs,
  /** Sha-256 of the state (`stateDigest`). */
  digest: Type.String(),
  /** Parts of the state, each with the offset of its bytes in the file, and how many. */
  parts: Type.Array(
    Type.Object({
      name: Type.String(),
      facts: Type.Array(Type.Number()),
      at: Count,
      bytes: Count,
      crc: Count,
    }),
  ),
})
const contentsValidator = Compile(ContentsSchema)

/** The table of contents, in the form of the present version, and the version of its file. */
export type Contents = Type.Static<typeof ContentsSchema> & { readonly version: number }

/** Bytes read between two yields. */
const BYTES_PER_YIELD = 8 << 20

/**
 * What this process folds and writes: with another version, or between two of them with other formats
 * (a fold that comes to other bytes is one), a snapshot may be none that this program reads.
 */
export const PROGRAM =
  `${PROGRAM_VERSION}, journal ${JOURNAL_VERSION}, snapshots ${SNAPSHOT_VERSION}, ` +
  `chunks ${CHUNK_VERSION}`

/**
 * Writes a snapshot under its name once it is whole on the disk; returns its digest.
 * @throws Error with the disk's code when the disk refuses
 */
export function writeSnapshot(
  disk: Disk,
  folder: string,
  path: string,
  parts: readonly StatePart[],
  about: Omit<Contents, 'version' | 'digest' | 'parts'>,
): string {
  const hash = createHash('sha256')
  let digest = ''
  writeWhole(disk, folder, path, (append) => {
    let at = SNAPSHOT_HEADER_BYTES
    append(header(SNAPSHOT_VERSION))
    const entries: Contents['parts'] = []
    for (const part of parts) {
      const image = imageOf(part)
      digestPart(hash, image)
      const { name, facts, views } = image
      let crc = 0
      for (const view of views) {
        append(view)
        crc = crc32(view, crc)
      }
      const bytes = totalBytes(views)
      entries.push({ name, facts: [...facts], at, bytes, crc })
      append(new Uint8Array(padded(bytes) - bytes))
      at += padded(bytes)
    }
    digest = hash.digest('hex')
    const text = Buffer.from(JSON.stringify({ ...about, digest, parts: entries }))
    append(text)
    append(footerOf(text, at))
  })
  return digest
}

function header(version: number): Uint8Array {
  const bytes = Buffer.alloc(SNAPSHOT_HEADER_BYTES)
  bytes.write(SNAPSHOT_MAGIC, 0, 'latin1')
  bytes.writeUInt32LE(version, 8)
  return bytes
}

function footerOf(text: Uint8Array, at: number): Uint8Array {
  const footer = Buffer.alloc(SNAPSHOT_FOOTER_BYTES)
  footer.writeDoubleLE(at, FOOTER.contentsAt)
  footer.writeDoubleLE(text.length, FOOTER.contentsBytes)
  footer.writeUInt32LE(crc32(text), FOOTER.crc)
  footer.writeUInt32LE(SNAPSHOT_VERSION, FOOTER.version)
  footer.write(SNAPSHOT_MAGIC, FOOTER.magic, 'latin1')
  return footer
}

/**
 * The table of contents of a snapshot; null when the file is torn or damaged there.
 * @throws StoreError when a later version wrote it, or one too old
 */
export function readContents(file: DiskFile, path: string): Contents | null {
  const size = file.size()
  if (size < SNAPSHOT_HEADER_BYTES + SNAPSHOT_FOOTER_BYTES) return null
  const head = Buffer.alloc(SNAPSHOT_HEADER_BYTES)
  const footer = Buffer.alloc(SNAPSHOT_FOOTER_BYTES)
  if (!readAll(file, head, 0)) return null
  if (!readAll(file, footer, size - SNAPSHOT_FOOTER_BYTES)) return null
  if (footer.toString('latin1', FOOTER.magic) !== SNAPSHOT_MAGIC) return null
  const version = footer.readUInt32LE(FOOTER.version)
  // Both ends say it, so that a damaged version is not taken for that of another program.
  if (!head.equals(header(version))) return null
  if (version > SNAPSHOT_VERSION) throw newerVersion(path)
  if (version < OLDEST_SNAPSHOT_VERSION) throw olderVersion(path, version)
  const text = contentsText(file, footer, size - SNAPSHOT_FOOTER_BYTES)
  if (text === null) return null
  // A crc can be right by chance, or by someone's hand: such a snapshot is damaged like any other.
  const contents = jsonOf(text)
  return contentsValidator.Check(contents) ? { ...contents, version } : null
}

/** The last release that reads every format there was. */
const LAST_READER_OF_ALL = '0.9.25'

/** Why a snapshot of a version without an upgrade is not read. */
function olderVersion(path: string, version: number): StoreError {
  return new StoreError(
    'older_version',
    `${path} has version ${version} of its format, which this mintfeed does not read any more: start mintfeed ` +
      `${LAST_READER_OF_ALL} with this DATA_DIR, let it take events for a minute, stop it, then start this one ` +
      '(or another DATA_DIR).',
  )
}

/** The JSON that stands before the footer, or null when it is not what the footer says. */
function contentsText(file: DiskFile, footer: Buffer, end: number): string | null {
  const at = footer.readDoubleLE(FOOTER.contentsAt)
  const bytes = footer.readDoubleLE(FOOTER.contentsBytes)
  if (!Number.isSafeInteger(at) || at < SNAPSHOT_HEADER_BYTES || at + bytes !== end) return null
  if (!Number.isSafeInteger(bytes) || bytes < 0 || bytes > CONTENTS_BYTES_MAX) return null
  const text = Buffer.alloc(bytes)
  if (!readAll(file, text, at) || crc32(text) !== footer.readUInt32LE(FOOTER.crc)) return null
  return text.toString('utf8')
}

/**
 * Loads the parts a snapshot holds; yields the bytes read so far. Returns false when the file is
 * damaged: the state is then worth nothing.
 */
export function* loadParts(
  file: DiskFile,
  contents: Contents,
  parts: readonly StatePart[],
): Generator<number, boolean> {
  try {
    const { version } = contents
    const asWritten = parts.map((part) => part.former?.(version) ?? part)
    const isWhole = yield* loadEach(file, contents.parts, asWritten, upgradeOf(version))
    if (isWhole) for (const part of asWritten) part.settle()
    return isWhole
  } catch (error) {
    if (error instanceof StateError) return false
    throw error
  }
}

function* loadEach(
  file: DiskFile,
  entries: Contents['parts'],
  parts: readonly StatePart[],
  { newParts, bringUp }: ReturnType<typeof upgradeOf>,
): Generator<number, boolean> {
  let done = 0
  let next = 0
  for (const part of parts) {
    const size = newParts.get(part.name)
    if (size !== undefined) {
      for (const view of part.open([size])) view.fill(0)
      continue
    }
    const entry = entries[next++]
    if (entry?.name !== part.name) return false
    const views = part.open(entry.facts)
    if (totalBytes(views) !== entry.bytes) return false
    let crc = 0
    let at = entry.at
    let yieldAt = at + BYTES_PER_YIELD
    for (const view of views) {
      if (!readAll(file, view, at)) return false
      crc = crc32(view, crc)
      at += view.length
      if (at < yieldAt) continue
      yieldAt = at + BYTES_PER_YIELD
      yield done + at - entry.at
    }
    if (crc !== entry.crc) return false
    bringUp(part.name, views)
    done += entry.bytes
  }
  return next === entries.length
}

/**
 * The first part of a snapshot that is not what was written, or null; yields the bytes of each block that was read.
 * `hash` takes the state, as `stateDigest` does.
 */
export function* damagedPart(
  file: DiskFile,
  parts: Contents['parts'],
  hash: Hash | null = null,
): Generator<number, Contents['parts'][number] | null> {
  const buffer = new Uint8Array(BYTES_PER_YIELD)
  for (const part of parts) {
    hash?.update(JSON.stringify([part.name, part.facts, part.bytes]))
    let crc = 0
    for (let done = 0; done < part.bytes; done += BYTES_PER_YIELD) {
      const into = buffer.subarray(0, Math.min(BYTES_PER_YIELD, part.bytes - done))
      if (!readAll(file, into, part.at + done)) return part
      crc = crc32(into, crc)
      hash?.update(into)
      yield into.length
    }
    if (crc !== part.crc) return part
  }
  return null
}

/** Whether the parts of a snapshot are those of its digest; yields the bytes of each block that was read. */
export function* hasItsDigest(file: DiskFile, contents: Contents): Generator<number, boolean> {
  const hash = createHash('sha256')
  const damaged = yield* damagedPart(file, contents.parts, hash)
  return damaged === null && hash.digest('hex') === contents.digest
}

/** Sha-256 (hex) of a table of contents, and so of all there is: it has the crcs of the parts. */
export function contentsDigest(contents: Contents): string {
  return createHash('sha256').update(JSON.stringify(contents)).digest('hex')
}

/** A part as it stands: some are written out each time they are asked, so they are asked once. */
function imageOf(part: Pick<StatePart, 'name' | 'facts' | 'views'>) {
  return { name: part.name, facts: part.facts(), views: part.views() }
}

/** Sha-256 (hex) of a whole state: the name, the facts and the bytes of each part. */
export function stateDigest(parts: readonly Parameters<typeof imageOf>[0][]): string {
  const hash = createHash('sha256')
  for (const part of parts) digestPart(hash, imageOf(part))
  return hash.digest('hex')
}

/** Adds one part to a digest. */
function digestPart(hash: Hash, { name, facts, views }: ReturnType<typeof imageOf>): void {
  hash.update(JSON.stringify([name, facts, totalBytes(views)]))
  for (const view of views) hash.update(view)
}

/** Records of the tape, or of the dormant tape, that a snapshot leaves to chunks (engine/state/tape.ts). */
export function archivedOf({ parts }: Contents, tape: 'tape' | 'dormant tape'): number {
  return parts.find(({ name }) => name === tape)?.facts[1] ?? 0
}
