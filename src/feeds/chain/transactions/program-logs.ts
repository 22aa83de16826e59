import { type ProgramName, programName } from '../layouts/programs.ts'

/** Event bytes as a program emitted them: discriminator and fields. */
export interface EmittedBytes {
  readonly program: ProgramName
  readonly bytes: Uint8Array
}

const DATA_PREFIX = 'Program data: '
/** Last line of a log that the validator cut. */
export const LOG_TRUNCATED = 'Log truncated'
const INVOKE = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) invoke \[(\d{1,3})\]$/
const END = /^Program ([1-9A-HJ-NP-Za-km-z]{32,44}) (?:success$|failed)/
/** Anchor's tag of `emit_cpi!`: the program calls itself with tag, discriminator and fields. */
const EVENT_TAG = Buffer.from('e445a52e51cb9a1d', 'hex')

/**
 * Event bytes from program logs. Data lines name no program, so the stack of invocations says
 * whose they are: discriminators of the two programs collide.
 *
 * Reading ends at `Log truncated`. The validator drops only the lines that are too long there and
 * goes on with shorter ones, so neither the stack nor the ordinals hold after it.
 */
export function eventsOfLogs(lines: readonly string[]): {
  readonly emitted: readonly EmittedBytes[]
  /** The validator cut the log: later events of the transaction are missing. */
  readonly truncated: boolean
} {
  const stack: string[] = []
  const emitted: EmittedBytes[] = []
  for (const line of lines) {
    if (line === LOG_TRUNCATED) return { emitted, truncated: true }
    if (!line.startsWith('Program ')) continue
    if (line.startsWith(DATA_PREFIX)) {
      const program = programName(stack.at(-1) ?? '')
      if (program !== null) emitted.push({ program, bytes: dataOf(line) })
    } else if (!line.startsWith('Program log: ')) {
      followInvocation(stack, line)
    }
  }
  return { emitted, truncated: false }
}

/** `sol_log_data` writes several slices with blanks between; an event is the first. */
function dataOf(line: string): Uint8Array {
  const end = line.indexOf(' ', DATA_PREFIX.length)
  return Buffer.from(line.slice(DATA_PREFIX.length, end < 0 ? undefined : end), 'base64')
}

function followInvocation(stack: string[], line: string): void {
  const [, program, depth] = INVOKE.exec(line) ?? []
  if (program !== undefined) {
    // The depth is given: a lost line does not shift everything after it.
    stack.length = Math.min(stack.length, Math.max(Number(depth) - 1, 0))
    stack.push(program)
    return
  }
  const end = END.exec(line)
  if (end !== null && end[1] === stack.at(-1)) stack.pop()
}

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
