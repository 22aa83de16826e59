/**
 * feeds/lines: a plain, `.gz` or `.zst` file in, lines of UTF-8 text out, with their numbers, paced by event time. A line that
 * cannot be read is reported with its number and stops nothing; a file that breaks off is an error after all that it held.
 */

import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { Readable } from 'node:stream'
import zlib from 'node:zlib'
import { codeOf } from '../../base/errors.ts'
import { gunzipped, zstdDecompressed } from './decompress.ts'

const CHUNK_BYTES = 256 * 1024

/** Why the file cannot be read, in one sentence; null when it can. */
export function checkInputFile(path: string): string | null {
  try {
    if (statSync(path).isDirectory()) return `"${path}" is a directory but must be a file`
    accessSync(path, constants.R_OK)
  } catch (error) {
    return `"${path}" cannot be read (${codeOf(error) || error}) but must be a file that can`
  }
  return path.endsWith('.zst') && !canReadZstd()
    ? `"${path}" is zstd, which needs Node 22.15 or newer, but this is ${process.version}`
    : null
}

/** Opens a plain, `.gz` or `.zst` file; errors of reading come through the stream. */
export function openInputFile(path: string): {
  /** Decompressed. */
  readonly bytes: Readable
  /** Of the file as it is on disk. */
  readonly sizeBytes: number
  /** Bytes of it read so far. */
  readonly bytesRead: () => number
} {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const bytes = decompressed(path, file)
  return { bytes, sizeBytes: statSync(path).size, bytesRead: () => file.bytesRead }
}

function decompressed(path: string, file: Readable): Readable {
  if (!/\.(gz|zst)$/.test(path)) return file
  const parts = (path.endsWith('.gz') ? gunzipped : zstdDecompressed)(file)
  // Nothing is read ahead: an error would take along what nobody has read yet.
  return Readable.from(parts, { objectMode: false, highWaterMark: 1 })
}

function canReadZstd(): boolean {
  return typeof zlib.createZstdDecompress === 'function'
}
