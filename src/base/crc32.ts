import zlib from 'node:zlib'

/** The CRC-32 of zlib over some bytes, going on from that of the bytes before them. */
type Crc32 = (bytes: Uint8Array, before?: number) => number

/** Bytes that the sums of the package are compared on with those of Node. */
const TRIED = Buffer.from('Every frame has a sum over the one before. '.repeat(8))
const TRIED_LENGTHS: readonly number[] = [0, 1, 15, 64, 129, TRIED.length]

/**
 * The sum in all files of a data folder. Node's uses tables, 8 KB that each sum loads into the nearest cache; the
 * package's uses instructions of the processor, twice as fast (docs/decisions/0022-sums-without-tables.md).
 */
export const crc32: Crc32 = await fastestCrc32(() => import('@node-rs/crc32'))

/** That of the package, or Node's on a machine that the package has no build for, or where it is not installed. */
export async function fastestCrc32(load: () => Promise<{ readonly crc32: Crc32 }>): Promise<Crc32> {
  try {
    const { crc32: native } = await load()
    return isRight(native) ? native : zlib.crc32
  } catch {
    return zlib.crc32
  }
}

/** Does it give Node's sums? With others no existing file could be read. */
function isRight(native: Crc32): boolean {
  return TRIED_LENGTHS.every((length) => {
    const bytes = TRIED.subarray(0, length)
    const before = zlib.crc32(bytes)
    return native(bytes) === before && native(TRIED, before) === zlib.crc32(TRIED, before)
  })
}
