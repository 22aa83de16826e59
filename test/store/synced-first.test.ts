import { expect, test } from 'vitest'
import type { Config } from '../../src/config/config.ts'
import type { DiskFile } from '../../src/store/disk/disk.ts'
import { listDataFiles, writeWhole } from '../../src/store/folder/data-folder.ts'
import { history } from '../oracle/histories.ts'
import { begun, FOLDER, makeSnapshot, recovered, refusal, writtenFolder } from './damage/folder.ts'
import { ImageDisk, ImageFile } from './damage/image-disk.ts'
import { systemError } from './disks/crash-disk.ts'

/** Says which files were synced, and which were begun, in order. */
class TellingDisk extends ImageDisk {
  readonly told: string[] = []

  override open(path: string): DiskFile {
    this.bytesOf(path)
    return new TellingFile(this.files, path, this.told)
  }

  override create(path: string): DiskFile {
    this.told.push(`create ${path}`)
    return super.create(path)
  }
}

class TellingFile extends ImageFile {
  readonly #say: () => void

  constructor(files: Map<string, Uint8Array>, path: string, told: string[]) {
    super(files, path)
    this.#say = () => told.push(`sync ${path}`)
  }

  override sync(): void {
    this.#say()
  }

  /** One in the background that does not end in time. */
  override syncLater(): void {}
}

test('the journal that a snapshot is made of lasts before the snapshot is begun', () => {
  const events = history(5, 300)
  const whole = writtenFolder({ events, segmentsAt: [100, 200], snapshotsAt: [] })
  const disk = new TellingDisk(whole)
  const { segments } = listDataFiles(disk, FOLDER)
  makeSnapshot(disk, segments.length + 1)
  const begun = disk.told.findIndex((call) => call.startsWith('create'))
  expect(segments).toHaveLength(3)
  expect(disk.told.slice(0, begun)).toEqual(segments.map(({ path }) => `sync ${path}`))
})

test('a recovery counts nothing as safe that it has not synced, files and names', () => {
  const whole = writtenFolder({ events: history(5, 300), segmentsAt: [100, 200], snapshotsAt: [] })
  const disk = new TellingDisk(whole)
  disk.syncFolder = (folder) => disk.told.push(`sync ${folder}`)
  const { segments } = listDataFiles(disk, FOLDER)
  recovered(disk)
  const paths = segments.map(({ path }) => path)
  expect(disk.told).toEqual([...paths, FOLDER].map((path) => `sync ${path}`))
})

test('of a journal that is all kept nothing is synced again that a snapshot was made of', () => {
  const plan = { segmentsAt: [60, 120, 180, 240], snapshotsAt: [3] }
  const whole = writtenFolder({ events: history(5, 300), ...plan })
  const disk = new TellingDisk(whole)
  const { segments } = listDataFiles(disk, FOLDER)
  expect(segments).toHaveLength(5)
  const behind = segments.filter(({ number }) => number >= 3).map(({ path }) => `sync ${path}`)
  disk.syncFolder = () => {}
  recovered(disk)
  expect(disk.told.splice(0)).toEqual(behind)
  makeSnapshot(disk, 5)
  const begun = disk.told.findIndex((call) => call.startsWith('create'))
  expect(disk.told.slice(0, begun)).toEqual(behind.slice(0, -1))
})

test('a recovery that passes a damaged snapshot over syncs what is behind the one before it', () => {
  const plan = { segmentsAt: [60, 120, 180, 240], snapshotsAt: [3, 4] }
  const whole = writtenFolder({ events: history(5, 300), ...plan })
  const disk = new TellingDisk(whole)
  const { segments, snapshots } = listDataFiles(disk, FOLDER)
  disk.files.set(snapshots.at(-1)?.path ?? '', new Uint8Array(100))
  const behind = segments.filter(({ number }) => number >= 3).map(({ path }) => `sync ${path}`)
  disk.syncFolder = () => {}
  recovered(disk)
  expect(disk.told).toEqual(behind)
})

test('a file that is written whole lasts, then its name', () => {
  const calls: string[] = []
  const disk = new ImageDisk()
  disk.rename = () => calls.push('rename')
  disk.syncFolder = () => calls.push('sync folder')
  disk.create = (path) => {
    const file = new ImageFile(disk.files, path)
    disk.files.set(path, new Uint8Array(0))
    file.sync = () => calls.push('sync file')
    return file
  }
  writeWhole(disk, FOLDER, `${FOLDER}/whole`, (append) => append(new Uint8Array(8)))
  expect(calls).toEqual(['sync file', 'rename', 'sync folder'])
})

test('with fsync off the events of a full segment count as safe once it was synced, and no others', () => {
  const { journal, journaled } = begun(new ImageDisk(), { fsync: 'off' })
  journaled.events(history(3, 20))
  expect(journal.syncedSeq).toBe(0)
  journal.boundary()
  const fullSeq = journal.seq
  expect(journal.syncedSeq).toBe(fullSeq)
  journaled.events(history(4, 20))
  expect(journal.seq).toBeGreaterThan(fullSeq)
  expect(journal.syncedSeq).toBe(fullSeq)
})

const POLICIES: readonly Config['fsync'][] = ['group', 'always', 'off']

/** Writes some events and stops in order; returns the failures that were told. */
function closed(disk: ImageDisk, fsync: Config['fsync']): string[] {
  const failures: string[] = []
  const onFailure = ({ message }: Error) => failures.push(message)
  const { journal, journaled } = begun(disk, { fsync, onFailure })
  for (const event of history(3, 60)) journaled.events([event])
  journal.close()
  return failures
}

test.each(POLICIES)(
  'a byte that is damaged in a journal that was closed in order stops the start, fsync %s',
  (fsync) => {
    const disk = new ImageDisk()
    expect(closed(disk, fsync)).toEqual([])
    const [{ path }] = listDataFiles(disk, FOLDER).segments
    const bytes = new Uint8Array(disk.bytesOf(path))
    bytes[bytes.length >> 1] ^= 4
    disk.files.set(path, bytes)
    expect(refusal(disk).code).toBe('damaged')
    expect(disk.bytesOf(path)).toEqual(bytes)
  },
)

test('a journal that was closed goes on with the very seq at which it was closed', () => {
  const disk = new ImageDisk()
  const { journal, journaled } = begun(disk, { fsync: 'group' })
  journaled.events(history(3, 60))
  const { seq } = journal
  journal.close()
  expect(recovered(disk).found.place).toMatchObject({ seq, segment: 1 })
})

test('a journal whose last events are refused by the disk is not said to be closed', () => {
  const disk = new ImageDisk()
  const refusing = (file: DiskFile): DiskFile => {
    let syncs = 0
    const sync = file.sync.bind(file)
    file.sync = () => {
      syncs += 1
      if (syncs > 1) throw systemError('EIO', 'fdatasync')
      sync()
    }
    return file
  }
  const create = disk.create.bind(disk)
  disk.create = (path) => refusing(create(path))
  expect(closed(disk, 'off')).toHaveLength(1)
  const { found } = recovered(disk, 'another boot')
  expect(found).toMatchObject({ cut: null, loss: expect.stringContaining('the machine went down') })
})
