import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { SegmentWatch } from '../../../src/store/journal/journal.ts'
import { newFolder } from '../../new-folder.ts'

/** A segment that is being written, and the watch over it. */
function watched() {
  const folder = newFolder()
  const path = join(folder, 'journal-0000000000000001.mfj')
  const fd = fs.openSync(path, 'wx')
  const watch = new SegmentWatch()
  onTestFinished(() => {
    watch.close()
    fs.closeSync(fd)
  })
  fs.writeSync(fd, 'begun')
  watch.begun(path)
  return { watch, path, write: (text: string) => fs.writeSync(fd, text) }
}

test('a segment that is where it was begun is written on', () => {
  const { watch, write } = watched()
  write('more')
  expect(() => watch.look()).not.toThrow()
})

test('one that has gone is told at the next look', () => {
  const { watch, path } = watched()
  fs.renameSync(path, `${path}.away`)
  expect(() => watch.look()).toThrow(`${path} is not the file any more that is written`)
})

test('a copy in its place is told with the first byte that does not come to it', () => {
  const { watch, path, write } = watched()
  fs.copyFileSync(path, `${path}.copy`)
  fs.renameSync(`${path}.copy`, path)
  // By its numbers alone it could be the same: there are file systems that give a file new ones.
  expect(() => watch.look()).not.toThrow()
  write('more')
  expect(() => watch.look()).toThrow('moved, removed or covered by another one')
})

test('of all segments that were begun one alone is open, and none where no segment is written', () => {
  const { watch, path } = watched()
  const before = lowestFree(path)
  for (let i = 0; i < 100; i++) watch.begun(path)
  // Something else of this process may open a file or two meanwhile.
  expect(lowestFree(path)).toBeLessThan(before + 50)
  fs.renameSync(path, `${path}.away`)
  watch.close()
  expect(() => watch.look()).not.toThrow()
  expect(() => watch.close()).not.toThrow()
  expect(() => new SegmentWatch().look()).not.toThrow()
})

/** The descriptor that a file gets which is opened now: the lowest that is not taken. */
function lowestFree(path: string): number {
  const fd = fs.openSync(path, 'r')
  fs.closeSync(fd)
  return fd
}
