import { expect, test } from 'vitest'
import { DAMAGED, listDataFiles } from '../../src/store/folder/data-folder.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { history } from '../oracle/histories.ts'
import { FOLDER, makeSnapshot, recovered, writtenFolder } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'
import { forged } from './forged-snapshot.ts'

/** Gives a snapshot other bytes than were written, once it has its name. */
class LyingDisk extends ImageDisk {
  readonly #change: (snapshot: Buffer<ArrayBuffer>) => Uint8Array

  constructor(whole: ImageDisk, change: (snapshot: Buffer<ArrayBuffer>) => Uint8Array) {
    super(whole)
    this.#change = change
  }

  override rename(from: string, to: string): void {
    super.rename(from, to)
    if (to.endsWith('.mfs')) this.files.set(to, this.#change(Buffer.from(this.bytesOf(to))))
  }
}

function torn(snapshot: Buffer<ArrayBuffer>): Uint8Array {
  snapshot[snapshot.length >> 1] ^= 1
  return snapshot
}

test.each([
  ['has a damaged byte', torn],
  ['is another state, whole in itself', forged],
])('a snapshot that %s when it is read back is put aside, and nothing is removed', (_, change) => {
  const events = history(5, 300)
  const whole = writtenFolder({ events, segmentsAt: [100, 200], snapshotsAt: [2] })
  const before = listDataFiles(whole, FOLDER)
  const disk = new LyingDisk(whole, change)
  expect(() => makeSnapshot(disk, before.segments.length + 1, false)).toThrow('not to be trusted')
  const after = listDataFiles(disk, FOLDER)
  expect(after.snapshots).toEqual(before.snapshots)
  expect(after.segments).toEqual(before.segments)
  expect(disk.list(FOLDER).filter((name) => name.endsWith(DAMAGED))).toHaveLength(1)
  const state = ({ engine }: ReturnType<typeof recovered>) => stateDigest(engine.parts)
  expect(state(recovered(disk))).toBe(state(recovered(whole.copy())))
})

test('of snapshots that are put aside because they do not verify one stays, however often it is tried', () => {
  const plan = { segmentsAt: [100, 200], snapshotsAt: [2] }
  const disk = new LyingDisk(writtenFolder({ events: history(5, 300), ...plan }), torn)
  const aside = () => disk.list(FOLDER).filter((name) => name.endsWith(DAMAGED))
  expect(() => makeSnapshot(disk, 3)).toThrow('not to be trusted')
  const [first] = aside()
  expect(() => makeSnapshot(disk, 4)).toThrow('not to be trusted')
  expect(aside()).toEqual([first])
  expect(listDataFiles(disk, FOLDER).snapshots).toHaveLength(1)
})
