import { crc32 } from 'node:zlib'
import {
  type Contents,
  FOOTER,
  SNAPSHOT_FOOTER_BYTES,
} from '../../src/store/snapshot/snapshot-file.ts'

/** Another byte of the wallets, with everything else as it would be with that. */
export function forged(snapshot: Buffer<ArrayBuffer>): Uint8Array {
  const footer = snapshot.subarray(snapshot.length - SNAPSHOT_FOOTER_BYTES)
  const contentsAt = footer.readDoubleLE(FOOTER.contentsAt)
  const text = snapshot.toString('utf8', contentsAt, snapshot.length - SNAPSHOT_FOOTER_BYTES)
  const contents: Contents = JSON.parse(text)
  const parts = contents.parts.map((part) => {
    if (part.name !== 'wallets') return part
    const bytes = snapshot.subarray(part.at, part.at + part.bytes)
    bytes[bytes.length - 1] ^= 1
    return { ...part, crc: crc32(bytes) }
  })
  const changed = Buffer.from(JSON.stringify({ ...contents, parts }))
  footer.writeDoubleLE(changed.length, FOOTER.contentsBytes)
  footer.writeUInt32LE(crc32(changed), FOOTER.crc)
  return Buffer.concat([snapshot.subarray(0, contentsAt), changed, footer])
}
