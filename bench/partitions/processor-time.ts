import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'

setFlagsFromString('--expose-gc')
const collect: unknown = runInNewContext('gc')

/** Collects what was left behind by the work before, so that the next does not pay for it. */
export function collectYoung(): void {
  if (typeof collect === 'function') collect({ type: 'minor' })
}

/**
 * What some work gives, and the milliseconds of processor time that it takes: other programs of the machine do not
 * count.
 */
export function timed<T>(work: () => T): { readonly value: T; readonly ms: number } {
  const before = process.cpuUsage()
  const value = work()
  const { user, system } = process.cpuUsage(before)
  return { value, ms: (user + system) / 1_000 }
}
