/**
 * Doubles that V8 does not count as garbage to come: it collects for every few megabytes of other
 * buffers. Nobody shares them (see `Rows`).
 */
export function sharedF64(length: number): Float64Array {
  return new Float64Array(new SharedArrayBuffer(length * Float64Array.BYTES_PER_ELEMENT))
}
