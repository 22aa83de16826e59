import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test, vi } from 'vitest'
import {
  FileCommitMarker,
  lossOf,
  readMark,
  UNKNOWN_BOOT,
  type WrittenBefore,
} from '../../../src/store/folder/commit-marker.ts'
import { dataPath } from '../../../src/store/folder/data-folder.ts'
import { newFolder } from '../../new-folder.ts'
import { systemError } from '../disks/crash-disk.ts'

const BOOT = 'this boot'
const EPOCH = 'an epoch'
const ABOUT = { seq: 500, segment: 3, epoch: EPOCH, boot: BOOT }
const LEFT: WrittenBefore = { ...ABOUT, isClosed: false, isHere: true }
const FOUND = {
  place: { seq: 500, segment: 4 },
  lastSegment: 4,
  epoch: EPOCH,
  isClosed: false,
  isTailDamaged: false,
}

function markedFolder(): { folder: string; mark: FileCommitMarker } {
  const folder = newFolder()
  const mark = new FileCommitMarker(folder)
  mark.begin(ABOUT)
  return { folder, mark }
}

test('a process killed in this boot has lost nothing when all is there that it wrote', () => {
  expect(lossOf(FOUND, LEFT, BOOT)).toBeNull()
  expect(lossOf({ ...FOUND, place: { seq: 501, segment: 4 } }, LEFT, BOOT)).toBeNull()
})

test('what is gone, or may be, is told', () => {
  const loss = (found: Partial<typeof FOUND>, left: Partial<WrittenBefore> = {}) =>
    lossOf({ ...FOUND, ...found }, { ...LEFT, ...left }, BOOT)
  expect(lossOf(FOUND, null, BOOT)).toMatch(/nothing in the folder says/)
  expect(loss({}, { epoch: 'another' })).toMatch(/not the one that was written here last/)
  expect(loss({}, { seq: 507 })).toMatch(/events 500 to 506 .* not there/)
  expect(loss({ isClosed: true }, { segment: 5 })).toMatch(/segment 5 .* not there/)
  expect(loss({}, { isHere: false })).toMatch(/a copy/)
  expect(loss({ isClosed: true }, { isHere: false })).toMatch(/a copy/)
  expect(loss({ isTailDamaged: true })).toMatch(/end of the journal is damaged/)
  expect(loss({}, { boot: 'another' })).toMatch(/the machine went down/)
  expect(lossOf(FOUND, { ...LEFT, boot: UNKNOWN_BOOT }, UNKNOWN_BOOT)).toMatch(/does not tell/)
})

test('a folder without a journal is a new one, or the mark that is its own says what is gone', () => {
  expect(lossOf(null, null, BOOT)).toBeNull()
  expect(lossOf(null, LEFT, BOOT)).toMatch(/events 0 to 499 .* not there/)
  const begun = { ...LEFT, seq: 0 }
  expect(lossOf(null, begun, BOOT)).toMatch(/segment 3 .* not there/)
  expect(lossOf(null, { ...begun, segment: 0 }, BOOT)).toBeNull()
  expect(lossOf(null, { ...LEFT, isHere: false }, BOOT)).toBeNull()
})

test('a stop in order has lost nothing in any boot, whether journal or mark says it', () => {
  const left = { ...LEFT, boot: 'another' }
  expect(lossOf({ ...FOUND, isClosed: true }, left, BOOT)).toBeNull()
  const tail = { isClosed: true, isTailDamaged: true }
  expect(lossOf({ ...FOUND, ...tail }, left, BOOT)).toBeNull()
  expect(lossOf(FOUND, { ...left, isClosed: true, segment: 4 }, BOOT)).toBeNull()
})

test('a mark that was closed does not speak for segments behind it', () => {
  const left = { ...LEFT, boot: 'another', isClosed: true }
  expect(lossOf({ ...FOUND, lastSegment: 4 }, left, BOOT)).toMatch(/the machine went down/)
})

test('a mark says how far was written, and where', () => {
  const { folder, mark } = markedFolder()
  expect(readMark(folder, BOOT)).toEqual(LEFT)
  mark.reach(1_234_567)
  expect(readMark(folder, BOOT)).toEqual({ ...LEFT, seq: 1_234_567 })
  mark.close(9)
  const closed = { ...LEFT, seq: 1_234_567, segment: 9, isClosed: true }
  expect(readMark(folder, BOOT)).toEqual(closed)
  new FileCommitMarker(folder).begin({ ...ABOUT, segment: 10 })
  expect(readMark(folder, BOOT)).toEqual({ ...LEFT, segment: 10 })
})

test('a mark is on the disk as it was begun, its name too, and as it was closed', () => {
  const folder = newFolder()
  const told: string[] = []
  const syncing = vi.spyOn(fs, 'fsyncSync').mockImplementation((fd) => {
    const [name] = fs.readdirSync(folder)
    const [head] = fs.readFileSync(join(folder, name), 'latin1').split('\n')
    told.push(fs.fstatSync(fd).isDirectory() ? `folder of ${name}` : `${name}: ${head}`)
  })
  onTestFinished(() => syncing.mockRestore())
  const mark = new FileCommitMarker(folder)
  mark.begin(ABOUT)
  mark.reach(600)
  mark.close(4)
  expect(told).toEqual([
    'written.new: 0000000000000500 0000000000000003 open  ',
    'folder of written',
    'written: 0000000000000600 0000000000000004 closed',
  ])
})

test('a copied mark is known for one, a folder under another name is the same', () => {
  const { folder } = markedFolder()
  const copy = newFolder()
  fs.cpSync(folder, copy, { recursive: true, preserveTimestamps: true })
  expect(readMark(copy, BOOT)).toEqual({ ...LEFT, isHere: false })
  const moved = join(newFolder(), 'moved')
  fs.renameSync(folder, moved)
  expect(readMark(moved, BOOT)).toEqual(LEFT)
})

test('of a folder and its copy of hard links no more than one is taken for the original', () => {
  const { folder } = markedFolder()
  const copy = newFolder()
  fs.linkSync(join(folder, 'written'), join(copy, 'written'))
  expect(readMark(folder, BOOT)).toEqual({ ...LEFT, isHere: false })
  expect(readMark(copy, BOOT)).toEqual({ ...LEFT, isHere: false })
  // Whichever starts first has an epoch of its own, and a mark that is no other's.
  new FileCommitMarker(copy).begin({ ...ABOUT, epoch: 'a new one' })
  expect(readMark(copy, BOOT)).toEqual({ ...LEFT, epoch: 'a new one' })
  expect(readMark(folder, BOOT)).toEqual(LEFT)
})

test('a mark whose segment was put there from elsewhere is no word of it', () => {
  const folder = newFolder()
  const path = dataPath(folder, 'segment', ABOUT.segment)
  fs.writeFileSync(path, 'a segment')
  new FileCommitMarker(folder).begin(ABOUT)
  fs.appendFileSync(path, ' that grows')
  expect(readMark(folder, BOOT)).toEqual(LEFT)
  fs.copyFileSync(path, `${path}.copy`)
  fs.renameSync(path, `${path}.away`)
  expect(readMark(folder, BOOT)).toEqual(LEFT)
  fs.renameSync(`${path}.copy`, path)
  expect(readMark(folder, BOOT)).toEqual({ ...LEFT, isHere: false })
})

test('a mark on another device is no word of the folder in the boot that wrote it', () => {
  const { folder } = markedFolder()
  const path = join(folder, 'written')
  const text = fs.readFileSync(path, 'latin1')
  // Written over in place: it stays the very file.
  fs.writeFileSync(path, text.replace(/"device":"\d+"/, '"device":"123456789"'))
  expect(readMark(folder, BOOT)).toEqual({ ...LEFT, isHere: false })
  expect(readMark(folder, 'the next boot')).toEqual(LEFT)
})

test('a mark that cannot be written any more is taken away: it would call less than there was all', () => {
  const { folder, mark } = markedFolder()
  const writing = vi.spyOn(fs, 'writeSync').mockImplementation(() => {
    throw systemError('ENOSPC', 'write')
  })
  try {
    mark.reach(600)
  } finally {
    writing.mockRestore()
  }
  expect(fs.readdirSync(folder)).toEqual([])
  mark.reach(700)
  mark.close(3)
  expect(readMark(folder, BOOT)).toBeNull()
})

test('a mark that is not there, or is not one, says nothing', () => {
  const { folder } = markedFolder()
  expect(readMark(join(folder, 'nowhere'), BOOT)).toBeNull()
  for (const text of ['', 'a word', '0000000000000500 0000000000000003 open  \n{}\n']) {
    fs.writeFileSync(join(folder, 'written'), text)
    expect(readMark(folder, BOOT)).toBeNull()
  }
})
