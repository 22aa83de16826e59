import fs from 'node:fs'
import { figuresOf } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { startProgram, until } from './program.ts'

/** A copy that goes when the test is over. */
export function copyOf(folder: string): string {
  const copy = newFolder()
  fs.cpSync(folder, copy, { recursive: true })
  return copy
}

/**
 * Fills a folder with the history of a simulated market, 12 swaps a token, and kills the program:
 * all is in the journal, there is no snapshot.
 */
export async function fillWithJournal(folder: string, tokens: number): Promise<void> {
  const settings = { FEED: 'sim', SIM_TOKENS: String(tokens), SNAPSHOT_EVERY: '1h' }
  const program = await startProgram({ ...settings, DATA_DIR: folder })
  await until('a history in the journal', async () =>
    (await figuresOf(program.url)).swaps >= tokens * 12 ? true : null,
  )
  await program.end('SIGKILL')
}

/** A part of a log line (JSON) by its key. */
export function partOf(line: string, key: string): unknown {
  const value: unknown = JSON.parse(line)
  if (typeof value !== 'object' || value === null) return undefined
  return new Map<string, unknown>(Object.entries(value)).get(key)
}
