import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import {
  ANSWERS,
  EXPECTED,
  goldenFolder,
  keptFiles,
  PRESENT,
  readingOf,
  SHARED,
  VERSIONS,
  writtenNow,
} from './golden/golden.ts'

const expected: unknown = JSON.parse(readFileSync(join(goldenFolder(PRESENT), EXPECTED), 'utf8'))
const answers = gunzipSync(readFileSync(join(SHARED, ANSWERS))).toString('utf8')
const RAISE =
  'this program writes or reads another format than the present version: raise the version of that ' +
  'format (journal-format.ts, snapshot-format.ts, tape-chunk.ts), add an upgrade ' +
  '(format-upgrades.ts) and golden files of the new version; those of older ones stay'

for (const version of VERSIONS) {
  test(`the files of ${version} are two segments, a snapshot and a chunk of the tape`, () => {
    const endings = [...keptFiles(version).files.keys()].map((path) => path.slice(-3)).sort()
    expect(endings).toEqual(['mfj', 'mfj', 'mfs', 'mft'])
  })

  test(`snapshot and journal of ${version} are read to the answers that were given`, () => {
    const { state, answers: given } = readingOf(keptFiles(version))
    expect(state).toMatchObject({ seq: 120, snapshotSeq: 106 })
    expect(
      given === answers,
      'the answers are others: node test/store/golden/make.ts --answers',
    ).toBe(true)
  })

  test(`the journal of ${version} alone is read to the present state`, () => {
    const disk = keptFiles(version)
    for (const path of [...disk.files.keys()]) if (path.endsWith('.mfs')) disk.files.delete(path)
    const { state } = readingOf(disk)
    const { state: usual } = readingOf(keptFiles(PRESENT))
    expect(state, RAISE).toEqual({ ...usual, snapshotSeq: 0 })
  })
}

test('the present version is read to the very state that was written', () => {
  expect(readingOf(keptFiles(PRESENT)).state, RAISE).toEqual(expected)
})

test('the same history is written as the very bytes of the present version', () => {
  const kept = keptFiles(PRESENT)
  const now = writtenNow()
  expect([...now.files.keys()].sort(), RAISE).toEqual([...kept.files.keys()].sort())
  for (const [path, bytes] of kept.files) {
    const at = firstUnlike(now.bytesOf(path), bytes)
    expect(at, `${basename(path)} differs from byte ${at} on: ${RAISE}`).toBe(-1)
  }
})

/** First byte in which two files differ; -1 for none. */
function firstUnlike(actual: Uint8Array, kept: Uint8Array): number {
  if (Buffer.compare(actual, kept) === 0) return -1
  let at = 0
  while (actual[at] === kept[at] && at < kept.length) at += 1
  return at
}
