import fs from 'node:fs'
import { join } from 'node:path'
import { figuresOf } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { startProgram, until } from './program.ts'

/** A copy that goes when the test is over. */
export function copyOf(folder: string): string {
  const copy = newFolder()
  fs.cpSync(folder, copy, { recursive: true })
  return copy
}

/** Paths of its files that begin with this, in order of their numbers. */
export function filesOf(folder: string, start: 'journal-' | 'snapshot-' | 'tape-'): string[] {
  const names = fs.readdirSync(folder).filter((name) => name.startsWith(start))
  return names.sort().map((name) => join(folder, name))
}

/** Turns one byte of a file over. */
export function spoil(path: string, at: number): void {
  const bytes = fs.readFileSync(path)
  bytes[at] ^= 0xff
  fs.writeFileSync(path, bytes)
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
