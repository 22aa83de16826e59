import { expect, test } from 'vitest'
import { STORED_FROM_SWAPS } from '../../../src/engine/history/candles.ts'
import { TokenFlag, TokenLane } from '../../../src/engine/state/layout.ts'
import type { FeedEvent, Swap } from '../../../src/events/event.ts'
import { RESOLUTIONS } from '../../../src/protocol/queries.ts'
import { firstDifference } from '../../model/difference.ts'
import { Pair } from '../../model/pair.ts'
import { wholeChart } from '../../model/random-queries.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { USDC } from '../../oracle/market.ts'
import { Random } from '../../oracle/random.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)
const MORE_SWAPS = 600
const FIRST_SLOT = 1_000
const SOL = 'So11111111111111111111111111111111111111112'

/** Engine and oracle of one mint that trades all the time. */
class BusyMint {
  readonly pair = new Pair('event')
  readonly #random = new Random(SEED)
  #slot = FIRST_SLOT
  #count = 0

  constructor() {
    this.pair.apply(price(150))
  }

  /** Swaps, of which some come late. */
  trade(count: number): void {
    for (let i = 0; i < count; i++) {
      this.#slot += this.#random.integer(0, 3)
      const slot = this.#random.chance(0.1) ? this.#slot - 20 : this.#slot
      this.pair.apply(this.swap({ slot, timestamp: START_SECOND + slot }))
    }
  }

  swap(over: Partial<Swap> = {}): FeedEvent {
    this.#count += 1
    return swap({
      slot: this.#slot,
      txIndex: this.#count,
      timestamp: START_SECOND + this.#slot,
      signature: `swap ${this.#count}`,
      quoteRaw: BigInt(this.#random.integer(1, 10 ** 9)),
      virtualQuoteRaw: BigInt(this.#random.integer(10 ** 9, 10 ** 11)),
      ...over,
    })
  }

  get hasStoredBars(): boolean {
    const { state } = this.pair.engine
    return (
      (state.tokens.get(state.book.findToken('mint'), TokenLane.flags) & TokenFlag.barsStored) !== 0
    )
  }

  /** Charts of all time and of its beginning, whose bars lie far down the links. */
  expectCharts(): void {
    const { answers, oracle } = this.pair
    const charts = RESOLUTIONS.flatMap((resolution) =>
      [oracle.now, START_SECOND + FIRST_SLOT + 700].map((to) => ({
        ...wholeChart('mint', to, resolution),
        countback: 50,
      })),
    )
    const checks = charts.map((query) => ({
      name: `${query.resolution} to ${query.to}`,
      actual: answers.chart(query),
      expected: oracle.chart(query),
    }))
    expect(firstDifference(checks)).toBeNull()
  }
}

const TOLD = {
  'a swap': (mint: BusyMint) => mint.swap({ quoteMint: USDC }),
  'a creation told late': () => created({ slot: FIRST_SLOT - 10, quoteMint: USDC }),
} as const

test.each(Object.entries(TOLD))(
  `bars that are stored have other prices once %s tells another quote (seed ${SEED})`,
  (_, told) => {
    const mint = new BusyMint()
    mint.trade(STORED_FROM_SWAPS + MORE_SWAPS)
    expect(mint.hasStoredBars).toBe(true)
    mint.expectCharts()
    mint.pair.apply(told(mint))
    mint.expectCharts()
    // The first ones that come late take back what was told, and have it folded again.
    mint.trade(MORE_SWAPS)
    expect(mint.hasStoredBars).toBe(true)
    mint.expectCharts()
  },
  60_000,
)

test(`bars are others too once a quote told late goes before the one told first (seed ${SEED})`, () => {
  const mint = new BusyMint()
  mint.trade(STORED_FROM_SWAPS + MORE_SWAPS)
  mint.expectCharts()
  mint.pair.apply(mint.swap({ quoteMint: SOL }))
  // Comes late: in the total order it is the first that tells.
  mint.pair.apply(mint.swap({ txIndex: 0, quoteMint: USDC }))
  mint.trade(MORE_SWAPS)
  expect(mint.hasStoredBars).toBe(true)
  // Its time lies far down the links, where a reader has been before.
  mint.pair.apply(mint.swap({ timestamp: START_SECOND + FIRST_SLOT + 690 }))
  mint.expectCharts()
})

/** Swaps that nobody can price, and the many behind them: with few the bars are made at the read. */
for (const [unpriced, priced, isStored] of [
  [200, 300, false],
  [1_100, 1_200, true],
] as const)
  test(`trades without a price leave the prices of ${isStored ? 'stored' : 'derived'} bars to others`, () => {
    const mint = new BusyMint()
    const random = new Random(SEED + 1)
    // Their times lie among those of the others, though they come first in the order.
    const trade = (count: number, slot: number) => {
      for (let i = 0; i < count; i++) {
        const seconds = random.integer(0, 4_000) * random.pick([1, 1, 30])
        const timestamp = START_SECOND + FIRST_SLOT + seconds
        mint.pair.apply(mint.swap({ slot: random.chance(0.05) ? slot - 1 : slot, timestamp }))
      }
    }
    mint.pair.apply(created({ slot: FIRST_SLOT - 20, quoteMint: 'A' }))
    trade(unpriced, FIRST_SLOT)
    mint.pair.apply(swap({ mint: 'A', pool: 'curve A', slot: FIRST_SLOT + 5 }))
    trade(priced, FIRST_SLOT + 10)
    // Its creation says that it is quoted in what nobody knows.
    const inNothing = { mint: 'A', signature: 'A', quoteMint: 'nobody' }
    mint.pair.apply(created({ ...inNothing, slot: FIRST_SLOT + 15 }))
    trade(unpriced / 2, FIRST_SLOT + 20)
    expect(mint.hasStoredBars).toBe(isStored)
    mint.expectCharts()
  })
