import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import type { Conditions } from './conditions.ts'
import type { Line } from './line.ts'

const FOLDER = fileURLToPath(new URL('./results/', import.meta.url))
const FILE = `${FOLDER}bench.json`

/** A row of the goals as it came out. */
export interface RowResult {
  readonly conditions: Conditions
  readonly seconds: number
  /** What programs outside the benchmark used meanwhile, in percent of one core. */
  readonly othersPercent: number
  readonly lines: readonly Line[]
}

export type Results = Readonly<Record<string, RowResult>>

/** The newest result of each row; a row names the commit it was measured at. */
export function readResults(): Results {
  try {
    const results: Results = JSON.parse(readFileSync(FILE, 'utf8'))
    return results
  } catch {
    return {}
  }
}

export function keepResult(name: string, result: RowResult): void {
  mkdirSync(FOLDER, { recursive: true })
  writeFileSync(FILE, `${JSON.stringify({ ...readResults(), [name]: result }, null, 2)}\n`)
}
