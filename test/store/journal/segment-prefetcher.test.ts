import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { TAPE_BLOCK_RECORDS, Tape } from '../../../src/engine/state/tape.ts'
import { SWAP_U32_LANES } from '../../../src/events/swap-record.ts'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import {
  isLoadOrder,
  isPackOrder,
  SegmentPrefetcher,
} from '../../../src/store/journal/segment-prefetcher.ts'
import { newFolder } from '../../new-folder.ts'
import { until } from '../../process/program.ts'
import { goldenFolder, PRESENT } from '../golden/golden.ts'

test('segments are loaded and checked by another thread, in the order of the walk', async () => {
  const golden = goldenFolder(PRESENT)
  const folder = newFolder()
  const paths = ['journal-0000000000000001.mfj', 'journal-0000000000000002.mfj'].map((name) => {
    fs.copyFileSync(join(golden, name), join(folder, name))
    return join(folder, name)
  })
  const ahead = new SegmentPrefetcher(new NodeDisk())
  onTestFinished(() => ahead.close())
  ahead.begin(paths)
  for (const path of paths) {
    const { bytes, checkedTo } = await until(path, async () => ahead.take(path))
    expect(Buffer.compare(bytes, fs.readFileSync(path))).toBe(0)
    expect(checkedTo).toBe(bytes.length)
  }
})

test('pages of swaps are packed by the same thread, in the order in which they were given', async () => {
  const ahead = new SegmentPrefetcher(new NodeDisk())
  onTestFinished(() => ahead.close())
  const [here, elsewhere] = [new Tape(TAPE_BLOCK_RECORDS), new Tape(TAPE_BLOCK_RECORDS)]
  elsewhere.packBy(ahead)
  const pages = 6
  for (const tape of [here, elsewhere])
    for (let i = 0; i < (pages + 1) * TAPE_BLOCK_RECORDS; i++) {
      const index = tape.add()
      const at = tape.at(index)
      for (let lane = 0; lane < SWAP_U32_LANES; lane++)
        tape.u32Of(index)[at + lane] = Math.imul(index + 1, lane * 0x9e3779b1) >>> (index % 32)
    }
  const settled = pages * TAPE_BLOCK_RECORDS
  await until('the pages', async () => {
    here.pack(settled)
    elsewhere.pack(settled)
    return elsewhere.firstPlain === settled ? true : null
  })
  expect(elsewhere.bytes).toBe(here.bytes)
  for (let first = 0; first < settled; first += TAPE_BLOCK_RECORDS)
    expect(Buffer.compare(elsewhere.blockBytes(first), here.blockBytes(first))).toBe(0)
})

test('a message that is no order to pack a page is told from one', () => {
  const page = new SharedArrayBuffer(8)
  expect(isPackOrder({ page, index: 0 })).toBe(true)
  for (const wrong of [
    null,
    {},
    { page },
    { page, index: 'a' },
    { page: new ArrayBuffer(8), index: 0 },
  ])
    expect(isPackOrder(wrong)).toBe(false)
})

test('a message that is no order to load a file is told from one', () => {
  const buffer = new ArrayBuffer(8)
  expect(isLoadOrder({ path: 'a', buffer: null })).toBe(true)
  expect(isLoadOrder({ path: 'a', buffer })).toBe(true)
  for (const wrong of [
    null,
    'a',
    {},
    { path: 1, buffer },
    { path: 'a' },
    { path: 'a', buffer: 'b' },
  ])
    expect(isLoadOrder(wrong)).toBe(false)
})
