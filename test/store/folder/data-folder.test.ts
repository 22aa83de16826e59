import { readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import type { DiskFile } from '../../../src/store/disk/disk.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { FileBuffer, listDataFiles, writeWhole } from '../../../src/store/folder/data-folder.ts'
import { newFolder } from '../../new-folder.ts'

const disk = new NodeDisk()
const number = (value: number) => String(value).padStart(16, '0')

/** A folder with files of these names, each of which holds its own. */
function folderOf(names: readonly string[]): string {
  const folder = newFolder()
  for (const name of names) writeFileSync(join(folder, name), name)
  return folder
}

test('files of a data folder are told by their whole names, and those of others are left alone', () => {
  const halves = ['snapshot-%.mfs', 'tape-%.mft', 'positions-%.mfp'].map(
    (name) => `${name.replace('%', number(7))}.unfinished`,
  )
  const folder = folderOf([
    ...halves,
    ...[2, 1, 10].map((index) => `journal-${number(index)}.mfj`),
    ...[5, 3].map((seq) => `snapshot-${number(seq)}.mfs`),
    ...[1, 0].map((chunk) => `tape-${number(chunk)}.mft`),
    ...[1, 0].map((chunk) => `positions-${number(chunk)}.mfp`),
    ...['lock', 'market', 'written', 'journal-3.mfj', `old-journal-${number(4)}.mfj`],
    ...[`journal-${number(4)}.mfj.gz`, `snapshot-${number(6)}.mfs.damaged`],
    // As long as the ending of a half.
    `snapshot-${number(6)}.mfs.old-backup`,
    // An export that is being written into the folder.
    ...['events.jsonl.zst.unfinished', `journal-${number(8)}.mfj.unfinished`],
  ])
  const files = listDataFiles(disk, folder)
  const numbers = (of: 'segments' | 'snapshots' | 'chunks' | 'dormantChunks') =>
    files[of].map((file) => file.number)
  expect(numbers('segments')).toEqual([1, 2, 10])
  expect(numbers('snapshots')).toEqual([3, 5])
  expect([numbers('chunks'), numbers('dormantChunks')]).toEqual([
    [0, 1],
    [0, 1],
  ])
  expect([...files.unfinished].sort()).toEqual(halves.toSorted())
})

test('a snapshot that was put aside is told from other damaged files', () => {
  const others = [`journal-${number(1)}.mfj.damaged`, `tape-${number(1)}.mft.damaged`]
  expect(listDataFiles(disk, folderOf(others)).snapshotsAside).toEqual([])
  const aside = `snapshot-${number(1)}.mfs.damaged`
  expect(listDataFiles(disk, folderOf([...others, aside])).snapshotsAside).toEqual([aside])
})

test('a file that is read behind a longer one has nothing of it', () => {
  const folder = folderOf(['a long name', 'short'])
  const buffer = new FileBuffer()
  const read = (name: string) => Buffer.from(buffer.read(disk, join(folder, name))).toString()
  expect([read('a long name'), read('short')]).toEqual(['a long name', 'short'])
})

/** Its files have fewer bytes than they say. */
class ShrinkingDisk extends NodeDisk {
  override open(path: string): DiskFile {
    return Object.assign(super.open(path), { size: () => 100 })
  }
}

test('a file that is shorter than it was when it was opened is not read in part', () => {
  const folder = folderOf(['shrinks'])
  expect(new FileBuffer().read(new ShrinkingDisk(), join(folder, 'shrinks'))).toHaveLength(0)
})

test('half a file that a killed process left gives way to the whole one', () => {
  const folder = folderOf(['whole.unfinished'])
  writeWhole(disk, folder, join(folder, 'whole'), (append) => append(Buffer.from('all of it')))
  expect(readdirSync(folder)).toEqual(['whole'])
  expect(readFileSync(join(folder, 'whole'), 'utf8')).toBe('all of it')
})

test('a file that could not be written whole leaves nothing behind, and the one before it stays', () => {
  const folder = folderOf(['whole'])
  const write = (append: (bytes: Uint8Array) => void) => {
    append(Buffer.from('half'))
    throw new Error('the disk is full')
  }
  expect(() => writeWhole(disk, folder, join(folder, 'whole'), write)).toThrow('the disk is full')
  expect(readdirSync(folder)).toEqual(['whole'])
  expect(readFileSync(join(folder, 'whole'), 'utf8')).toBe('whole')
})
