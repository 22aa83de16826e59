import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'
import { LRUCache } from 'lru-cache'
import type { Coding } from './content-coding.ts'
import { BROTLI_QUALITY, GZIP_LEVEL, MAX_ENCODED_BODIES, MIN_COMPRESSED_BYTES } from './limits.ts'

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

/** Turns answers into bytes; texts that come again are encoded, hashed and compressed once. */
export interface BodyEncoder {
  encode(text: string): EncodedBody
  /** Flat figures for /readyz and /metrics. */
  figures(): Readonly<Record<string, number>>
}

export function bodyEncoder(maxBytes: number): BodyEncoder {
  const known = new LRUCache<string, EncodedBody>({
    max: MAX_ENCODED_BODIES,
    maxSize: maxBytes,
    sizeCalculation: (body) => body.length * KEPT_FORMS,
  })
  let hits = 0
  let misses = 0
  return {
    figures: () => ({
      text_cache_hits_total: hits,
      text_cache_misses_total: misses,
      text_cache_bytes: known.calculatedSize,
    }),
    encode(text) {
      if (text.length < MIN_COMPRESSED_BYTES) return encodeBody(text)
      const kept = known.get(text)
      if (kept !== undefined) {
        hits++
        return kept
      }
      misses++
      const body = encodeBody(text)
      known.set(text, body)
      return body
    },
  }
}

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
      const done = compressed.get(coding) ?? compress(bytes, coding)
      compressed.set(coding, done)
      return done
    },
  }
}

function compress(bytes: Buffer, coding: Coding): Buffer {
  if (coding === 'gzip') return gzipSync(bytes, { level: GZIP_LEVEL })
  const { BROTLI_PARAM_QUALITY, BROTLI_PARAM_SIZE_HINT } = constants
  return brotliCompressSync(bytes, {
    params: { [BROTLI_PARAM_QUALITY]: BROTLI_QUALITY, [BROTLI_PARAM_SIZE_HINT]: bytes.length },
  })
}
