import { readFileSync } from 'node:fs'
import { textAt } from './json-access.ts'
import { programFile } from './program-files.ts'

/** As package.json had it when this process began: another may lie there by the time it is asked for. */
export const PROGRAM_VERSION = readVersion()

function readVersion(): string {
  const text = readFileSync(programFile('../package.json'), 'utf8')
  return textAt(JSON.parse(text), 'version') ?? 'unknown'
}
