import { mkdtempSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removedFolder } from './removed-folder.ts'

/**
 * Gives one run of the tests a folder for all its temporary files, and removes it at the end: what
 * tests, and browsers and services they start, leave behind must not fill the disk of who runs them.
 */
export default function scratchFolders(): () => Promise<void> {
  const folder = mkdtempSync(join(tmpdir(), 'mintfeed-tests-'))
  process.env.TMPDIR = folder
  return () => removedFolder(folder)
}
