import { expect, test } from 'vitest'
import { BarChains } from '../../../src/engine/history/bar-chains.ts'
import { STORED_FROM_SWAPS } from '../../../src/engine/history/candles.ts'
import type { Rows } from '../../../src/engine/memory/rows.ts'
import { BASE_WIDTHS_SECONDS, Bar } from '../../../src/engine/state/layout.ts'
import type { State } from '../../../src/engine/state/state.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { readInTurns } from '../../budgets.ts'
import { price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { engineOf } from '../../store/restoring.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)
const MINTS = ['mint 1', 'mint 2'] as const
/** So few that places are remembered among bars that late swaps still take back. */
const REMEMBERED_EVERY = 3
const ROUNDS = 6
const SWAPS = 1_500
const LOOKS = 200

test(`the newest bar before a time is that of the whole chain, also when late swaps make bars (seed ${SEED})`, () => {
  const random = new Random(SEED)
  const engine = engineOf('event', 1 << 14)
  engine.events([price(150)])
  const { state } = engine
  const chains = new BarChains(state, (base) => engine.settledBars(base), REMEMBERED_EVERY)
  let slot = 1_000
  let goes = 0
  for (let round = 0; round < ROUNDS; round++) {
    for (let i = 0; i < STORED_FROM_SWAPS + SWAPS; i++) {
      if (random.chance(0.7)) slot += random.integer(1, 4)
      const at = random.chance(0.1) ? slot - random.integer(1, 30) : slot
      engine.events([
        swap({
          slot: at,
          txIndex: random.integer(1, 50),
          timestamp: START_SECOND + at,
          mint: random.pick(MINTS),
          signature: `swap ${round} ${i}`,
        }),
      ])
      // Looks between events meet bars that are taken back later.
      if (i % 100 === 0) look()
    }
    for (let i = 0; i < LOOKS; i++) look()
  }
  expect(goes).toBeGreaterThan(LOOKS / 4)

  function look(): void {
    const token = state.book.findToken(random.pick(MINTS))
    if (token < 0) return
    const base = random.integer(0, BASE_WIDTHS_SECONDS.length - 1)
    const whole = rowsOf(state, token, base)
    const end = START_SECOND + random.integer(1_000, slot + 10)
    const { answer, turns } = readInTurns(
      (budget) => chains.newestBefore(token, base, end, budget),
      // A turn is never without progress.
      (turn) => expect(turn).toBeLessThanOrEqual(whole.length),
    )
    goes += turns - 1
    const expected = whole.find((row) => rowsOfWidth(state, base).get(row, Bar.time) < end)
    expect(answer).toBe(expected === undefined ? 0 : expected + 1)
  }
})

test('the minute of a high that lies far back is gone to in pieces', () => {
  const engine = engineOf('event', 1 << 14)
  const reads = new EngineQueries(engine, () => {})
  engine.events([price(150)])
  for (let minute = 0; minute < 3 * STORED_FROM_SWAPS; minute++)
    engine.events([
      swap({
        slot: 1_000 + 100 * minute,
        timestamp: START_SECOND + 60 * minute,
        virtualQuoteRaw: minute === 3 ? 90_000_000_000n : 30_000_000_000n,
      }),
    ])
  const { answer, turns } = readInTurns((budget) => reads.detail('mint', budget))
  expect(turns).toBeGreaterThan(20)
  const detail: unknown = JSON.parse(answer ?? '')
  expect(detail).toMatchObject({ ath_timestamp: '2023-11-14 00:03:00' })
  const minute = 3 * STORED_FROM_SWAPS
  engine.events([
    swap({
      slot: 1_000 + 100 * minute,
      timestamp: START_SECOND + 60 * minute,
      virtualQuoteRaw: 91_000_000_000n,
    }),
  ])
  const higher: unknown = JSON.parse(reads.detail('mint') ?? '')
  expect(higher).toMatchObject({ ath_timestamp: '2023-11-18 06:24:00' })
})

function rowsOf(state: State, token: number, base: number): number[] {
  const rows: number[] = []
  for (let next = state.barHeads.get(token, base); next !== 0; ) {
    rows.push(next - 1)
    next = rowsOfWidth(state, base).get(next - 1, Bar.previousPlus1)
  }
  return rows
}

function rowsOfWidth(state: State, base: number): Rows {
  const rows = state.barWidths[base]
  if (rows === undefined) throw new Error(`no base width ${base}`)
  return rows
}
