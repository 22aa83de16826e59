import { expect, test } from 'vitest'
import { Budget } from '../../../src/base/budget.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { STORED_FROM_SWAPS } from '../../../src/engine/history/candles.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { RESOLUTIONS } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { copyParts } from '../../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../../src/store/snapshot/snapshot-file.ts'
import { budgetOf, readInTurns } from '../../budgets.ts'
import { firstDifference } from '../../model/difference.ts'
import { fillPage } from '../../model/page-ends.ts'
import { Pair } from '../../model/pair.ts'
import { wholeChart } from '../../model/random-queries.ts'
import { chart, created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { USDC } from '../../oracle/market.ts'
import { Random } from '../../oracle/random.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)
/** Pages of bars leave as soon as no late event reaches them. */
const SIZES = { identities: 1 << 15, keptBars: { seconds: 0, minutes: 0 } } as const
const PRO_RULES = { proTrades: 6, proMints: 2 } as const
const SWAPS = 6_000
const RESTORED_AT = 4_100
const LEFT = { seconds: 2_500, minutes: 1_500 } as const
const DAY = 86_400
/** Seconds between two swaps of a mint, drawn from these. */
const PACES = {
  bursts: [0, 1, 1, 2, 3, 9, 200, 2_000],
  steady: [0, 30, 70, 300, 900],
} as const
type Mint = keyof typeof PACES
const MINTS: readonly Mint[] = ['bursts', 'steady']
/** How far times lie behind, where they do. */
const BEHIND = [1, 50, 600, 3_600, 9_000, DAY, 400_000] as const

/** Mints that trade for days, engine and oracle beside each other. */
class Market {
  readonly pair = new Pair('event', SIZES)
  readonly random: Random
  /** An engine whose bars stay. */
  readonly #kept = new Engine({ clock: 'event', identities: SIZES.identities, rules: PRO_RULES })
  readonly #clocks = new Map<Mint, number>()
  #slot = 1_000
  #count = 0

  constructor(seed: number) {
    this.random = new Random(seed)
    this.apply(price(150))
    // The first pages are nearly full: they leave while there are few swaps, which are read fast.
    const { bars, minutes } = this.pair.engine.state
    fillPage(bars, LEFT.seconds)
    fillPage(minutes, LEFT.minutes)
    for (const mint of MINTS) {
      this.#clocks.set(mint, START_SECOND)
      this.apply(created({ mint, slot: this.#slot, signature: `create ${mint}` }))
    }
  }

  apply(event: FeedEvent): void {
    this.pair.apply(event)
    this.#kept.accept(event)
  }

  /** Swaps in the order of their times; some come late, some have a time far behind. */
  trade(count: number): void {
    for (let i = 0; i < count; i++) {
      const [mint = 'bursts', time = 0] = [...this.#clocks].sort(([, a], [, b]) => a - b)[0] ?? []
      this.#clocks.set(mint, time + this.random.pick(PACES[mint]))
      this.#slot += this.random.integer(0, 2)
      const behind = this.random.chance(0.01) ? this.random.pick(BEHIND) : 0
      const late = this.random.chance(0.05) ? this.random.integer(1, 30) : 0
      this.apply(this.swap(mint, { slot: this.#slot - late, timestamp: time - behind }))
      if (this.random.chance(0.0005)) this.pair.restart()
    }
  }

  swap(mint: Mint, over: Partial<Swap> = {}): FeedEvent {
    this.#count += 1
    return swap({
      mint,
      slot: this.#slot,
      txIndex: this.random.integer(0, 50),
      timestamp: this.#clocks.get(mint) ?? 0,
      signature: `swap ${this.#count}`,
      quoteRaw: BigInt(this.random.integer(0, 10 ** 9)),
      virtualQuoteRaw: this.random.chance(0.01)
        ? 0n
        : BigInt(this.random.integer(10 ** 9, 10 ** 11)),
      ...over,
    })
  }

  /** Charts of every width that end anywhere, each read in goes of a few pieces, and the highest price. */
  expectCharts(): void {
    const { answers, oracle } = this.pair
    const queries = MINTS.flatMap((mint) =>
      RESOLUTIONS.flatMap((resolution) => {
        const to = this.random.integer(START_SECOND - 10, oracle.now)
        const past = { ...wholeChart(mint, to, resolution), countback: this.random.integer(1, 400) }
        const span = chart({ mint, resolution, from: to - 4_000, to, fill: 'previous' })
        const newest = { ...wholeChart(mint, oracle.now, resolution), countback: 40 }
        return [past, this.random.pick([span, newest])]
      }),
    )
    const checks = queries.map((query) => ({
      name: `${query.mint} ${query.resolution} to ${query.to}`,
      actual: readInTurns(
        (budget) => answers.beginChart(query, budget),
        undefined,
        () => budgetOf(this.random.integer(2, 60)),
      ).answer.write(Budget.unlimited),
      expected: oracle.chart(query),
    }))
    expect(firstDifference(checks)).toBeNull()
    const kept = new EngineQueries(this.#kept, () => {})
    // The highest price of all and of each window.
    for (const mint of MINTS) expect(answers.detail(mint)).toBe(kept.detail(mint))
  }
}

test(`charts whose bars are gone are those of the oracle, also when times lie days behind (seed ${SEED})`, () => {
  const market = new Market(SEED)
  market.trade(2 * STORED_FROM_SWAPS)
  for (let round = 0; round < 5; round++) {
    market.trade(450)
    if (round % 2 === 1) market.pair.leaveMemory()
    market.expectCharts()
  }
  const { bars, minutes } = market.pair.engine.state
  expect(bars.first).toBeGreaterThan(0)
  expect(minutes.first).toBeGreaterThan(0)
  expect(market.pair.engine.bars.past.bytes).toBeGreaterThan(0)
  // All prices are others from here on, and all bars are stored anew.
  market.apply(market.swap('bursts', { quoteMint: USDC }))
  market.trade(100)
  market.expectCharts()
}, 120_000)

test('seconds that are gone are folded in pieces, and are there for the next read', () => {
  const engine = new Engine({ clock: 'event', ...SIZES })
  const restored = new Engine({ clock: 'event', ...SIZES })
  const answers = new EngineQueries(engine, () => {})
  for (let i = 0; i < SWAPS; i++) {
    const event = swap({ slot: 1_000 + i, timestamp: START_SECOND + i })
    engine.accept(event)
    if (i === RESTORED_AT) copyParts(engine.parts, restored.parts)
    if (i > RESTORED_AT) restored.accept(event)
  }
  expect(engine.state.bars.first).toBeGreaterThan(0)
  // Which bars are gone is the same for whoever folds, wherever it began.
  expect(stateDigest(restored.parts)).toBe(stateDigest(engine.parts))
  const query = { ...wholeChart('mint', START_SECOND + 1_000, '1S'), countback: 300 }
  const read = () => readInTurns((budget) => answers.beginChart(query, budget))
  // Of each of the six minutes some swaps a turn, and no more than those of the minutes.
  const { turns } = read()
  expect(turns).toBeGreaterThan(6 * 2)
  expect(turns).toBeLessThan(SWAPS / 60)
  expect(read().turns).toBe(1)
  // A swap of then that comes now is in it, also once no late event reaches that one.
  const solAt = (second: number) => {
    const { answer } = read()
    return answer.column('v_sol')[answer.column('t').indexOf(START_SECOND + second)] ?? 0
  }
  const before = solAt(950)
  engine.accept(swap({ slot: 1_000 + SWAPS, timestamp: START_SECOND + 950 }))
  // All swaps since are looked at, in pieces too.
  expect(read().turns).toBeGreaterThan(SWAPS / 60)
  expect(solAt(950)).toBe(2 * before)
  for (let i = 1; i < 40; i++)
    engine.accept(swap({ slot: 1_000 + SWAPS + i, timestamp: START_SECOND + SWAPS + i }))
  expect(solAt(950)).toBe(2 * before)
})
