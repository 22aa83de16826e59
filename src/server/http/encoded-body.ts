import { hash } from 'node:crypto'
import { brotliCompressSync, constants, gzipSync } from 'node:zlib'

/** Bodies below this size cost more to compress than they save on the wire. */
const MIN_COMPRESSED_BYTES = 1024

/** Brotli's quality: 4 compresses as well as gzip's default at about its speed. */
const BROTLI_QUALITY = 4

/** Gzip's level: 4 is a third of the time of 6 for a few percent more bytes. */
const GZIP_LEVEL = 4

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
/** The codings this server writes, in the order it prefers them. */
export const CODINGS = ['br', 'gzip'] as const
const Q_VALUE = /^q\s*=\s*(0(?:\.\d{0,3})?|1(?:\.0{0,3})?)$/

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

export type Coding = (typeof CODINGS)[number]

/**
 * The coding to answer in, null for none: the client's highest q-value wins, `br` wins a tie, q=0
 * refuses (RFC 9110 section 12.5.3). Coding "identity" is always available.
 */
export function negotiateCoding(acceptEncoding: string): Coding | null {
  if (acceptEncoding === '') return null
  const weights = parseWeights(acceptEncoding)
  const identity = weights.get('identity') ?? 0
  let best: Coding | null = null
  let bestWeight = 0
  for (const coding of CODINGS) {
    const weight = weights.get(coding) ?? weights.get('*') ?? 0
    if (weight > bestWeight && weight >= identity) {
      best = coding
      bestWeight = weight
    }
  }
  return best
}

function parseWeights(acceptEncoding: string): ReadonlyMap<string, number> {
  const weights = new Map<string, number>()
  for (const item of acceptEncoding.toLowerCase().split(',')) {
    const [name, ...parameters] = item.split(';').map((part) => part.trim())
    // x-gzip is gzip's old name (RFC 9110 section 8.4.1.3).
    weights.set(name === 'x-gzip' ? 'gzip' : name, weightOf(parameters))
  }
  return weights
}

/** A q that cannot be read refuses the coding: the plain body is never wrong. */
function weightOf(parameters: readonly string[]): number {
  const q = parameters.find((parameter) => parameter.startsWith('q'))
  if (q === undefined) return 1
  const match = Q_VALUE.exec(q)
  return match === null ? 0 : Number(match[1])
}
