import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

let gc: (() => void) | null = null

/** Collects all garbage of V8's heap; what it held outside follows a moment later. */
export function collectGarbage(): void {
  gc ??= madeCollector()
  gc()
}

/** V8 shows its collector to contexts that are made while the flag is set. */
function madeCollector(): () => void {
  setFlagsFromString('--expose-gc')
  const made: unknown = runInNewContext('gc')
  setFlagsFromString('--no-expose-gc')
  if (typeof made !== 'function') throw new Error('V8 does not show its collector')
  return () => void made()
}
