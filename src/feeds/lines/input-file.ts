import { accessSync, constants, createReadStream, statSync } from 'node:fs'
import { pipeline, type Readable } from 'node:stream'
import zlib from 'node:zlib'

const CHUNK_BYTES = 256 * 1024

export interface InputFile {
  /** Decompressed. */
  readonly bytes: Readable
  /** Of the file as it is on disk. */
  readonly sizeBytes: number
  /** Bytes of it read so far. */
  readonly bytesRead: () => number
}

/** Why the file cannot be read, in one sentence; null when it can. */
export function checkInputFile(path: string): string | null {
  try {
    if (statSync(path).isDirectory()) return `"${path}" is a directory but must be a file`
    accessSync(path, constants.R_OK)
  } catch (error) {
    return `"${path}" cannot be read (${codeOf(error)}) but must be a file that can`
  }
  return path.endsWith('.zst') && !canReadZstd()
    ? `"${path}" is zstd, which needs Node 22.15 or newer, but this is ${process.version}`
    : null
}

/** Opens a plain, `.gz` or `.zst` file; errors of reading come through the stream. */
export function openInputFile(path: string): InputFile {
  const file = createReadStream(path, { highWaterMark: CHUNK_BYTES })
  const decompressor = decompressorOf(path)
  // The callback is for `pipeline`: whoever reads the stream gets the error there.
  const bytes = decompressor === null ? file : pipeline(file, decompressor, () => {})
  return { bytes, sizeBytes: statSync(path).size, bytesRead: () => file.bytesRead }
}

function decompressorOf(path: string): (NodeJS.ReadWriteStream & Readable) | null {
  if (path.endsWith('.gz')) return zlib.createGunzip({ chunkSize: CHUNK_BYTES })
  return path.endsWith('.zst') ? zlib.createZstdDecompress({ chunkSize: CHUNK_BYTES }) : null
}

function canReadZstd(): boolean {
  return typeof zlib.createZstdDecompress === 'function'
}

/** `ENOENT` and the like. */
function codeOf(error: unknown): string {
  return error instanceof Error && 'code' in error ? String(error.code) : String(error)
}
