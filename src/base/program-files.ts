import { readFileSync } from 'node:fs'
import { fileURLToPath } from 'node:url'
import { textAt } from './json-access.ts'

/** Modules that run by themselves, by the name of their file in the bundle; paths within `src`. */
export const ENTRIES = {
  main: 'main.ts',
  launch: 'store/compaction/launch.ts',
  compact: 'store/compaction/compact.ts',
  'checkpoint-worker': 'alerts/checkpoint-worker.ts',
  'segment-prefetcher-worker': 'store/journal/segment-prefetcher-worker.ts',
} as const

/** Files that the program reads; the bundle has them at the same paths. */
export const ASSETS = { geyser: 'feeds/yellowstone/geyser.proto' } as const

const IS_BUNDLE = import.meta.url.endsWith('.js')
/** `src`; `dist` when the program runs from the bundle that packaging/bundle.ts makes. */
const FOLDER = new URL(IS_BUNDLE ? './' : '../', import.meta.url)

/** A module to start a process or a thread with. */
export function entryFile(entry: keyof typeof ENTRIES): string {
  return programFile(IS_BUNDLE ? `${entry}.js` : ENTRIES[entry])
}

/** A file of the program; `path` from `src`, or from `dist`. */
export function programFile(path: string): string {
  return fileURLToPath(new URL(path, FOLDER))
}

/** The version in package.json at the start of this process: a later read could find another one. */
export const PROGRAM_VERSION = readVersion()

function readVersion(): string {
  const text = readFileSync(programFile('../package.json'), 'utf8')
  return textAt(JSON.parse(text), 'version') ?? 'unknown'
}
