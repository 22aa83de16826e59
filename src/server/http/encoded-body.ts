import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { BROTLI_QUALITY, GZIP_LEVEL, MIN_COMPRESSED_BYTES } from '../load/limits.ts'
import type { Coding } from './content-coding.ts'

/** A body as bytes, with what is derived from it on demand and then kept. */
export interface EncodedBody {
  readonly bytes: Buffer
  readonly length: number
  /** Weak: the same for every coding of the body. */
  etag(): string
  /** The body in a coding, null when it is too small to be worth it. */
  compressed(coding: Coding): Buffer | null
}

/** A kept body's bytes, its key or text, and both compressed forms, in bytes of the body. */
export const KEPT_FORMS = 3

/** A text, or bytes that never change, as a body. */
export function encodeBody(body: string | Buffer): EncodedBody {
  const bytes = typeof body === 'string' ? Buffer.from(body) : body
  const compressed = new Map<Coding, Buffer>()
  let etag: string | null = null
  return {
    bytes,
    length: bytes.length,
    etag() {
      etag ??= `W/"${hash('sha1', bytes, 'base64url')}"`
      return etag
    },
    compressed(coding) {
      if (bytes.length < MIN_COMPRESSED_BYTES) return null
      const done = compressed.get(coding) ?? ownBytes(compress(bytes, coding))
      compressed.set(coding, done)
      return done
    },
  }
}

/**
 * The bytes in memory that is theirs alone. Node puts short ones together into pieces of 8 KB and what
 * zlib writes into pieces of 16 KB, and the least of them keeps the whole piece.
 */
export function ownBytes(bytes: Buffer): Buffer {
  if (bytes.buffer.byteLength === bytes.length) return bytes
  const own = Buffer.allocUnsafeSlow(bytes.length)
  bytes.copy(own)
  return own
}

function compress(bytes: Buffer, coding: Coding): Buffer {
  if (coding === 'gzip') return gzipSync(bytes, { level: GZIP_LEVEL })
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
}
