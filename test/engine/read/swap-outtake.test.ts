import fc from 'fast-check'
import { expect, test } from 'vitest'
import { encodeBase58 } from '../../../src/base/base58.ts'
import { swapOfRecord } from '../../../src/engine/read/swap-outtake.ts'
import { AddressBook } from '../../../src/engine/state/address-book.ts'
import type { Swap } from '../../../src/events/event.ts'
import { Quote } from '../../../src/events/platform.ts'
import {
  givenBits,
  givenQuoteDecimals,
  givenQuoteOf,
  givenRoute,
  poolLane,
  poolOf,
  RecordBatch,
  SWAP_U32_LANES,
  SwapLane,
} from '../../../src/events/swap-record.ts'
import { anyEvent } from '../../feeds/arbitrary-events.ts'

const anySwap = anyEvent.filter((event): event is Swap => event.type === 'swap')
const chainSignature = fc.uint8Array({ minLength: 64, maxLength: 64 }).map(encodeBase58)

/** Swaps with signatures of any text, and with those of the chain. */
const swaps = fc.array(
  fc
    .tuple(anySwap, fc.option(chainSignature))
    .map(([swap, signature]) => (signature === null ? swap : { ...swap, signature })),
  { maxLength: 20 },
)

test('a record gives back the swap it was made of, whatever the swap', () => {
  fc.assert(
    fc.property(swaps, (given) => {
      const book = new AddressBook()
      const batch = new RecordBatch(given.length)
      for (const swap of given) batch.addSwap(swap, book)
      const { u32, f64 } = batch
      const read = given.map((_, i) => swapOfRecord({ u32, f64, at: RecordBatch.u32At(i) }, book))
      expect(read).toEqual(given.map(withoutFeesOfNothing))
    }),
  )
})

/** A fee that was told as 0 is kept as one that was not told: both are nothing. */
function withoutFeesOfNothing({ lpFeeRaw = 0n, cashbackRaw = 0n, ...swap }: Swap): Swap {
  return {
    ...swap,
    ...(lpFeeRaw > 0n && { lpFeeRaw }),
    ...(cashbackRaw > 0n && { cashbackRaw }),
  }
}

test('a record has what is told of the quote beside the number of the pool, as files have it', () => {
  const pool = 0x2fff_fff1
  const records = [poolLane(pool), ...Object.values(Quote).map((quote) => poolLane(pool, quote))]
  expect(records).toEqual([0x2fff_fff1, 0x6fff_fff1, 0xafff_fff1, 0xefff_fff1])
  for (const [i, lane] of records.entries()) {
    const u32 = new Uint32Array(SWAP_U32_LANES).fill(lane, SwapLane.pool, SwapLane.pool + 1)
    expect([poolOf(u32, 0), givenQuoteOf(u32, 0)]).toEqual([pool, i - 1])
  }
  expect([SwapLane.pool, SwapLane.quoteMint]).toEqual([8, 9])
})

test('a record has the hop of a route and the decimals of its quote in eight bits, as files have them', () => {
  expect(givenBits()).toBe(0)
  expect(givenBits(7, 18)).toBe((7 << 16) | (19 << 19))
  for (let route = 0; route <= 7; route++)
    for (let decimals = -1; decimals <= 18; decimals++) {
      const bits = givenBits(route, decimals)
      expect(bits & ~0xff_0000).toBe(0)
      expect([givenRoute(bits), givenQuoteDecimals(bits)]).toEqual([route, decimals])
    }
})

test('a hop and decimals that there is no room for are not told, and write over nothing', () => {
  for (const wrong of [-2, 31, 32, 255, 2 ** 31])
    expect(givenQuoteDecimals(givenBits(1, wrong))).toBe(-1)
  for (const wrong of [-1, 8, 255]) expect(givenBits(wrong, 6)).toBe(givenBits(0, 6))
  expect(givenBits(255, 255)).toBe(0)
})
