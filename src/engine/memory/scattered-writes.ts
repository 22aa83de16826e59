/** What the system gives memory by, to whoever writes to it first. */
const PAGE_BYTES = 4_096

/** Of a zeroed array's bytes those that are expected to lie in pages that `writes` to places all over it never met. */
export function untouchedByScattered(bytes: number, writes: number): number {
  return Math.floor(bytes * Math.exp((-writes * PAGE_BYTES) / bytes))
}
