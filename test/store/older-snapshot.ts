import { crc32 } from 'node:zlib'
import {
  type Contents,
  FOOTER,
  SNAPSHOT_FOOTER_BYTES,
  stateDigest,
} from '../../src/store/snapshot/snapshot-file.ts'
import { formerState, NEW_PARTS } from './former-state.ts'

/** The last before tokens and positions were rows of few lanes, and texts codes. */
const OLDER_VERSION = 13
const VERSION_AT = 8

/** A snapshot of the present version as one of version 13 would have it; with the crcs of these chunks, where given. */
export function olderSnapshot(snapshot: Buffer<ArrayBuffer>, crcs?: readonly number[]): Uint8Array {
  const older = Buffer.from(snapshot)
  const footer = older.subarray(older.length - SNAPSHOT_FOOTER_BYTES)
  const contentsAt = footer.readDoubleLE(FOOTER.contentsAt)
  const text = older.toString('utf8', contentsAt, older.length - SNAPSHOT_FOOTER_BYTES)
  const contents: Contents = JSON.parse(text)
  const swaps = contents.chunks.swaps.map((crc, chunk) => crcs?.[chunk] ?? crc)
  const chunks = { ...contents.chunks, swaps }
  const saved = contents.parts.map(({ name, facts, at, bytes }) => ({
    name,
    facts: () => facts,
    views: () => [older.subarray(at, at + bytes)],
  }))
  const formers = formerState(saved)
  const kept = contents.parts.filter(({ name }) => !NEW_PARTS.includes(name))
  const added: Uint8Array[] = []
  let at = contentsAt
  const parts = kept.map((part) => {
    const former = formers.find(({ name }) => name === part.name)
    if (former === undefined) return part
    const bytes = Buffer.concat(former.views())
    added.push(bytes)
    at += bytes.length
    const place = { at: at - bytes.length, bytes: bytes.length, crc: crc32(bytes) }
    return { ...part, ...place, facts: [...former.facts()] }
  })
  const body = Buffer.concat([older.subarray(0, contentsAt), ...added])
  const changed = Buffer.from(
    JSON.stringify({ ...contents, parts, chunks, digest: digestOf(body, parts) }),
  )
  body.writeUInt32LE(OLDER_VERSION, VERSION_AT)
  footer.writeUInt32LE(OLDER_VERSION, FOOTER.version)
  footer.writeDoubleLE(body.length, FOOTER.contentsAt)
  footer.writeDoubleLE(changed.length, FOOTER.contentsBytes)
  footer.writeUInt32LE(crc32(changed), FOOTER.crc)
  return Buffer.concat([body, changed, footer])
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
