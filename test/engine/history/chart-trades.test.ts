import { expect, test } from 'vitest'
import { Engine } from '../../../src/engine/engine.ts'
import { STORED_FROM_SWAPS } from '../../../src/engine/history/candles.ts'
import { TAPE_BLOCK_RECORDS } from '../../../src/engine/state/tape.ts'
import { RESOLUTIONS } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { budgetOf, readInTurns } from '../../budgets.ts'
import { wholeChart } from '../../model/random-queries.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'
import { MemoryArchive } from '../../store/memory-archive.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)
const OPTIONS = { clock: 'event', identities: 1 << 14, tapeChunkRecords: 128 } as const
const USDC = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
/** Other swaps between two of the mint: a block has some four of its swaps. */
const BETWEEN = 15
const BLOCKS = STORED_FROM_SWAPS / (TAPE_BLOCK_RECORDS / (BETWEEN + 1))

/** An engine whose oldest swaps leave memory, beside one that keeps all. */
class Two {
  readonly kept = new Engine(OPTIONS)
  readonly left = new Engine(OPTIONS)
  readonly archive = new MemoryArchive()
  readonly random = new Random(SEED)
  #slot = 1_000
  #count = 0

  constructor() {
    for (const engine of [this.kept, this.left]) engine.events([price(150)])
  }

  /** A swap of a mint; some come late. */
  swap(mint: string): void {
    const { random } = this
    if (random.chance(0.3)) this.#slot += random.integer(1, 5)
    const slot = random.chance(0.1) ? this.#slot - random.integer(1, 30) : this.#slot
    const event = swap({
      slot,
      txIndex: random.integer(1, 400),
      timestamp: START_SECOND + slot,
      mint,
      signature: `swap ${this.#count++}`,
      virtualQuoteRaw: BigInt(random.integer(10 ** 9, 10 ** 11)),
    })
    for (const engine of [this.kept, this.left]) engine.accept(event)
  }

  leave(): void {
    this.archive.takeFrom(this.left)
  }

  expectCharts(mint: string): void {
    const [kept, left] = [this.kept, this.left].map((engine) => new EngineQueries(engine, () => {}))
    for (const resolution of RESOLUTIONS) {
      const query = wholeChart(mint, this.kept.state.now, resolution)
      expect(left.chart(query), `${resolution} of ${mint}`).toBe(kept.chart(query))
    }
  }

  /** Brings a chart near in goes of so many trades; how many goes it took. */
  goes(mint: string, trades: number): number {
    const answers = new EngineQueries(this.left, () => {})
    const query = wholeChart(mint, this.left.state.now, '1')
    const budget = () => budgetOf(trades)
    return readInTurns((one) => answers.beginChart(query, one), undefined, budget).turns
  }
}

test(`charts of swaps on the disk are made in pieces, and then without the disk (seed ${SEED})`, () => {
  const two = new Two()
  for (let round = 1; round <= 12; round++) {
    for (let i = 0; i < 20; i++) {
      two.swap('quiet')
      for (let k = 0; k < BETWEEN; k++) two.swap(`mint ${k}`)
    }
    two.leave()
    const goes = two.goes('quiet', 7)
    // The older ones are not copied again.
    expect(goes).toBeLessThanOrEqual(6)
    expect(goes).toBeGreaterThan(1)
    const { reads } = two.archive
    two.expectCharts('quiet')
    expect(two.archive.reads).toBe(reads)
  }
})

test('copied trades have other prices once the creation tells another quote mint', () => {
  const two = new Two()
  for (let i = 0; i < 300; i++) two.swap('a')
  two.leave()
  two.goes('a', 1_000)
  two.expectCharts('a')
  const birth = created({ mint: 'a', slot: 990, signature: 'told late', quoteMint: USDC })
  for (const engine of [two.kept, two.left]) engine.accept(birth)
  two.goes('a', 1_000)
  two.expectCharts('a')
})

test('the bars of a slow mint are begun without a fold that reads all its swaps', () => {
  const two = new Two()
  let readsMax = 0
  for (let i = 0; i < STORED_FROM_SWAPS + 50; i++) {
    const { reads } = two.archive
    two.swap('slow')
    readsMax = Math.max(readsMax, two.archive.reads - reads)
    for (let k = 0; k < BETWEEN; k++) two.swap(`mint ${k}`)
    if (i % 100 === 0) two.leave()
  }
  expect(two.archive.reads).toBeGreaterThan(BLOCKS * 0.9)
  // A late swap may have others folded anew, each of which brings some near.
  expect(readsMax).toBeLessThan(BLOCKS / 2)
  two.expectCharts('slow')
})
