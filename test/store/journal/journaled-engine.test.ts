import { expect, onTestFinished, test, vi } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { RecordBatch } from '../../../src/events/swap-record.ts'
import { JournaledEngine } from '../../../src/store/journal/journaled-engine.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { everyRead } from '../../model/every-read.ts'
import { swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { dormantMarket } from '../../properties/dormant-market.ts'
import { begun, digestsOf, recovered, SIZES, writtenFolder } from '../damage/folder.ts'
import { ImageDisk, ImageFile } from '../damage/image-disk.ts'
import { octoberHistory } from '../golden/october.ts'

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

const answersOf = (engine: Engine, events: readonly FeedEvent[]) =>
  JSON.stringify([...everyRead(engine, events)])

test('every kind and key of October 2026 is recovered as it was folded, from journal and snapshots', () => {
  for (const seed of [1, 2, 3]) {
    const events = octoberHistory(seed)
    const half = Math.floor(events.length / 2)
    for (const snapshotsAt of [[], [2], [2, 3]]) {
      const segmentsAt = [half, half + 20]
      const disk = writtenFolder({ events, segmentsAt, snapshotsAt })
      const engine = new Engine(SIZES)
      engine.events(events)
      const { engine: read, found } = recovered(disk)
      expect(found.place.seq).toBe(events.length)
      expect(found.snapshotSeq ?? 0).toBe(
        snapshotsAt.length === 0 ? 0 : segmentsAt[snapshotsAt.length - 1],
      )
      expect(stateDigest(read.parts)).toBe(digestsOf(disk).get(events.length)?.at(-1))
      const answers = answersOf(read, events) === answersOf(engine, events)
      expect(answers, `seed ${seed}`).toBe(true)
    }
  }
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
  batch.addSwap(swap({ signature: 'record', signer: 'taken' }), engine.state.book)
  journaled.records(batch)
  expect(journaled.leftOut).toBe(10)
  expect(engine.counts.swaps).toBe(3)
})

/** What is done with a batch of so many swaps, in order. */
function stepsOf(swaps: number, fold: () => void = () => {}): string[] {
  const steps: string[] = []
  const { engine, journaled } = begun(new ImageDisk(), { fsync: 'group' })
  const spies = [
    vi.spyOn(ImageFile.prototype, 'append').mockImplementation((bytes) => {
      steps.push('written')
      return bytes.length
    }),
    vi.spyOn(ImageFile.prototype, 'syncLater').mockImplementation(() => {
      steps.push('sync begun')
    }),
    vi.spyOn(engine, 'records').mockImplementation(() => {
      steps.push('folded')
      fold()
    }),
  ]
  onTestFinished(() => {
    for (const spy of spies) spy.mockRestore()
  })
  const about = { slot: 1_000, signer: 'S' }
  const events = Array.from({ length: swaps }, (_, i) => swap({ ...about, signature: `${i}` }))
  try {
    journaled.events(events)
  } catch (error) {
    steps.push(String(error))
  }
  return steps
}

test('a few trades are seen before a sync is begun for them', () => {
  expect(stepsOf(1)).toEqual(['written', 'folded', 'sync begun'])
  expect(stepsOf(32)).toEqual(['written', 'folded', 'sync begun'])
})

test('many are folded while a sync for them is under way', () => {
  expect(stepsOf(33)).toEqual(['written', 'sync begun', 'folded'])
})

test('what is written is made last though its fold meets a fault', () => {
  const fold = () => {
    throw new RangeError('a planted fault')
  }
  expect(stepsOf(1, fold)).toEqual([
    'written',
    'folded',
    'sync begun',
    'RangeError: a planted fault',
  ])
})
