import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'

const repoRoot = join(import.meta.dirname, '..', '..')

/** Recorded chain data; not part of the repository. */
export const DATA = process.env.MINTFEED_DATA ?? join(repoRoot, '..', 'shared', 'data')
export const hasData = existsSync(join(DATA, 'golden'))
/** Stands in the name of tests that are skipped without the data. */
export const withData = hasData ? '' : ' (skipped: no recorded data, set MINTFEED_DATA)'

export function dataFile(...path: string[]): string {
  return join(DATA, ...path)
}

export function dataText(...path: string[]): string {
  return readFileSync(dataFile(...path), 'utf8')
}

export function dataLines(...path: string[]): string[] {
  return dataText(...path)
    .split('\n')
    .filter((line) => line !== '')
}
