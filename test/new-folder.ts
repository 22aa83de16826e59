import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { onTestFinished } from 'vitest'
import { removedFolder } from './removed-folder.ts'

/** A new folder that goes when the test is over. */
export function newFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), 'mintfeed-'))
  onTestFinished(() => removedFolder(folder))
  return folder
}
