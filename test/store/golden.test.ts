import { readFileSync } from 'node:fs'
import { basename, join } from 'node:path'
import { gunzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { RESERVES_REASONS } from '../../src/events/event.ts'
import { FULL_SIZES, refusal } from './damage/folder.ts'
import type { ImageDisk } from './damage/image-disk.ts'
import {
  ANSWERS,
  EXPECTED,
  type ExpectedState,
  fullSizeFiles,
  fullSizePath,
  goldenEvents,
  goldenFolder,
  JOURNALS,
  keptFiles,
  OCTOBER,
  OCTOBERS_BEFORE,
  octoberWrittenNow,
  PRESENT,
  REFUSED,
  readingOf,
  SHARED,
  VERSIONS,
  writtenNow,
} from './golden/golden.ts'

const expected: unknown = JSON.parse(readFileSync(join(goldenFolder(PRESENT), EXPECTED), 'utf8'))
const answers = gunzipSync(readFileSync(join(SHARED, ANSWERS))).toString('utf8')
/** Positions in snapshots of before October 2026 have the PnL of the clamps of then. */
const answersBefore = gunzipSync(readFileSync(join(goldenFolder('v10'), ANSWERS))).toString('utf8')
const SINCE_OCTOBER: readonly string[] = ['v11', 'v12', 'v13', 'v14', 'v15', PRESENT]
const RAISE =
  'this program writes or reads another format than the present version: raise the version of that ' +
  'format (journal-format.ts, snapshot-format.ts, tape-chunk.ts), add an upgrade ' +
  '(format-upgrades.ts) and golden files of the new version; those of the version before stay'

for (const version of [...VERSIONS, ...OCTOBERS_BEFORE, OCTOBER] as const)
  test(`the files of ${version} are two segments, a snapshot and a chunk of the tape`, () => {
    const endings = [...keptFiles(version).files.keys()].map((path) => path.slice(-3)).sort()
    expect(endings).toEqual(['mfj', 'mfj', 'mfs', 'mft'])
  })

for (const version of VERSIONS) {
  test(`snapshot and journal of ${version} are read to the answers that were given`, () => {
    const { state, answers: given } = readingOf(keptFiles(version))
    expect(state).toMatchObject({ seq: 120, snapshotSeq: 106 })
    expect(
      given === (SINCE_OCTOBER.includes(version) ? answers : answersBefore),
      'the answers are others: node test/store/golden/make.ts --answers',
    ).toBe(true)
  })
}

for (const version of JOURNALS)
  test(`the journal of ${version} alone is read to the present state`, () => {
    const disk = keptFiles(version)
    for (const path of [...disk.files.keys()]) if (path.endsWith('.mfs')) disk.files.delete(path)
    const { state } = readingOf(disk)
    const { state: usual } = readingOf(keptFiles(PRESENT))
    expect(state, RAISE).toEqual({ ...usual, snapshotSeq: 0 })
  })

test('a snapshot of 0.9.13 is refused, and the sentence tells the release that still converts it', () => {
  const disk = keptFiles('v9')
  const path = [...disk.files.keys()].find((one) => one.endsWith('.mfs')) ?? ''
  disk.files.set(path, gunzipSync(readFileSync(fullSizePath(REFUSED))))
  const before = new Map(disk.files)
  const { code, message } = refusal(disk)
  expect(code).toBe('older_version')
  expect(message).toBe(
    `${path} has version 8 of its format, which this mintfeed does not read any more: start mintfeed 0.9.25 with ` +
      'this DATA_DIR, let it take events for a minute, stop it, then start this one (or another DATA_DIR).',
  )
  expect(disk.files).toEqual(before)
  // The journal is read whatever version wrote it.
  disk.files.delete(path)
  expect(readingOf(disk).state).toMatchObject({ seq: 120, snapshotSeq: 0 })
})

for (const version of VERSIONS)
  test(`the folder that the program of ${version} left starts from its snapshot, to the answers that were given`, () => {
    const disk = fullSizeFiles(version)
    const { state, answers: given } = readingOf(disk, goldenEvents(), FULL_SIZES)
    expect(state).toMatchObject({ seq: 120, snapshotSeq: 106 })
    expect([...disk.files.keys()].filter((path) => !/\.mf[js]$/.test(path))).toEqual([])
    expect(
      given === (SINCE_OCTOBER.includes(version) ? answers : answersBefore),
      'the answers are others: node test/store/golden/make.ts --answers',
    ).toBe(true)
  })

test('a snapshot as the program has it is written as its very bytes', () => {
  expectSame(writtenNow(FULL_SIZES), fullSizeFiles(PRESENT))
})

test('the present version is read to the very state that was written', () => {
  expect(readingOf(keptFiles(PRESENT)).state, RAISE).toEqual(expected)
})

test('the history of October 2026 has every kind and key that came then, late ones among them', () => {
  const events = goldenEvents(goldenFolder(OCTOBER))
  const counted = new Map<string, number>()
  const count = (what: string) => counted.set(what, (counted.get(what) ?? 0) + 1)
  let newest = 0
  for (const event of events) {
    count(event.type)
    if (event.type === 'reserves') count(event.reason)
    for (const key of ['lpFeeRaw', 'cashbackRaw', 'route', 'quoteDecimals', 'supplyRaw'])
      if (key in event) count(`${event.type} ${key}`)
    const slot = 'slot' in event ? (event.slot ?? 0) : newest
    if (slot < newest) count(`${event.type} late`)
    newest = Math.max(newest, slot)
  }
  for (const what of ['swap', 'balance', 'reserves', ...RESERVES_REASONS])
    expect(counted.get(what), what).toBeGreaterThan(1)
  const keys = ['lpFeeRaw', 'cashbackRaw', 'route', 'quoteDecimals'].map((key) => `swap ${key}`)
  for (const what of [...keys, 'token_created quoteDecimals', 'reserves supplyRaw'])
    expect(counted.get(what), what).toBeGreaterThan(0)
  for (const type of ['swap', 'reserves', 'balance'])
    expect(counted.get(`${type} late`), type).toBeGreaterThan(0)
})

test('the history of October 2026 is written as its very bytes, and read to its state and answers', () => {
  const folder = goldenFolder(OCTOBER)
  expectSame(octoberWrittenNow(), keptFiles(OCTOBER))
  const kept = gunzipSync(readFileSync(join(folder, ANSWERS))).toString('utf8')
  const present: ExpectedState = JSON.parse(readFileSync(join(folder, EXPECTED), 'utf8'))
  const [first] = OCTOBERS_BEFORE
  // Before version 14 an image of a position took more of the undo log, so that its places are others.
  const { digest } = readingOf(keptFiles(first), goldenEvents(folder)).state
  for (const version of [...OCTOBERS_BEFORE, OCTOBER] as const) {
    const { state, answers: given } = readingOf(keptFiles(version), goldenEvents(folder))
    expect(state, RAISE).toEqual(version === OCTOBER ? present : { ...present, digest })
    expect(given === kept, 'the answers are others: node test/store/golden/make.ts --answers').toBe(
      true,
    )
  }
})

test('the same history is written as the very bytes of the present version', () => {
  expectSame(writtenNow(), keptFiles(PRESENT))
})

function expectSame(now: ImageDisk, kept: ImageDisk): void {
  expect([...now.files.keys()].sort(), RAISE).toEqual([...kept.files.keys()].sort())
  for (const [path, bytes] of kept.files) {
    const at = firstUnlike(now.bytesOf(path), bytes)
    expect(at, `${basename(path)} differs from byte ${at} on: ${RAISE}`).toBe(-1)
  }
}

/** First byte in which two files differ; -1 for none. */
function firstUnlike(actual: Uint8Array, kept: Uint8Array): number {
  if (Buffer.compare(actual, kept) === 0) return -1
  let at = 0
  while (actual[at] === kept[at] && at < kept.length) at += 1
  return at
}
