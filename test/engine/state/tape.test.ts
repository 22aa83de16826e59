import fc from 'fast-check'
import { expect, test } from 'vitest'
import { TapeDamage } from '../../../src/base/errors.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { STORED_FROM_SWAPS } from '../../../src/engine/history/candles.ts'
import { ROWS_PER_PAGE } from '../../../src/engine/memory/rows.ts'
import {
  TAPE_BLOCK_RECORDS,
  TAPE_CHUNK_RECORDS,
  Tape,
  type TapeArchive,
} from '../../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { SWAP_U32_LANES } from '../../../src/events/swap-record.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { byLength } from '../../lengths.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { history } from '../../oracle/histories.ts'
import { Random } from '../../oracle/random.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const OPTIONS = { clock: 'event', identities: 1 << 13 } as const
const DAY = 86_400

test('an engine whose oldest swaps have left memory answers as one that keeps all', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const events = history(seed, 500)
      // Without slots a late event may reach back a million events: so few never leave memory.
      fc.pre(events.some((event) => 'slot' in event && event.slot !== null))
      expectSame(seed, events, 125)
    }),
    { numRuns: byLength(2, 12) },
  )
})

test('swaps that left memory leave the window, deep pages and charts as they were', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const events = trades(new Random(seed), 600)
      const last = events.at(-1)?.timestamp ?? 0
      for (const later of [DAY / 2, DAY - 60, DAY, DAY + 300])
        events.push({ type: 'sol_price', timestamp: last + later, usd: 200 })
      expectSame(seed, events, 300, 4)
    }),
    { numRuns: byLength(1, 8) },
  )
})

test('bars are stored out of swaps that have left memory, whole pages of them', () => {
  const seed = 7
  const events = trades(new Random(seed), ROWS_PER_PAGE + STORED_FROM_SWAPS / 2)
  expectSame(seed, events, STORED_FROM_SWAPS)
})

test('a creation told late judges swaps that have left memory', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const random = new Random(seed)
      const swaps = trades(random, 500)
      const birth = { slot: 1_000, timestamp: START_SECOND + 400, signature: 'told late' }
      const creations = ['a', 'b'].map((mint) =>
        created({ ...birth, mint, creator: 'wallet 1', supplyRaw: 10n ** 14n, signature: mint }),
      )
      expectSame(seed, [...swaps, ...creations, ...trades(random, 40, 2_000)], 200)
    }),
    { numRuns: byLength(2, 10) },
  )
})

test('a transaction whose swaps lie in two blocks that left memory is judged as one', () => {
  const at = (slot: number, index: number) => ({
    ...{ slot, txIndex: index, ordinal: index, timestamp: START_SECOND + slot, pool: 'curve' },
    ...{ signature: `swap ${slot} ${index}`, mint: 'other', signer: `wallet ${index}` },
  })
  const fillers = Array.from({ length: TAPE_BLOCK_RECORDS - 1 }, (_, i) => swap(at(1_000, i)))
  const joined = ['one', 'two'].map((signer, i) =>
    swap({ ...at(1_001, i), mint: 'a', signer, direction: 'buy', signature: 'joined' }),
  )
  const later = Array.from({ length: TAPE_BLOCK_RECORDS * 2 }, (_, i) => swap(at(1_100, i)))
  const birth = created({ slot: 900, mint: 'a', signature: 'told late', creator: 'three' })
  expectSame(0, [price(150), ...fillers, ...joined, ...later, swap(at(1_200, 0)), birth], 1_000)
})

test('records that no late event can take back never change', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const engine = new Engine(OPTIONS)
      const settled: Uint32Array[] = []
      const birth = created({ slot: 1_000, mint: 'a', supplyRaw: 5n, signature: 'told late' })
      for (const event of [...trades(new Random(seed), 300), birth, ...history(seed, 200)]) {
        engine.accept(event)
        while (settled.length < engine.settledSwaps)
          settled.push(recordOf(engine.state.tape, settled.length))
      }
      expect(settled.length).toBeGreaterThan(200)
      settled.forEach((record, index) => {
        expect(recordOf(engine.state.tape, index), `seed ${seed}, ${index}`).toEqual(record)
      })
    }),
    { numRuns: byLength(4, 20) },
  )
})

test('a chunk is whole blocks and whole pages', () => {
  expect(TAPE_CHUNK_RECORDS % TAPE_BLOCK_RECORDS).toBe(0)
  expect(TAPE_CHUNK_RECORDS % ROWS_PER_PAGE).toBe(0)
  expect(() => new Tape(TAPE_BLOCK_RECORDS + 1)).toThrow(RangeError)
  expect(() => new Tape(0)).toThrow(RangeError)
})

test('pages leave memory whole, and only what is archived leaves', () => {
  const tape = filled(new Tape(ROWS_PER_PAGE), ROWS_PER_PAGE * 3)
  const full = tape.bytes
  expect(() => tape.leaveMemory(ROWS_PER_PAGE)).toThrow(RangeError)
  tape.archive = new MemoryArchive()
  tape.archivedCount = ROWS_PER_PAGE * 2
  expect(() => tape.leaveMemory(ROWS_PER_PAGE / 2)).toThrow(RangeError)
  expect(() => tape.leaveMemory(ROWS_PER_PAGE * 3)).toThrow(RangeError)
  tape.leaveMemory(ROWS_PER_PAGE * 2)
  expect([tape.bytes, tape.firstInMemory]).toEqual([full / 3, ROWS_PER_PAGE * 2])
  tape.leaveMemory(ROWS_PER_PAGE)
  expect(tape.firstInMemory).toBe(ROWS_PER_PAGE * 2)
  expect(() => tape.truncate(ROWS_PER_PAGE * 2 - 1)).toThrow(RangeError)
  tape.truncate(ROWS_PER_PAGE * 2)
  expect([tape.add(), tape.count]).toEqual([ROWS_PER_PAGE * 2, ROWS_PER_PAGE * 2 + 1])
  expect(recordOf(tape, ROWS_PER_PAGE * 2)).toEqual(new Uint32Array(SWAP_U32_LANES))
})

test('a block that could not be read is asked for again, and so is the one it may have spoilt', () => {
  const tape = filled(new Tape(TAPE_BLOCK_RECORDS), TAPE_BLOCK_RECORDS * 2)
  const asked: number[] = []
  let isBroken = false
  const archive: TapeArchive = {
    block(block) {
      asked.push(block)
      if (isBroken) throw new TapeDamage('broken')
      return { u32: new Uint32Array([block]), f64: new Float64Array(0) }
    },
  }
  tape.archive = archive
  tape.archivedCount = TAPE_BLOCK_RECORDS * 2
  tape.leaveMemory(TAPE_BLOCK_RECORDS * 2)
  expect(tape.u32Of(3)[0]).toBe(0)
  expect(tape.u32Of(TAPE_BLOCK_RECORDS - 1)[0]).toBe(0)
  isBroken = true
  expect(() => tape.u32Of(TAPE_BLOCK_RECORDS)).toThrow(TapeDamage)
  isBroken = false
  expect(tape.u32Of(3)[0]).toBe(0)
  expect(tape.u32Of(TAPE_BLOCK_RECORDS)[0]).toBe(1)
  expect(asked).toEqual([0, 1, 0, 1])
})

/** Folds events into an engine that keeps its tape and one whose tape leaves; reads both alike. */
function expectSame(
  seed: number,
  events: readonly FeedEvent[],
  readEvery: number,
  readLast = 1,
): void {
  const keeps = new Engine(OPTIONS)
  const leaves = new Engine({ ...OPTIONS, tapeChunkRecords: TAPE_BLOCK_RECORDS })
  const archive = new MemoryArchive()
  for (const [at, event] of events.entries()) {
    keeps.accept(event)
    leaves.accept(event)
    archive.takeFrom(leaves)
    if ((at + 1) % readEvery !== 0 && at < events.length - readLast) continue
    const found = firstUnlike(allReads(leaves, events), allReads(keeps, events))
    expect(found, `seed ${seed}, after event ${at}`).toBeNull()
  }
  expect(leaves.state.tape.firstInMemory, `seed ${seed}`).toBeGreaterThan(TAPE_BLOCK_RECORDS)
  expect(archive.reads, `seed ${seed}`).toBeGreaterThan(0)
}

/** Every read, and every page of every mint's swaps. */
function allReads(engine: Engine, events: readonly FeedEvent[]): Map<string, string> {
  const reads = everyRead(engine, events)
  const answers = new EngineQueries(engine, () => {})
  const mints = new Set(events.flatMap((event) => ('mint' in event ? [event.mint] : [])))
  for (const mint of mints)
    for (let page = 3; page <= 30; page += 9)
      reads.set(`page ${page} of ${mint}`, answers.swaps(mint, null, { page, limit: 7 }))
  return reads
}

/**
 * Swaps of a busy mint and a quiet one, the quiet one never created here; several in a slot, some
 * in one transaction, some late.
 */
function trades(random: Random, count: number, firstSlot = 1_001): FeedEvent[] {
  const events: { event: FeedEvent; at: number }[] = [{ event: price(150), at: -2 }]
  let slot = firstSlot
  let txIndex = 0
  for (let i = 0; i < count; i += 1) {
    const isJoined = i > 0 && random.chance(0.2)
    if (!isJoined) {
      slot += random.chance(0.5) ? 0 : random.integer(1, 3)
      txIndex += 1
    }
    const event = swap({
      slot,
      txIndex,
      ordinal: i,
      timestamp: START_SECOND + Math.floor(slot / 2.5),
      signature: `swap-${firstSlot}-${txIndex}`,
      mint: random.chance(0.8) ? 'a' : 'b',
      pool: 'curve',
      signer: `wallet ${random.integer(1, 12)}`,
      direction: random.chance(0.6) ? 'buy' : 'sell',
      baseRaw: BigInt(random.integer(1, 10 ** 12)),
      quoteRaw: BigInt(random.integer(1, 10 ** 9)),
      virtualQuoteRaw: BigInt(random.integer(10 ** 9, 10 ** 11)),
      solPriceUsd: random.integer(10_000, 30_000) / 97,
      ...(i > count / 2 && random.chance(0.1) && { supplyRaw: 10n ** 15n }),
    })
    events.push({ event, at: random.chance(0.2) ? i + random.integer(1, 8) + 0.5 : i })
  }
  return events.sort((a, b) => a.at - b.at).map(({ event }) => event)
}

function filled(tape: Tape, count: number): Tape {
  while (tape.count < count) {
    const index = tape.add()
    tape.u32Of(index).fill(9, tape.at(index), tape.at(index) + SWAP_U32_LANES)
  }
  return tape
}

function recordOf(tape: Tape, index: number): Uint32Array {
  return tape.u32Of(index).slice(tape.at(index), tape.at(index) + SWAP_U32_LANES)
}

test('what is archived cannot be taken back, also while it lies in memory', () => {
  const tape = new Tape(TAPE_BLOCK_RECORDS)
  for (let i = 0; i < 2 * TAPE_BLOCK_RECORDS; i++) tape.add()
  tape.archivedCount = TAPE_BLOCK_RECORDS
  expect(() => tape.truncate(TAPE_BLOCK_RECORDS - 1)).toThrow('cannot be taken back')
  tape.truncate(TAPE_BLOCK_RECORDS)
  expect(tape.count).toBe(TAPE_BLOCK_RECORDS)
})
