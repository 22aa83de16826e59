import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { NodeDisk } from '../../src/store/node-disk.ts'
import { archiveTape, DiskTapeArchive } from '../../src/store/tape-archive.ts'
import { EngineAnswers } from '../../src/wire/engine-answers.ts'
import { price, START_SECOND, swap } from '../oracle/fixtures.ts'
import { newFolder } from '../process/data-folders.ts'

const CHUNK_RECORDS = 128
/** Other swaps between two of the mint: each of its swaps lies in a block of its own. */
const BETWEEN = 63
const SWAPS = 600

test('a page of swaps on the disk is read in pieces, and then answered without the disk', () => {
  const folder = newFolder()
  const disk = new NodeDisk()
  const engine = new Engine({ clock: 'event', identities: 16, tapeChunkRecords: CHUNK_RECORDS })
  engine.events([price(150)])
  for (let i = 0; i < SWAPS; i++)
    for (let k = 0; k <= BETWEEN; k++)
      engine.accept(
        swap({
          slot: 1_000 + i,
          txIndex: k,
          timestamp: START_SECOND + i,
          mint: k === 0 ? 'slow' : `mint ${k}`,
          signature: `swap ${i} ${k}`,
        }),
      )
  const answers = new EngineAnswers(engine, () => {})
  const pages = [1, 2, 3, 5].map((page) => ({ page, limit: 100 }))
  const expected = pages.map((page) => answers.swaps('slow', null, page))
  const { tape } = engine.state
  const archive = new DiskTapeArchive(disk, folder, CHUNK_RECORDS)
  tape.archive = archive
  archiveTape(disk, folder, tape, engine.settledSwaps)
  tape.leaveMemory(tape.archivedCount)
  for (const [i, page] of pages.entries()) {
    let goes = 1
    let reads = archive.misses
    while (!answers.hasFoundSwaps('slow', null, page, () => false)) {
      goes += 1
      // One block a go, or, before the page is found, those of one remembered place to the next.
      expect(archive.misses - reads).toBeLessThanOrEqual(64)
      reads = archive.misses
    }
    expect(goes).toBeGreaterThan(30)
    const { misses } = archive
    expect(answers.swaps('slow', null, page)).toBe(expected[i])
    expect(archive.misses).toBe(misses)
  }
  archive.close()
})
