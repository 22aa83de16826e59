import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { packedBlock, unpackedBlock } from '../../../src/engine/state/packed-swaps.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import {
  Flag,
  SWAP_RECORD_BYTES,
  SWAP_U32_LANES,
  SwapFloatLane,
  SwapLane,
} from '../../../src/events/swap-record.ts'
import { Market } from '../../../src/feeds/simulator/market.ts'
import { History } from '../../../src/feeds/simulator/simulator.ts'
import { byLength } from '../../lengths.ts'
import { history } from '../../oracle/histories.ts'

const OPTIONS = { clock: 'event', identities: 1 << 13 } as const
/** Of the 224 bytes, as decision 51 wants it. */
const PACKED_BYTES_MAX = 135

/** What a record comes back as; the naive form is the record itself. */
function back(records: Uint8Array, index: number): Uint8Array {
  const into = new Uint8Array(records.length).fill(0xee)
  expect(unpackedBlock(packedBlock(records, index), index, into)).toBe(true)
  return into
}

function expectBack(records: Uint8Array, index: number, what: string): void {
  const read = back(records, index)
  if (Buffer.compare(read, records) === 0) return
  const at = records.findIndex((byte, i) => byte !== read[i])
  const lane = Math.floor((at % SWAP_RECORD_BYTES) / 4)
  throw new Error(
    `${what}: lane ${lane} of record ${Math.floor(at / SWAP_RECORD_BYTES)} is another`,
  )
}

/** A record of a curve as the fold leaves it, in which everything follows that can. */
function usual(change: (u32: Uint32Array, f64: Float64Array) => void = () => {}): Uint8Array {
  const u32 = new Uint32Array(SWAP_U32_LANES)
  const f64 = new Float64Array(u32.buffer)
  const put = (lane: number, value: number) => {
    u32[lane] = value
    u32[lane + 1] = value / 2 ** 32
  }
  f64[SwapFloatLane.slot] = 400_000_000
  f64[SwapFloatLane.solPriceUsd] = -150
  f64[SwapFloatLane.volumeMicroUsd] = 150_000_000
  u32[SwapLane.timestamp] = 1_767_225_600
  u32[SwapLane.token] = 7
  u32[SwapLane.wallet] = 8
  u32[SwapLane.pool] = 9
  put(SwapLane.supplyLo, 10 ** 15)
  put(SwapLane.baseLo, 10 ** 12)
  put(SwapLane.quoteLo, 10 ** 9)
  put(SwapLane.virtualBaseLo, 1_073_000_000_000_000)
  put(SwapLane.virtualQuoteLo, 30_000_000_000)
  put(SwapLane.realBaseLo, 793_100_000_000_000)
  put(SwapLane.balanceAfterLo, 10 ** 12)
  change(u32, f64)
  return new Uint8Array(u32.buffer)
}

test('any bytes of a record come back bit for bit', () => {
  const byte = fc.oneof(fc.constantFrom(0, 0, 0, 1, 0x7f, 0x80, 0xff), fc.nat(255))
  const block = fc
    .integer({ min: 1, max: 3 })
    .chain((count) =>
      fc.uint8Array({ minLength: count * SWAP_RECORD_BYTES, maxLength: count * SWAP_RECORD_BYTES }),
    )
  const rare = fc
    .array(byte, { minLength: SWAP_RECORD_BYTES, maxLength: SWAP_RECORD_BYTES })
    .map((bytes) => Uint8Array.from(bytes))
  fc.assert(
    fc.property(fc.oneof(block, rare), fc.nat(0xffffffff), (records, index) => {
      expectBack(records, index, `place ${index}`)
    }),
    { numRuns: byLength(500, 20_000) },
  )
})

test('a record that differs from a usual one in some lanes comes back bit for bit', () => {
  const value = fc.oneof(
    fc.constantFrom(
      0,
      1,
      2,
      0xff,
      0x100,
      0xffff,
      0x10000,
      0xffffff,
      0x7fffffff,
      0x80000000,
      0xffffffff,
    ),
    fc.nat(0xffffffff),
  )
  const change = fc.tuple(fc.nat(SWAP_U32_LANES - 1), value)
  fc.assert(
    fc.property(
      fc.array(fc.array(change, { maxLength: 4 }), { minLength: 1, maxLength: 5 }),
      (all) => {
        const records = Buffer.concat(
          all.map((changes) =>
            usual((u32) => {
              for (const [lane, lanes] of changes) u32[lane] = lanes
            }),
          ),
        )
        expectBack(records, 1_000, JSON.stringify(all))
      },
    ),
    { numRuns: byLength(1_000, 50_000) },
  )
})

test.each([
  ['no price', 0],
  ['a price that is no number', Number.NaN],
  ['an endless price', Number.POSITIVE_INFINITY],
  ['the least price', Number.MIN_VALUE],
  ['the largest price', -Number.MAX_VALUE],
])('a volume comes back that was made with %s', (_, price) => {
  for (const volume of [0, -0, 1, 150_000_000, -2.5, Number.NaN, Number.POSITIVE_INFINITY])
    expectBack(
      usual((_u32, f64) => {
        f64[SwapFloatLane.solPriceUsd] = price
        f64[SwapFloatLane.volumeMicroUsd] = volume
      }),
      5,
      `volume ${volume}`,
    )
})

test.each([-1, 0, -0, 0.5, 1e300, Number.NaN, Number.NEGATIVE_INFINITY, 2 ** 53])(
  'a slot of %d comes back',
  (slot) => {
    const odd = usual((_u32, f64) => {
      f64[SwapFloatLane.slot] = slot
    })
    for (const records of [odd, Buffer.concat([usual(), odd]), Buffer.concat([odd, usual()])])
      expectBack(records, 5, `slot ${slot}`)
  },
)

test('links to the first swap, to none, to itself and to later ones come back', () => {
  for (const index of [0, 1, 63, 0xfffffffe])
    for (const link of [0, 1, index, index + 1, index + 2, 0xffffffff])
      for (const lane of [9, 10, 11])
        expectBack(
          usual((u32) => {
            u32[lane] = link
          }),
          index,
          `link ${link} at ${index}`,
        )
})

test('what follows from other lanes takes no bytes, of buys, sales and pools', () => {
  const lengthOf = (record: Uint8Array) => packedBlock(record, 100).length
  const least = lengthOf(usual())
  const sale = usual((u32) => {
    u32[SwapLane.flags] = Flag.sell
    u32.copyWithin(SwapLane.balanceBeforeLo, SwapLane.baseLo, SwapLane.baseLo + 2)
    u32.fill(0, SwapLane.balanceAfterLo, SwapLane.balanceAfterLo + 2)
  })
  expect(lengthOf(sale)).toBe(least)
  const pool = usual((u32) => {
    u32[SwapLane.flags] = Flag.amm
    u32.fill(0, SwapLane.lpFeeLo, SwapLane.lpFeeLo + 2)
  })
  expect(lengthOf(pool)).toBe(least)
  // Token, wallet and pool a byte each, amount 5, quote 4, virtual reserves 7 and 5; head and signature.
  expect(least).toBe(24 + 1 + 13 + 3 + 5 + 4 + 7 + 5 + 64)
  for (const lane of [SwapLane.supplyLo, SwapLane.realBaseLo, SwapLane.balanceAfterLo, 16])
    expect(
      lengthOf(usual((u32) => u32.fill(u32[lane] - 1, lane, lane + 1))),
      `${lane}`,
    ).toBeGreaterThan(least)
})

test('records of random histories come back, each from its place alone', () => {
  fc.assert(
    fc.property(fc.integer(), (seed) => {
      const engine = new Engine(OPTIONS)
      for (const event of history(seed, 400)) engine.accept(event)
      const { tape } = engine.state
      for (let first = 0; first + 8 <= tape.count; first += 8) {
        const at = tape.at(first)
        const lanes = tape.u32Of(first).slice(at, at + 8 * SWAP_U32_LANES)
        expectBack(new Uint8Array(lanes.buffer), first, `seed ${seed}, from ${first} on`)
      }
    }),
    { numRuns: byLength(4, 60) },
  )
})

test('swaps of a simulated market take 0.6 of their bytes', () => {
  const engine = new Engine({ ...OPTIONS, tapeChunkRecords: TAPE_BLOCK_RECORDS })
  const size = { tokens: 300, rate: 1, endSeconds: 1_767_225_600 }
  const about = { seed: 1, tokens: size.tokens, startSeconds: size.endSeconds }
  const market = new Market({ ...about, addressBook: engine.state.book }, engine)
  const past = new History(market, size)
  while (!past.step());
  market.flush()
  const { tape } = engine.state
  let bytes = 0
  const blocks = Math.floor(engine.settledSwaps / TAPE_BLOCK_RECORDS)
  for (let block = 0; block < blocks; block++) {
    const first = block * TAPE_BLOCK_RECORDS
    const records = tape.blockBytes(first).slice()
    bytes += packedBlock(records, first).length
    expectBack(records, first, `from ${first} on`)
  }
  expect(blocks).toBeGreaterThan(20)
  expect(bytes / (blocks * TAPE_BLOCK_RECORDS)).toBeLessThan(PACKED_BYTES_MAX)
})

test('bytes that are no block are refused, whatever they are', () => {
  const whole = packedBlock(Buffer.concat([usual(), usual(), usual()]), 9)
  const into = new Uint8Array(3 * SWAP_RECORD_BYTES)
  for (let end = 0; end < whole.length; end++)
    expect(unpackedBlock(whole.subarray(0, end), 9, into), `${end} bytes`).toBe(false)
  expect(unpackedBlock(Buffer.concat([whole, Buffer.alloc(1)]), 9, into)).toBe(false)
  fc.assert(
    fc.property(
      fc.uint8Array({ maxLength: 900 }),
      fc.nat(whole.length - 1),
      fc.nat(255),
      (bytes, at, to) => {
        unpackedBlock(bytes, 9, into)
        const damaged = whole.slice()
        damaged[at] = to
        // It is another record or none, and never reads beyond the block.
        unpackedBlock(damaged, 9, into)
        return true
      },
    ),
    { numRuns: byLength(1_000, 50_000) },
  )
})
