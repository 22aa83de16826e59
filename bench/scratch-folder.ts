import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'

export interface ScratchFolder {
  readonly path: string
  remove(): void
}

/** A new folder in the system's temporary one; gone at the end of the process at the latest. */
export function scratchFolder(): ScratchFolder {
  const path = mkdtempSync(join(tmpdir(), 'mintfeed-bench-'))
  const remove = () => {
    process.off('exit', remove)
    rmSync(path, { recursive: true, force: true })
  }
  process.on('exit', remove)
  return { path, remove }
}
