import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { TAPE_BLOCK_RECORDS, Tape, type TapeArchive } from '../../../src/engine/state/tape.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { everyRead, firstUnlike } from '../../model/every-read.ts'
import { Random } from '../../oracle/random.ts'
import { DORMANT_OPTIONS, dormantMarket, restSome } from '../../properties/dormant-market.ts'

const EVENTS = 700
/** A record's number no longer fits into 31 bits from here on. */
const WIDE = 2 ** 31

test('an engine whose tapes pass 2^31 records answers, and is saved, as one that begins', () => {
  const events = dormantMarket(new Random(7), EVENTS)
  const first = WIDE - 2 * TAPE_BLOCK_RECORDS
  const [fresh, wide, restored] = [engineFrom(0), engineFrom(first), engineFrom(0)]
  for (const engine of [fresh, wide]) fold(engine, events)
  expect(wide.state.tape.count).toBe(first + fresh.state.tape.count)
  expect(wide.state.dormant.tape.count).toBe(first + fresh.state.dormant.tape.count)
  const expected = everyRead(fresh, events)
  expect(firstUnlike(everyRead(wide, events), expected)).toBeNull()
  for (const [i, tape] of tapesOf(restored).entries()) tape.archive = archiveOf(tapesOf(wide)[i])
  copyParts(wide.parts, restored.parts)
  expect(stateDigest(restored.parts)).toBe(stateDigest(wide.parts))
  expect(firstUnlike(everyRead(restored, events), expected)).toBeNull()
})

/** An engine with so many records behind it on each tape, of which nothing is asked for. */
function engineFrom(first: number): Engine {
  const engine = new Engine(DORMANT_OPTIONS)
  for (const tape of tapesOf(engine)) {
    tape.archive = archiveOf(new Tape(TAPE_BLOCK_RECORDS, tape.lanes))
    tape.reset(first, first)
  }
  return engine
}

function tapesOf({ state: { tape, dormant } }: Engine): readonly Tape[] {
  return [tape, dormant.tape]
}

/** The records of a tape that lie in its memory; all others are zeros. */
function archiveOf(tape: Tape | undefined): TapeArchive {
  if (tape === undefined) throw new Error('there are two tapes')
  const block = (number: number) => {
    const u32 = new Uint32Array(TAPE_BLOCK_RECORDS * tape.lanes)
    const first = number * TAPE_BLOCK_RECORDS
    if (first >= tape.firstInMemory && first < tape.count)
      new Uint8Array(u32.buffer).set(tape.blockBytes(first))
    return { u32, f64: new Float64Array(u32.buffer) }
  }
  return { block }
}

function fold(engine: Engine, events: readonly FeedEvent[]): void {
  const random = new Random(1)
  for (const event of events) {
    engine.accept(event)
    if (random.chance(0.1)) restSome(engine, random, 0.8)
  }
}
