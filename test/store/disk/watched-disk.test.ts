import { join } from 'node:path'
import { expect, test } from 'vitest'
import { appendAll, readAll } from '../../../src/store/disk/disk.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { watchedDisk } from '../../../src/store/disk/watched-disk.ts'
import { newFolder } from '../../new-folder.ts'

test('a watched disk does what the disk does, and tells each call that its caller waited for', () => {
  const folder = newFolder()
  const calls: string[] = []
  let lastMs = 0
  const disk = watchedDisk(new NodeDisk(), (call, startMs) => {
    expect(startMs).toBeGreaterThanOrEqual(lastMs)
    lastMs = startMs
    calls.push(call)
  })
  disk.makeFolder(join(folder, 'data'))
  const path = join(folder, 'data', 'file')
  const file = disk.create(path)
  appendAll(file, Buffer.from('abcdef'))
  file.sync()
  file.truncate(4)
  expect(file.size()).toBe(4)
  file.close()
  disk.rename(path, `${path}2`)
  disk.syncFolder(join(folder, 'data'))
  expect(disk.list(join(folder, 'data'))).toEqual(['file2'])
  const into = new Uint8Array(4)
  const opened = disk.open(`${path}2`)
  expect(readAll(opened, into, 0)).toBe(true)
  expect(Buffer.from(into).toString()).toBe('abcd')
  opened.close()
  disk.remove(`${path}2`)
  expect(disk.list(join(folder, 'data'))).toEqual([])
  const written = ['make folder', 'create', 'append', 'sync', 'truncate', 'close', 'rename']
  const read = ['sync folder', 'list', 'open', 'read', 'close', 'remove', 'list']
  expect(calls).toEqual([...written, ...read])
})

test('an error of the disk comes through, and syncs in the background are told to nobody', async () => {
  const calls: string[] = []
  const disk = watchedDisk(new NodeDisk(), (call) => calls.push(call))
  const folder = newFolder()
  expect(() => disk.open(join(folder, 'nothing'))).toThrow('ENOENT')
  await new Promise<void>((resolve, reject) => {
    disk.syncFolderLater(folder, (error) => (error === null ? resolve() : reject(error)))
  })
  const file = disk.create(join(folder, 'file'))
  await new Promise<void>((resolve, reject) => {
    file.syncLater((error) => (error === null ? resolve() : reject(error)))
  })
  file.close()
  expect(calls).toEqual(['create', 'close'])
})
