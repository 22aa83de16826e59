import { expect, test } from 'vitest'
import { SOL_PRICE_USD } from '../../src/base/thresholds.ts'
import type { Engine } from '../../src/engine/engine.ts'
import { ROW_MASK, ROW_SHIFT, type Rows } from '../../src/engine/memory/rows.ts'
import { PositionLane, WalletLane } from '../../src/engine/state/layout.ts'
import { PositionRecord } from '../../src/engine/state/position-rows.ts'
import { eventLineText, type FeedEvent } from '../../src/events/event.ts'
import { parseEventLine } from '../../src/events/event-lines.ts'
import { listDataFiles } from '../../src/store/folder/data-folder.ts'
import { journalEvents } from '../../src/store/journal/journal-events.ts'
import { everyRead } from '../model/every-read.ts'
import { created, price, swap } from '../oracle/fixtures.ts'
import { begun, FOLDER, recovered } from '../store/damage/folder.ts'
import { ImageDisk } from '../store/damage/image-disk.ts'
import { engineOf } from '../store/restoring.ts'

const ABSURD = [1e308, 1e300, SOL_PRICE_USD.max * 1.1, SOL_PRICE_USD.min / 2, 5e-324]
const ALLOWED = 'must be a number from 0.000001 to 1000000 (USD per SOL)'
const U64_MAX = 2n ** 64n - 1n

test.each(ABSURD)('a line with a SOL price of %d is refused with a sentence', (usd) => {
  for (const [event, key] of [
    [price(usd), 'usd'],
    [swap({ solPriceUsd: usd }), 'sol_price_usd'],
  ] as const) {
    const read = parseEventLine(eventLineText(event))
    expect(read).toEqual({ error: expect.stringContaining(`"${key}" is ${usd} but ${ALLOWED}`) })
  }
})

test.each([SOL_PRICE_USD.min, SOL_PRICE_USD.max])(
  'at a SOL price of %d nothing is beyond what a double holds, whatever the amounts are',
  (usd) => {
    const events = [price(usd), ...vastTrades()].map(toldAgain)
    const engine = engineOf('event', 1 << 10)
    engine.events(events)
    expectFinite(engine, events)
  },
)

test('absurd prices that a journal of a former version holds are none: its fold goes on without them', () => {
  const disk = new ImageDisk()
  const { journal, journaled } = begun(disk)
  journaled.settings()
  const events: FeedEvent[] = [price(150), ...vastTrades()]
  for (const [i, usd] of ABSURD.entries())
    events.push(
      price(usd),
      // One frame: the first and the last of its swaps have absurd prices.
      ...[usd, undefined, usd].map((solPriceUsd, n) => {
        const about = { slot: 900 + i, ordinal: n, signature: `${n} at ${usd}`, quoteRaw: U64_MAX }
        const direction = n === 1 ? ('sell' as const) : ('buy' as const)
        return swap({ ...about, direction, ...(solPriceUsd !== undefined && { solPriceUsd }) })
      }),
    )
  // The feeds of that version let them through.
  journaled.events(events)
  journal.close()
  expect(disk.list(FOLDER)).toHaveLength(1)
  const { engine } = recovered(disk)
  expect(engine.counts.swaps).toBe(events.filter(({ type }) => type === 'swap').length)
  expect(engine.state.solPriceUsd).toBe(150)
  expectFinite(engine, events)
  // Nor are they told by what reads the journal without folding it.
  const from = { seq: 0, segment: 0 }
  const files = listDataFiles(disk, FOLDER)
  const frames = journalEvents(disk, files, from, Number.POSITIVE_INFINITY, engine.state.book)
  const told = [...frames].flatMap((frame) => frame.events)
  expect(told).toHaveLength(events.length)
  for (const event of told) expect(event).not.toHaveProperty('solPriceUsd')
})

/** Trades of the largest amounts and prices, in coins that are quoted in one another among them. */
function vastTrades(): FeedEvent[] {
  const vast = { virtualQuoteRaw: U64_MAX, virtualBaseRaw: 1n, quoteRaw: U64_MAX, baseRaw: U64_MAX }
  const coins = ['first', 'second', 'third', 'fourth', 'fifth']
  return coins.flatMap((mint, i) => {
    const quote = i === 0 ? {} : { quoteMint: coins[i - 1], quoteDecimals: 0 }
    const slot = 10 + 10 * i
    const sides = ['buy', 'sell', 'buy'] as const
    return [
      created({ slot, mint, signature: `creation of ${mint}`, decimals: 18, ...quote }),
      ...sides.map((direction, n) => {
        const about = { slot: slot + n + 1, mint, direction, signature: `${n} of ${mint}` }
        return swap({ ...about, ...vast, ...quote })
      }),
    ]
  })
}

/** As a feed tells it by a line. */
function toldAgain(event: FeedEvent): FeedEvent {
  const whole = event.type === 'token_created' ? { ...event, tokenProgram: 'program' } : event
  const read = parseEventLine(eventLineText(whole))
  if ('error' in read) throw new Error(read.error)
  return read
}

const USD_LANES = [
  PositionLane.costUsdF,
  PositionLane.boughtUsdF,
  PositionLane.soldUsdF,
  PositionLane.realizedUsdF,
]

function expectFinite(engine: Engine, events: readonly FeedEvent[]): void {
  const { positions, wallets } = engine.state
  const record = new PositionRecord()
  expect(positions.count).toBeGreaterThan(0)
  for (let row = 0; row < positions.count; row++) {
    positions.copy(row, record)
    for (const lane of USD_LANES) {
      const value = record.f64[lane] ?? Number.NaN
      expect(Number.isFinite(value), `lane ${lane} of position ${row} is ${value}`).toBe(true)
    }
  }
  expectFiniteLanes(wallets, [WalletLane.realizedMicroUsdF])
  for (const answer of everyRead(engine, events).values())
    expect(answer).not.toMatch(/NaN|Infinity/)
}

function expectFiniteLanes(rows: Rows, lanes: readonly number[]): void {
  expect(rows.count).toBeGreaterThan(0)
  for (let row = 0; row < rows.count; row++)
    for (const lane of lanes) {
      const value = rows.f64[row >>> ROW_SHIFT][((row & ROW_MASK) * rows.lanes) / 2 + lane]
      expect(Number.isFinite(value), `lane ${lane} of row ${row} is ${value}`).toBe(true)
    }
}
