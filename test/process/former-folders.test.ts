import fs from 'node:fs'
import { basename, join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { fullSizeFiles, VERSIONS, type Version } from '../store/golden/golden.ts'
import { partOf } from './data-folders.ts'
import { startProgram } from './program.ts'

/** The former versions: of 0.9.14 and of 0.9.22. */
const FORMER: readonly Version[] = VERSIONS.slice(0, -1)

test.each(FORMER)('the program starts from the snapshot in a folder of %s', async (version) => {
  const folder = newFolder()
  for (const [path, bytes] of fullSizeFiles(version).files)
    fs.writeFileSync(join(folder, basename(path)), bytes)
  const program = await startProgram({ FEED: 'none', DATA_DIR: folder })
  const recovered = await program.seen(/"msg":"recovered"/)
  expect([partOf(recovered, 'snapshotSeq'), partOf(recovered, 'seq')]).toEqual([106, 120])
  expect(program.lines.filter((line) => line.includes('damaged'))).toEqual([])
  expect(await program.end('SIGTERM')).toBe(0)
  expect(fs.readdirSync(folder).filter((name) => name.endsWith('.damaged'))).toEqual([])
})
