/**
 * Writes the golden files of the present version (`node test/store/golden/make.ts`). Those of a
 * version that was published are never made anew: a change of a format is a new version, with
 * files of its own. With --answers only what the state is read as is written, for a change of the
 * answers that is none of the state.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import {
  ANSWERS,
  EXPECTED,
  goldenFolder,
  goldenLines,
  HISTORY,
  PRESENT,
  readingOf,
  SHARED,
  writtenNow,
} from './golden.ts'

const folder = goldenFolder(PRESENT)

function write(name: string, bytes: Uint8Array | string): void {
  writeFileSync(join(folder, name), bytes)
}

mkdirSync(folder, { recursive: true })
const disk = writtenNow()
const { state, answers } = readingOf(disk.copy())
writeFileSync(join(SHARED, ANSWERS), gzipSync(answers, { level: 9 }))
if (!process.argv.includes('--answers')) {
  writeFileSync(join(SHARED, HISTORY), gzipSync(goldenLines(), { level: 9 }))
  write(EXPECTED, `${JSON.stringify(state, null, 2)}\n`)
  for (const [path, bytes] of disk.files)
    if (path.endsWith('.mfs')) write(`${basename(path)}.gz`, gzipSync(bytes, { level: 9 }))
    else write(basename(path), bytes)
}
