/**
 * Writes the golden files of the present version (`node test/store/golden/make.ts`). Those of a
 * version that was published are never made anew: a change of a format is a new version, with
 * files of its own. With --answers only what the state is read as is written, for a change of the
 * answers that is none of the state.
 */
import { mkdirSync, writeFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gzipSync } from 'node:zlib'
import { FULL_SIZES } from '../damage/folder.ts'
import type { ImageDisk } from '../damage/image-disk.ts'
import {
  ANSWERS,
  EXPECTED,
  fullSizePath,
  goldenEvents,
  goldenFolder,
  goldenLines,
  HISTORY,
  OCTOBER,
  octoberWrittenNow,
  PRESENT,
  readingOf,
  SHARED,
  writtenNow,
} from './golden.ts'

const isWhole = !process.argv.includes('--answers')
const gzip = (bytes: Uint8Array | string) => gzipSync(bytes, { level: 9 })

/** Writes files, with the history and its answers in the folder `beside`. */
function make(folder: string, beside: string, write: () => ImageDisk): void {
  for (const one of [folder, beside]) mkdirSync(one, { recursive: true })
  const disk = write()
  const { state, answers } = readingOf(disk.copy(), goldenEvents(beside))
  writeFileSync(join(beside, ANSWERS), gzip(answers))
  if (!isWhole) return
  writeFileSync(join(beside, HISTORY), gzip(goldenLines(beside)))
  writeFileSync(join(folder, EXPECTED), `${JSON.stringify(state, null, 2)}\n`)
  for (const [path, bytes] of disk.files)
    if (path.endsWith('.mfs')) writeFileSync(join(folder, `${basename(path)}.gz`), gzip(bytes))
    else writeFileSync(join(folder, basename(path)), bytes)
}

make(goldenFolder(PRESENT), SHARED, () => writtenNow())
if (isWhole)
  for (const [path, bytes] of writtenNow(FULL_SIZES).files)
    if (path.endsWith('.mfs')) writeFileSync(fullSizePath(PRESENT), gzip(bytes))
make(goldenFolder(OCTOBER), goldenFolder(OCTOBER), octoberWrittenNow)
