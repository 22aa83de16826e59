import { crc32 } from 'node:zlib'
import {
  type Contents,
  FOOTER,
  SNAPSHOT_FOOTER_BYTES,
  stateDigest,
} from '../../src/store/snapshot/snapshot-file.ts'

const OLDER_VERSION = 9
const VERSION_AT = 8
/** Parts that versions 10 and 11 brought. */
const NEW_PARTS = ['quote coins', 'clamp balances', 'last burn', 'route sales', 'unseen slots']

/** A snapshot of the present version as one of version 9 would have it; with the crcs of these chunks, where given. */
export function olderSnapshot(snapshot: Buffer<ArrayBuffer>, crcs?: readonly number[]): Uint8Array {
  const older = Buffer.from(snapshot)
  const footer = older.subarray(older.length - SNAPSHOT_FOOTER_BYTES)
  const contentsAt = footer.readDoubleLE(FOOTER.contentsAt)
  const text = older.toString('utf8', contentsAt, older.length - SNAPSHOT_FOOTER_BYTES)
  const contents: Contents = JSON.parse(text)
  const swaps = contents.chunks.swaps.map((crc, chunk) => crcs?.[chunk] ?? crc)
  const chunks = { ...contents.chunks, swaps }
  const parts = contents.parts.filter(({ name }) => !NEW_PARTS.includes(name))
  const changed = Buffer.from(
    JSON.stringify({ ...contents, parts, chunks, digest: digestOf(older, parts) }),
  )
  older.writeUInt32LE(OLDER_VERSION, VERSION_AT)
  footer.writeUInt32LE(OLDER_VERSION, FOOTER.version)
  footer.writeDoubleLE(changed.length, FOOTER.contentsBytes)
  footer.writeUInt32LE(crc32(changed), FOOTER.crc)
  return Buffer.concat([older.subarray(0, contentsAt), changed, footer])
}

function digestOf(snapshot: Uint8Array, parts: Contents['parts']): string {
  return stateDigest(
    parts.map(({ name, facts, at, bytes }) => ({
      name,
      facts: () => facts,
      views: () => [snapshot.subarray(at, at + bytes)],
    })),
  )
}
