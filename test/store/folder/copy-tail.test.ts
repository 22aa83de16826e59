import fc from 'fast-check'
import { expect, test } from 'vitest'
import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { copyTail } from '../../../src/store/folder/data-folder.ts'
import { SEGMENT_HEADER_BYTES } from '../../../src/store/format/journal-format.ts'
import { cutTail } from '../../../src/store/recovery/recovery.ts'
import { ImageDisk } from '../damage/image-disk.ts'
import { systemError } from '../disks/crash-disk.ts'

/** A disk with room for one write. */
class NearlyFull extends ImageDisk {
  override create(path: string): DiskFile {
    const file = super.create(path)
    let writes = 0
    const append = (bytes: Uint8Array) => {
      writes += 1
      if (writes > 1) throw systemError('ENOSPC', 'write')
      return file.append(bytes.subarray(0, 10))
    }
    return {
      append,
      size: () => file.size(),
      read: (into, position) => file.read(into, position),
      truncate: (size) => file.truncate(size),
      sync: () => file.sync(),
      syncLater: (done) => file.syncLater(done),
      close: () => file.close(),
    }
  }
}

test('half a copy on a full disk is taken away again: each start would leave another', () => {
  const disk = new NearlyFull()
  disk.files.set('/data/journal', new Uint8Array(1_000))
  const tail = { path: '/data/journal', byte: 100, bytes: 900 }
  expect(() => copyTail(disk, tail, '/data/journal.damaged')).toThrow('ENOSPC')
  expect([...disk.files.keys()]).toEqual(['/data/journal'])
})

test('a full disk that takes half a copy not even away says what it refused first', () => {
  const disk = new NearlyFull()
  disk.remove = () => {
    throw systemError('EROFS', 'unlink')
  }
  disk.files.set('/data/journal', new Uint8Array(1_000))
  const tail = { path: '/data/journal', byte: 100, bytes: 900 }
  expect(() => copyTail(disk, tail, '/data/journal.damaged')).toThrow('ENOSPC')
})

test('of a file that has become shorter nothing is taken for copied', () => {
  const disk = new ImageDisk()
  disk.files.set('/data/journal', new Uint8Array(999))
  const tail = { path: '/data/journal', byte: 100, bytes: 900 }
  expect(() => copyTail(disk, tail, '/data/journal.damaged')).toThrow(
    '/data/journal became shorter',
  )
  expect([...disk.files.keys()]).toEqual(['/data/journal'])
})

test('a tail that is longer than what is copied at once is copied to its end, and no further', () => {
  const disk = new ImageDisk()
  const [before, bytes] = [100, (8 << 20) + 900]
  const file = new Uint8Array(before + bytes).map((_, at) => at % 251)
  disk.files.set('/data/journal', file)
  copyTail(disk, { path: '/data/journal', byte: before, bytes }, '/data/journal.damaged')
  expect(Buffer.compare(disk.bytesOf('/data/journal.damaged'), file.subarray(before))).toBe(0)
})

/** Says what was synced, and where a file was cut, in order. */
class TellingDisk extends ImageDisk {
  readonly told: string[] = []

  override syncFolder(folder: string): void {
    this.told.push(`sync ${folder}`)
  }

  override create(path: string): DiskFile {
    return this.#telling(super.create(path), path)
  }

  override open(path: string): DiskFile {
    return this.#telling(super.open(path), path)
  }

  #telling(file: DiskFile, path: string): DiskFile {
    const truncate = file.truncate.bind(file)
    file.truncate = (size) => {
      this.told.push(`cut ${path}`)
      truncate(size)
    }
    file.sync = () => this.told.push(`sync ${path}`)
    return file
  }
}

test('what a start puts aside is on the disk, with its name, before it goes where it was', () => {
  const disk = new TellingDisk()
  const path = '/data/journal-0000000000000001.mfj'
  disk.files.set(path, new Uint8Array(400))
  const cut = { path, byte: 200, bytes: 200, frames: 1, dropped: [], isUnfinished: false }
  const copy = `${path}.from-byte-200.damaged`
  expect(cutTail(disk, '/data', cut)).toEqual([copy])
  const inOrder = [`sync ${copy}`, 'sync /data', `cut ${path}`, `sync ${path}`, 'sync /data']
  expect(disk.told).toEqual(inOrder)
})

test('whatever is cut, all but half a write is put aside, under names that nothing had', () => {
  const path = (index: number) => `/data/journal-000000000000000${index}.mfj`
  const lengths = fc.integer({ min: 0, max: 2 * SEGMENT_HEADER_BYTES })
  const byte = fc.oneof(fc.constant(SEGMENT_HEADER_BYTES), lengths)
  const about = fc.record({ byte, tail: lengths, dropped: fc.nat(3), earlier: fc.nat(3) })
  fc.assert(
    fc.property(about, fc.boolean(), ({ byte, tail, dropped, earlier }, mayBeUnfinished) => {
      const disk = new ImageDisk()
      const image = (from: number, length: number) =>
        Uint8Array.from({ length }, (_, at) => from + at)
      const later = Array.from({ length: dropped }, (_, i) => path(i + 2))
      for (const [i, name] of [path(1), ...later].entries())
        disk.files.set(name, image(i, byte + tail))
      // What earlier starts have put aside of the same places.
      for (const name of [path(1), ...later, `${path(1)}.from-byte-${byte}`])
        for (let i = 1; i <= earlier; i++)
          disk.files.set(`${name}${i === 1 ? '' : `.${i}`}.damaged`, image(i, 9))
      const before = disk.copy()
      const isUnfinished = mayBeUnfinished && dropped === 0
      const cut = { path: path(1), byte, bytes: tail, frames: 0, dropped: later, isUnfinished }
      const aside = cutTail(disk, '/data', cut)
      const isWhole = byte < SEGMENT_HEADER_BYTES
      const whatWent = [
        ...later.toReversed().map((name) => before.bytesOf(name)),
        ...(isUnfinished ? [] : [before.bytesOf(path(1)).subarray(isWhole ? 0 : byte)]),
      ]
      expect(aside.map((name) => Buffer.from(disk.bytesOf(name)))).toEqual(
        whatWent.map((bytes) => Buffer.from(bytes)),
      )
      for (const name of aside) {
        expect(name).toMatch(/\.damaged$/)
        expect(before.files.has(name)).toBe(false)
        disk.files.delete(name)
      }
      for (const name of later) before.files.delete(name)
      if (isWhole) before.files.delete(path(1))
      else before.files.set(path(1), image(0, byte))
      expect(disk.files).toEqual(before.files)
    }),
  )
})
