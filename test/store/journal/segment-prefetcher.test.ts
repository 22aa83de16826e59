import fs from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { NodeDisk } from '../../../src/store/disk/node-disk.ts'
import { isLoadOrder, SegmentPrefetcher } from '../../../src/store/journal/segment-prefetcher.ts'
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
