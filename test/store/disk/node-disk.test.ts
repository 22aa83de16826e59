import fs from 'node:fs'
import os from 'node:os'
import { join } from 'node:path'
import { afterEach, expect, test, vi } from 'vitest'
import { ReadOnlyDisk } from '../../../src/commands/read-only-disk.ts'
import { appendAll, readAll } from '../../../src/store/disk/disk.ts'
import { checkRoom, NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { systemError } from '../disks/crash-disk.ts'

const folder = fs.mkdtempSync(join(os.tmpdir(), 'mintfeed-node-disk-'))
const bytes = Uint8Array.from({ length: 1_000 }, (_, i) => i % 251)
/** Many more than descriptors that come and go by themselves. */
const SYNCS = 40

afterEach(() => vi.restoreAllMocks())

test('a snapshot leaves the journal its room: what it takes itself counts', () => {
  const { bavail, bsize } = fs.statfsSync(folder)
  expect(() => checkRoom(folder, bavail * bsize)).toThrow('make room')
})

test('a snapshot is made on a file system that does not say how much it holds, as a tmpfs without a size', () => {
  const said = fs.statfsSync(folder)
  vi.spyOn(fs, 'statfsSync').mockReturnValue({ ...said, blocks: 0, bfree: 0, bavail: 0 })
  expect(() => checkRoom(folder, 1_000)).not.toThrow()
})

test('a write that a signal interrupts is made again, and one that was cut short goes on', () => {
  const { writeSync } = fs
  let calls = 0
  vi.spyOn(fs, 'writeSync').mockImplementation((fd: number, from: unknown) => {
    calls += 1
    if (calls % 2 === 1) throw systemError('EINTR', 'write')
    return writeSync(fd, viewOf(from).subarray(0, 300))
  })
  const file = new NodeDisk().create(join(folder, 'interrupted'))
  appendAll(file, bytes)
  file.close()
  expect(calls).toBe(8)
  expect(fs.readFileSync(join(folder, 'interrupted'))).toEqual(Buffer.from(bytes))
})

test('a read that a signal interrupts is made again', () => {
  fs.writeFileSync(join(folder, 'read'), bytes)
  const file = new NodeDisk().open(join(folder, 'read'))
  vi.spyOn(fs, 'readSync').mockImplementationOnce(() => {
    throw systemError('EINTR', 'read')
  })
  const into = new Uint8Array(bytes.length)
  expect(readAll(file, into, 0)).toBe(true)
  expect(into).toEqual(bytes)
  expect(readAll(file, into, 1)).toBe(false)
  file.close()
})

test('a read that the disk refuses names the file, also for who only looks', () => {
  const path = join(folder, 'unreadable')
  fs.writeFileSync(path, bytes)
  for (const disk of [new NodeDisk(), new ReadOnlyDisk()]) {
    const file = disk.open(path)
    vi.spyOn(fs, 'readSync').mockImplementationOnce(() => {
      throw systemError('EIO', 'i/o error, read')
    })
    expect(() => readAll(file, new Uint8Array(9), 0)).toThrow(`EIO: i/o error, read '${path}'`)
    file.close()
  }
})

test('who only looks changes no file', () => {
  const path = join(folder, 'looked-at')
  fs.writeFileSync(path, bytes)
  const file = new ReadOnlyDisk().open(path)
  expect(() => file.append(bytes)).toThrow()
  expect(() => file.truncate(0)).toThrow()
  file.close()
  expect(fs.readFileSync(path)).toEqual(Buffer.from(bytes))
})

test('on a disk that is read-only by now files are still opened to be read', () => {
  const path = join(folder, 'kept')
  fs.writeFileSync(path, bytes)
  const { openSync } = fs
  vi.spyOn(fs, 'openSync').mockImplementation((name, flags, mode) => {
    if (flags !== 'r') throw systemError('EROFS', 'open')
    return openSync(name, flags, mode)
  })
  const file = new NodeDisk().open(path)
  const into = new Uint8Array(bytes.length)
  expect(readAll(file, into, 0)).toBe(true)
  expect(into).toEqual(bytes)
  file.close()
  expect(() => new NodeDisk().create(join(folder, 'more'))).toThrow('EROFS')
})

test('a new folder lasts with all the new ones above it', () => {
  const made = join(folder, 'one', 'two', 'three')
  const opened = vi.spyOn(fs, 'openSync')
  const synced = vi.spyOn(fs, 'fsyncSync')
  new NodeDisk().makeFolder(`${made}/`)
  expect(opened.mock.calls.map(([path]) => path)).toEqual(
    ['', 'one', 'one/two'].map((name) => join(folder, name)).map((path) => path.replace(/\/$/, '')),
  )
  expect(synced).toHaveBeenCalledTimes(3)
  new NodeDisk().makeFolder(made)
  expect(synced).toHaveBeenCalledTimes(3)
})

test('a folder that cannot be made is refused, also where no file system takes one', () => {
  fs.writeFileSync(join(folder, 'a file'), bytes)
  fs.symlinkSync(join(folder, 'nowhere'), join(folder, 'a link'))
  const taken = [join(folder, 'a file'), join(folder, 'a file', 'data'), join(folder, 'a link')]
  const proc = fs.existsSync('/proc/self') ? ['/proc/no/data'] : []
  for (const path of [...taken, ...proc])
    expect(() => new NodeDisk().makeFolder(path), path).toThrow('mkdir')
})

test('any other error of a write or a sync is told once and not tried again', () => {
  const file = new NodeDisk().create(join(folder, 'refused'))
  const write = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw systemError('ENOSPC', 'write')
  })
  const sync = vi.spyOn(fs, 'fdatasyncSync').mockImplementation(() => {
    throw systemError('EIO', 'fdatasync')
  })
  expect(() => appendAll(file, bytes)).toThrow('ENOSPC')
  expect(() => file.sync()).toThrow('EIO')
  expect([write.mock.calls.length, sync.mock.calls.length]).toEqual([1, 1])
  file.close()
})

test('a file that is there already is not made, and not written to', () => {
  const path = join(folder, 'there')
  fs.writeFileSync(path, bytes)
  expect(() => new NodeDisk().create(path)).toThrow('EEXIST')
  expect(fs.readFileSync(path)).toEqual(Buffer.from(bytes))
})

test('what a later sync of a file came to is told', async () => {
  const file = new NodeDisk().create(join(folder, 'synced later'))
  const synced = () => new Promise<Error | null>((resolve) => file.syncLater(resolve))
  expect(await synced()).toBe(null)
  vi.spyOn(fs, 'fdatasync').mockImplementation((_fd, done) => done(systemError('EIO', 'fdatasync')))
  expect((await synced())?.message).toContain('EIO')
  file.close()
})

test('what a later sync of a folder came to is told', async () => {
  const synced = (path: string) =>
    new Promise<Error | null>((resolve) => new NodeDisk().syncFolderLater(path, resolve))
  expect(await synced(folder)).toBe(null)
  expect((await synced(join(folder, 'nowhere')))?.message).toContain('ENOENT')
  vi.spyOn(fs, 'fsync').mockImplementation((_fd, done) => done(systemError('EIO', 'fsync')))
  expect((await synced(folder))?.message).toContain('EIO')
})

test.skipIf(!fs.existsSync('/proc/self/fd'))(
  'no file and no folder stays open once it is synced and closed, however often that is',
  async () => {
    const disk = new NodeDisk()
    const opened = () => fs.readdirSync('/proc/self/fd').length
    const before = opened()
    for (let i = 0; i < SYNCS; i++) {
      const path = join(folder, `closed-${i}`)
      for (const file of [disk.create(path), disk.open(path)]) file.close()
      disk.syncFolder(folder)
      await new Promise((done) => disk.syncFolderLater(folder, done))
    }
    expect(opened() - before).toBeLessThan(SYNCS / 2)
  },
)

function viewOf(from: unknown): Uint8Array {
  if (from instanceof Uint8Array) return from
  throw new TypeError('only bytes are written')
}
