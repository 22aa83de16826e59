import { programName } from '../layouts/programs.ts'
import type { EmittedBytes } from './program-logs.ts'

/** Anchor's tag of `emit_cpi!`: the program calls itself with tag, discriminator and fields. */
const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex')

/**
 * The event in one instruction that a program called; null when it carries none. Only the program
 * itself can sign with its event authority, so the called program is the one that emitted.
 */
export function eventOfInstruction(programAddress: string, data: Uint8Array): EmittedBytes | null {
  const program = programName(programAddress)
  if (program === null || data.length < EVENT_TAG.length) return null
  if (EVENT_TAG.compare(data, 0, EVENT_TAG.length) !== 0) return null
  return { program, bytes: data.subarray(EVENT_TAG.length) }
}
