import { expect, test } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { RecordBatch } from '../../src/events/swap-record.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { created, swap } from '../oracle/fixtures.ts'
import { begun, recovered, SIZES } from './damage/folder.ts'
import { ImageDisk } from './damage/image-disk.ts'

/** More than two frames hold, with another event among those of the second one. */
const RECORDS = 2_500
const OTHER_AT = 1_500

test('a batch of more records than a frame holds comes back whole, and in its order', () => {
  const disk = new ImageDisk()
  const { engine, journal, journaled } = begun(disk, {}, new Engine(SIZES))
  journaled.settings()
  const batch = new RecordBatch(RECORDS)
  for (let i = 0; i < RECORDS; i++) {
    const other = created({ mint: 'other', slot: 1_000 + i, signature: 'other' })
    if (i === OTHER_AT) batch.addOther(other)
    batch.addSwap(
      swap({ slot: 1_000 + i, signature: `${i}`, signer: `wallet ${i}` }),
      engine.state.book,
    )
  }
  journaled.records(batch)
  journal.close()
  const { engine: again, found } = recovered(disk)
  expect(found.cut).toBe(null)
  expect(found.place.seq).toBe(RECORDS + 1)
  expect(again.counts.swaps).toBe(RECORDS)
  expect(stateDigest(again.parts)).toBe(stateDigest(engine.parts))
})
