import { expect, onTestFinished, test, vi } from 'vitest'
import { Engine } from '../../src/engine/engine.ts'
import { RecordBatch } from '../../src/engine/record-batch.ts'
import { JournaledEngine } from '../../src/store/journaled-engine.ts'
import { stateDigest } from '../../src/store/state-digest.ts'
import { swap } from '../oracle/fixtures.ts'
import { Random } from '../oracle/random.ts'
import { dormantMarket } from '../properties/dormant-market.ts'
import { begun, recovered, SIZES } from './damage/folder.ts'
import { ImageDisk, ImageFile } from './damage/image-disk.ts'

const BATCH = 30

test('tokens rest before the batch that may wake them, in the process as in what is recovered', () => {
  const disk = new ImageDisk()
  const engine = new Engine(SIZES)
  const { journal } = begun(disk, {}, engine)
  const random = new Random(20_261_126)
  const tokens = () => Array.from({ length: engine.state.tokens.count }, (_, token) => token)
  // Were it all of them, a rest behind a batch would be the one before the next.
  const some = () => tokens().filter(() => random.chance(0.5))
  const journaled = new JournaledEngine(engine, journal, some)
  journaled.settings()
  const events = dormantMarket(random, 900)
  for (let from = 0; from < events.length; from += BATCH)
    journaled.events(events.slice(from, from + BATCH))
  journal.close()
  expect(engine.state.dormant.wakings).toBeGreaterThan(10)
  expect(stateDigest(recovered(disk).engine.parts)).toBe(stateDigest(engine.parts))
})

test('what the disk refuses is left out and counted, and so is all behind it, of which not even names are kept', () => {
  const disk = new ImageDisk()
  const { engine, journal, journaled } = begun(disk)
  const swapsOf = (signer: string, count: number) =>
    Array.from({ length: count }, (_, i) =>
      swap({ slot: 1_000, signer, signature: `${signer} ${i}` }),
    )
  journaled.settings()
  journaled.events(swapsOf('taken', 3))
  const append = vi.spyOn(ImageFile.prototype, 'append').mockImplementation(() => {
    throw Object.assign(new Error('full'), { code: 'ENOSPC' })
  })
  onTestFinished(() => append.mockRestore())
  journaled.events(swapsOf('refused', 4))
  expect(journal.failure?.message).toMatch(/\.$/)
  expect(journaled.leftOut).toBe(4)
  const { counts } = engine.state.book
  journaled.events(swapsOf('later', 5))
  expect(engine.state.book.counts).toEqual(counts)
  const batch = new RecordBatch(1)
  engine.intake.append(swap({ signature: 'record', signer: 'taken' }), batch)
  journaled.records(batch)
  expect(journaled.leftOut).toBe(10)
  expect(engine.counts.swaps).toBe(3)
})
