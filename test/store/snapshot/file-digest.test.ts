import { expect, test } from 'vitest'
import { runToEnd } from '../../../src/store/disk/steps.ts'
import { withFile } from '../../../src/store/folder/data-folder.ts'
import {
  type Contents,
  hasItsDigest,
  readContents,
} from '../../../src/store/snapshot/snapshot-file.ts'
import { keptFiles, VERSIONS } from '../golden/golden.ts'

test.each(VERSIONS)(
  'a snapshot file of %s has its digest, and none with another byte in a part',
  (version) => {
    const disk = keptFiles(version)
    const path = [...disk.files.keys()].find((one) => one.endsWith('.mfs')) ?? ''
    const bytes = disk.files.get(path) ?? new Uint8Array()
    const read = (): [Contents | null, boolean] =>
      withFile(disk.open(path), (file) => {
        const contents = readContents(file, path)
        return [contents, contents !== null && runToEnd(hasItsDigest(file, contents))]
      })
    const [contents, isWhole] = read()
    expect(isWhole).toBe(true)
    const filled = contents?.parts.filter((part) => part.bytes > 0) ?? []
    expect(filled.length).toBeGreaterThan(10)
    for (const part of filled)
      for (const at of [part.at, part.at + part.bytes - 1]) {
        const other = Uint8Array.from(bytes)
        other[at] = (other[at] ?? 0) ^ 0x10
        disk.files.set(path, other)
        expect(read()[1], `${part.name} at ${at}`).toBe(false)
      }
  },
)
