import { expect, test } from 'vitest'
import { csvRows, csvToEvents } from './csv.ts'
import { dataText, hasData, withData } from './data-folder.ts'

const text = hasData ? dataText('cryptorsi-trades', 'trades_data.csv') : ''

/** Basis points of an amount, rounded up as the program does. */
function feeOf(amountRaw: bigint, basisPoints: bigint): bigint {
  return (amountRaw * basisPoints + 9_999n) / 10_000n
}

test.skipIf(!hasData)(`every row of the CSV has the fees of its basis points${withData}`, () => {
  const rows = csvRows(text)
  const events = csvToEvents(text)
  expect(events).toHaveLength(rows.length)
  expect(events.length).toBeGreaterThan(1_400)
  for (const [index, event] of events.entries()) {
    const row = rows[index]
    expect(event.platformFeeRaw).toBe(feeOf(event.quoteRaw, BigInt(row.fee_basis_points)))
    expect(event.creatorFeeRaw).toBe(feeOf(event.quoteRaw, BigInt(row.creator_fee_basis_points)))
  }
})

test.skipIf(!hasData)(`every row of the CSV is a state of the curve${withData}`, () => {
  for (const event of csvToEvents(text)) {
    expect(event.virtualQuoteRaw - event.realQuoteRaw).toBe(30_000_000_000n)
    expect(event.virtualBaseRaw - event.realBaseRaw).toBe(279_900_000_000_000n)
    const product = Number(event.virtualBaseRaw) * Number(event.virtualQuoteRaw)
    expect(Math.abs(product / (1.073e15 * 30e9) - 1)).toBeLessThan(1e-6)
    expect(event.realBaseRaw).toBeLessThanOrEqual(793_100_000_000_000n)
  }
})

test.skipIf(!hasData)(
  `both trades of a signature are kept, each with its ordinal${withData}`,
  () => {
    const events = csvToEvents(text)
    const identities = new Set(events.map((event) => `${event.signature} ${event.ordinal}`))
    expect(identities.size).toBe(events.length)
    expect(events.some((event) => event.ordinal === 1)).toBe(true)
    const positions = new Set(events.map((e) => `${e.slot} ${e.txIndex} ${e.ordinal}`))
    expect(positions.size).toBe(events.length)
  },
)
