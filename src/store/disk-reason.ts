import os from 'node:os'

/** What libuv calls an error of the system that it has no name for, as a quota that is used up. */
const NAMELESS = 'UNKNOWN: unknown error'

/** Why the disk refused, in the words of the system. */
export function diskReason(error: unknown): string {
  if (!(error instanceof Error)) return String(error)
  if (!error.message.startsWith(NAMELESS)) return error.message
  const number = 'errno' in error && typeof error.errno === 'number' ? -error.errno : 0
  const [name] = Object.entries(os.constants.errno).find(([, value]) => value === number) ?? []
  return error.message.replace(NAMELESS, name ?? `error ${number} of the system`)
}
