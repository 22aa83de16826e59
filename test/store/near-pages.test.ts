import { expect, test } from 'vitest'
import { Budget } from '../../src/base/budget.ts'
import { Engine } from '../../src/engine/engine.ts'
import { markOf } from '../../src/engine/state/tape.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { NodeDisk } from '../../src/store/disk/node-disk.ts'
import { archiveTape, DiskTapeArchive } from '../../src/store/snapshot/tape-archive.ts'
import { SWAP_CHUNKS } from '../../src/store/snapshot/tape-chunk.ts'
import { readInTurns } from '../budgets.ts'
import { newFolder } from '../new-folder.ts'
import { price, START_SECOND, swap } from '../oracle/fixtures.ts'

const CHUNK_RECORDS = 128
/** Other swaps between two of the mint: each of its swaps lies in a block of its own. */
const BETWEEN = 63
const SWAPS = 600

/** A slow mint, all of whose reads are made twice: with all in memory, and with nearly all on the disk. */
class SlowMint {
  readonly engine = new Engine({ clock: 'event', identities: 16, tapeChunkRecords: CHUNK_RECORDS })
  readonly answers = new EngineQueries(this.engine, () => {})
  readonly reads = new EngineQueries(this.engine, () => {})
  readonly #disk = new NodeDisk()
  readonly #folder = newFolder()

  constructor() {
    this.engine.events([price(150)])
    for (let i = 0; i < SWAPS; i++) for (let k = 0; k <= BETWEEN; k++) this.#swap(i, k)
  }

  #swap(i: number, k: number): void {
    this.engine.accept(
      swap({
        slot: 1_000 + i,
        txIndex: k,
        timestamp: START_SECOND + i,
        mint: k === 0 ? 'slow' : `mint ${k}`,
        signature: `swap ${i} ${k}`,
      }),
    )
  }

  leaveMemory(): DiskTapeArchive {
    const { tape } = this.engine.state
    const archive = new DiskTapeArchive(this.#disk, this.#folder, tape, SWAP_CHUNKS)
    tape.archive = archive
    archiveTape(this.#disk, this.#folder, tape, this.engine.settledSwaps, SWAP_CHUNKS)
    tape.leaveMemory(tape.archivedCount)
    return archive
  }
}

/** Reads in turns as short as can be, then again: without the disk. */
function expectPieces(
  archive: DiskTapeArchive,
  read: (budget: Budget) => string | null,
  expected: string | null,
): void {
  let reads = archive.misses
  const { answer, turns } = readInTurns(read, () => {
    // One block a turn, or, before a page is found, those from one remembered place to the next.
    expect(archive.misses - reads).toBeLessThanOrEqual(64)
    reads = archive.misses
  })
  expect(turns).toBeGreaterThan(30)
  expect(answer).toBe(expected)
  // That of the last turn at most: the answer itself needs none.
  expect(archive.misses - reads).toBeLessThanOrEqual(64)
  const { misses } = archive
  expect(read(Budget.unlimited)).toBe(expected)
  expect(archive.misses).toBe(misses)
}

test('pages of swaps on the disk are read in pieces, and then answered without the disk', () => {
  const slow = new SlowMint()
  const { answers } = slow
  const pages = [1, 2, 3, 5].map((page) => ({ page, limit: 100 }))
  const expected = pages.map((page) => answers.swaps('slow', null, page))
  const archive = slow.leaveMemory()
  for (const [i, page] of pages.entries())
    expectPieces(archive, (budget) => answers.swaps('slow', null, page, budget), expected[i])
  archive.close()
})

test('swaps behind a cursor, and the detail of a token, are read in pieces too', () => {
  const slow = new SlowMint()
  const { reads } = slow
  const cursors = [100, 350, 599].map((second) => {
    const after = markOf(slow.engine.state.tape, second * (BETWEEN + 1))
    return { after, limit: 90 }
  })
  const expected = cursors.map((cursor) => reads.swapsFrom('slow', null, cursor))
  const detail = reads.detail('slow')
  const archive = slow.leaveMemory()
  for (const [i, cursor] of cursors.entries())
    expectPieces(archive, (budget) => reads.swapsFrom('slow', null, cursor, budget), expected[i])
  expectPieces(archive, (budget) => reads.detail('slow', budget), detail)
  archive.close()
})
