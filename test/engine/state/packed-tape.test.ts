import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { packedBytesMax } from '../../../src/engine/state/packed-swaps.ts'
import { TAPE_BLOCK_RECORDS, Tape } from '../../../src/engine/state/tape.ts'
import { SWAP_U32_LANES, SwapLane } from '../../../src/events/swap-record.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { byLength } from '../../lengths.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { history } from '../../oracle/histories.ts'
import { Random } from '../../oracle/random.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const OPTIONS = { clock: 'event', identities: 1 << 13 } as const
const SMALL = { ...OPTIONS, tapeChunkRecords: TAPE_BLOCK_RECORDS } as const
const RECORD_BYTES = SWAP_U32_LANES * 4

test('an engine whose swaps are packed answers, and is saved, as one that packs none', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const events = history(seed, byLength(500, 900))
      fc.pre(events.some((event) => 'slot' in event && event.slot !== null))
      const random = new Random(seed)
      const plain = new Engine(OPTIONS)
      let packs = new Engine(SMALL)
      for (const event of events) {
        plain.accept(event)
        packs.accept(event)
        if (!random.chance(0.02)) continue
        // A restart in the middle; what is packed leaves as plain records.
        const again = new Engine(SMALL)
        again.state.tape.archive = archiveOf(packs.state.tape)
        copyParts(packs.parts, again.parts)
        again.state.tape.archivedCount = again.state.tape.firstInMemory
        expect(stateDigest(again.parts), `seed ${seed}`).toBe(stateDigest(packs.parts))
        packs = again
      }
      expect(packs.state.tape.firstPlain, `seed ${seed}`).toBeGreaterThan(TAPE_BLOCK_RECORDS)
      expect(plain.state.tape.firstPlain).toBe(0)
      for (let index = 0; index < plain.state.tape.count; index++) {
        const link = plain.state.tape.nextInSecond(index)
        expect(packs.state.tape.nextInSecond(index), `seed ${seed}, ${index}`).toBe(link)
        expect(recordOf(packs.state.tape, index), `seed ${seed}, ${index}`).toEqual(
          recordOf(plain.state.tape, index),
        )
      }
      expect(
        firstUnlike(everyRead(packs, events), everyRead(plain, events)),
        `seed ${seed}`,
      ).toBeNull()
    }),
    { numRuns: byLength(3, 30) },
  )
})

test('the link of a second of a packed swap is read without the rest of it, whatever stands there', () => {
  const lane = fc.oneof(fc.constantFrom(0, 0, 1, 0xffffffff), fc.nat(0xffffffff), fc.nat(300))
  const lanes = fc.array(lane, { minLength: SWAP_U32_LANES, maxLength: SWAP_U32_LANES })
  const records = fc.array(lanes, { minLength: 1, maxLength: 8 })
  const places = fc.array(fc.nat(2 * TAPE_BLOCK_RECORDS - 1), { minLength: 50, maxLength: 50 })
  fc.assert(
    fc.property(records, places, (some, asked) => {
      const tape = filled(TAPE_BLOCK_RECORDS, 3 * TAPE_BLOCK_RECORDS)
      for (let index = 0; index < tape.count; index++)
        tape.u32Of(index).set(some[index % some.length], tape.at(index))
      for (let page = 1; page <= 2; page++) tape.pack(2 * TAPE_BLOCK_RECORDS)
      for (const [i, index] of asked.entries()) {
        const link = some[index % some.length][SwapLane.nextInSecond]
        expect(tape.nextInSecond(index)).toBe(link)
        if (i % 3 === 0) expect(recordOf(tape, index)[SwapLane.nextInSecond]).toBe(link)
      }
    }),
    { numRuns: byLength(50, 1_000) },
  )
})

test('a tape counts the bytes of packed swaps, and pages that are packed are used again', () => {
  const tape = filled(TAPE_BLOCK_RECORDS, 6 * TAPE_BLOCK_RECORDS)
  const plainBytes = tape.bytes
  for (let page = 1; page <= 4; page++) {
    tape.pack(4 * TAPE_BLOCK_RECORDS)
    expect(tape.firstPlain).toBe(page * TAPE_BLOCK_RECORDS)
  }
  // What may still be taken back stays plain.
  tape.pack(5 * TAPE_BLOCK_RECORDS - 1)
  expect(tape.firstPlain).toBe(4 * TAPE_BLOCK_RECORDS)
  const blockBytes = TAPE_BLOCK_RECORDS * RECORD_BYTES
  // Where it is packed: begin and end of its one block, and room for the block.
  const packing = 2 * 4 + packedBytesMax(TAPE_BLOCK_RECORDS)
  expect(tape.spare.bytes).toBe(4 * blockBytes + packing)
  const packedBytes = tape.bytes - 2 * blockBytes
  expect(packedBytes).toBeGreaterThan(0)
  expect(packedBytes).toBeLessThan(0.9 * (plainBytes - 2 * blockBytes))
  for (let i = 0; i < TAPE_BLOCK_RECORDS; i++) tape.add()
  expect(tape.spare.bytes).toBe(3 * blockBytes + packing)
  expect(recordOf(tape, 6 * TAPE_BLOCK_RECORDS)).toEqual(new Uint32Array(SWAP_U32_LANES))
  expect(() => tape.truncate(4 * TAPE_BLOCK_RECORDS - 1)).toThrow(RangeError)
  tape.truncate(4 * TAPE_BLOCK_RECORDS)
})

test('packed swaps leave memory by what they take there, and their pages are used again', () => {
  const tape = filled(TAPE_BLOCK_RECORDS, 6 * TAPE_BLOCK_RECORDS)
  for (let page = 1; page <= 4; page++) tape.pack(4 * TAPE_BLOCK_RECORDS)
  const archive = new MemoryArchive()
  tape.archive = archive
  const before = tape.bytes
  tape.archivedCount = 4 * TAPE_BLOCK_RECORDS
  tape.shrink(before)
  expect(tape.firstInMemory).toBe(0)
  tape.shrink(before - 1)
  expect(tape.firstInMemory).toBe(TAPE_BLOCK_RECORDS)
  const gone = before - tape.bytes
  tape.shrink(0)
  expect(tape.firstInMemory).toBe(4 * TAPE_BLOCK_RECORDS)
  expect(tape.bytes).toBe(2 * TAPE_BLOCK_RECORDS * RECORD_BYTES)
  const spare = tape.spare.bytes
  tape.pack(5 * TAPE_BLOCK_RECORDS)
  expect(tape.spare.bytes).toBe(spare - gone + TAPE_BLOCK_RECORDS * RECORD_BYTES)
})

test('a block is read whole wherever it lies, and records of one block stay while others of it are read', () => {
  const tape = filled(2 * TAPE_BLOCK_RECORDS, 4 * TAPE_BLOCK_RECORDS)
  const expected = [0, 1, 2].map((block) => tape.blockBytes(block * TAPE_BLOCK_RECORDS).slice())
  tape.pack(3 * TAPE_BLOCK_RECORDS)
  expect(tape.firstPlain).toBe(2 * TAPE_BLOCK_RECORDS)
  for (const [block, bytes] of expected.entries())
    expect(Buffer.compare(tape.blockBytes(block * TAPE_BLOCK_RECORDS), bytes)).toBe(0)
  const [lanes, at] = [tape.u32Of(3), tape.at(3)]
  expect(tape.u32Of(5)).toBe(lanes)
  expect([lanes[at + 6], lanes[tape.at(5) + 6]]).toEqual([3, 5])
  const views = Buffer.concat(tape.views(TAPE_BLOCK_RECORDS))
  expect(Buffer.compare(views.subarray(0, expected[1].length), expected[1])).toBe(0)
  expect(views).toHaveLength(3 * TAPE_BLOCK_RECORDS * RECORD_BYTES)
})

/** Records with a signature, of tokens by their number. */
function filled(chunkRecords: number, count: number): Tape {
  const tape = new Tape(chunkRecords)
  while (tape.count < count) {
    const index = tape.add()
    tape.u32Of(index).fill(9, tape.at(index) + 40, tape.at(index) + SWAP_U32_LANES)
    tape.u32Of(index)[tape.at(index) + 6] = index
  }
  return tape
}

/** What has left a tape, of what lies in the memory of another. */
function archiveOf(tape: Tape): NonNullable<Tape['archive']> {
  return {
    block(block) {
      const bytes = tape.blockBytes(block * TAPE_BLOCK_RECORDS).slice()
      return { u32: new Uint32Array(bytes.buffer), f64: new Float64Array(bytes.buffer) }
    },
  }
}

function recordOf(tape: Tape, index: number): Uint32Array {
  return tape.u32Of(index).slice(tape.at(index), tape.at(index) + SWAP_U32_LANES)
}
