import { readFileSync } from 'node:fs'
import { programFile } from './program-files.ts'

/** As package.json had it when this process began: another may lie there by the time it is asked for. */
export const PROGRAM_VERSION = readVersion()

function readVersion(): string {
  const fields: unknown = JSON.parse(readFileSync(programFile('../package.json'), 'utf8'))
  const isNamed = typeof fields === 'object' && fields !== null && 'version' in fields
  return isNamed ? String(fields.version) : 'unknown'
}
