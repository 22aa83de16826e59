import { crc32 } from 'node:zlib'
import { expect, test } from 'vitest'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import {
  type Contents,
  FOOTER,
  SNAPSHOT_FOOTER_BYTES,
  stateDigest,
} from '../../src/store/snapshot/snapshot-file.ts'
import { history } from '../oracle/histories.ts'
import { FOLDER, recovered, writtenFolder } from './damage/folder.ts'

const whole = writtenFolder({ events: history(5, 120), segmentsAt: [90], snapshotsAt: [2] })
const [{ path }] = listDataFiles(whole, FOLDER).snapshots

/** A snapshot with another table of contents, with everything else as it would be with that. */
function withContents(change: (contents: Contents) => unknown): Uint8Array {
  const snapshot = Buffer.from(whole.bytesOf(path))
  const end = snapshot.length - SNAPSHOT_FOOTER_BYTES
  const footer = Buffer.from(snapshot.subarray(end))
  const contentsAt = footer.readDoubleLE(FOOTER.contentsAt)
  const contents: Contents = JSON.parse(snapshot.toString('utf8', contentsAt, end))
  const changed = Buffer.from(JSON.stringify(change(contents)))
  footer.writeDoubleLE(changed.length, FOOTER.contentsBytes)
  footer.writeUInt32LE(crc32(changed), FOOTER.crc)
  return Buffer.concat([snapshot.subarray(0, contentsAt), changed, footer])
}

const inParts =
  (change: (parts: Contents['parts']) => readonly object[]) => (contents: Contents) => ({
    ...contents,
    parts: change(contents.parts),
  })

/** Changes the first part that has bytes. */
const inPart = (change: (part: Contents['parts'][number]) => object) =>
  inParts((parts) => {
    const at = parts.findIndex(({ bytes }) => bytes > 0)
    return parts.map((part, i) => (i === at ? { ...part, ...change(part) } : part))
  })

test('a table of contents that says what was written is read', () => {
  const disk = whole.copy()
  disk.files.set(
    path,
    withContents((contents) => contents),
  )
  expect(recovered(disk).found).toMatchObject({ snapshotSeq: 90, damagedSnapshots: [] })
})

test.each<[string, (contents: Contents) => unknown]>([
  ['nothing', () => null],
  ['a list', () => []],
  ['no seq', ({ seq: _, ...others }) => others],
  ['no parts', inParts(() => [])],
  ['a part less', inParts((parts) => parts.slice(0, -1))],
  ['a part more', inParts((parts) => [...parts, ...parts.slice(-1)])],
  ['parts in another order', inParts((parts) => parts.toReversed())],
  ['another name of a part', inPart(() => ({ name: 'other' }))],
  ['another crc of a part', inPart(({ crc }) => ({ crc: (crc ^ 1) >>> 0 }))],
  ['more bytes of a part', inPart(({ bytes }) => ({ bytes: bytes + 8 }))],
  ['a part that stands elsewhere', inPart(({ at }) => ({ at: at + 8 }))],
  ['a part behind the end', inPart(() => ({ at: 2 ** 40 }))],
  ['facts that no part has', inPart(({ facts }) => ({ facts: facts.map(() => -2) }))],
  ['no facts', inPart(() => ({ facts: [] }))],
])('a snapshot whose table of contents says %s is damaged, whatever its crcs say', (_, change) => {
  const disk = whole.copy()
  disk.files.set(path, withContents(change))
  const { engine, found } = recovered(disk)
  expect(found).toMatchObject({ snapshotSeq: null, damagedSnapshots: [path] })
  expect(stateDigest(engine.parts)).toBe(stateDigest(recovered(whole.copy()).engine.parts))
})

test('events behind a snapshot in a segment that it counts as before it are of another folder, and none is left out', () => {
  const disk = whole.copy()
  const at = (segment: number) =>
    disk.files.set(
      path,
      withContents((contents) => ({ ...contents, segment })),
    )
  at(7)
  expect(() => recovered(disk)).toThrow(/0002\.mfj has events from seq 90 on, .* as one before it/)
  // The segments before hold events of before it alone.
  at(2)
  expect(recovered(disk).engine.seq).toBe(recovered(whole.copy()).engine.seq)
})
