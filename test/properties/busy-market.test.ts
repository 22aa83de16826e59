import { expect, test } from 'vitest'
import { Budget, within } from '../../src/base/budget.ts'
import { Engine } from '../../src/engine/engine.ts'
import { STORED_FROM_SWAPS } from '../../src/engine/history/candles.ts'
import { TokenFlag, TokenLane } from '../../src/engine/state/layout.ts'
import { TAPE_BLOCK_RECORDS } from '../../src/engine/state/tape.ts'
import { RESOLUTIONS } from '../../src/protocol/queries.ts'
import { EngineQueries } from '../../src/query/engine-queries.ts'
import { copyParts } from '../../src/store/recovery/recovery.ts'
import { stateDigest } from '../../src/store/snapshot/snapshot-file.ts'
import { budgetOf, readInTurns } from '../budgets.ts'
import { type Check, firstDifference } from '../model/difference.ts'
import { randomChart, wholeChart } from '../model/random-queries.ts'
import { START_SECOND } from '../oracle/fixtures.ts'
import { Oracle } from '../oracle/oracle.ts'
import { Random } from '../oracle/random.ts'
import { MemoryArchive } from '../store/memory-archive.ts'
import { busyMarket, wallet } from './busy-market.ts'

const SEED = Number(process.env.PROPERTY_SEED ?? 20_261_122)
const HISTORIES = Number(process.env.RUNS ?? 6)
const EVENTS = STORED_FROM_SWAPS + 800
const READ_CHANCE = 0.05
const RESTORE_CHANCE = 0.001
const TRADERS = { page: 1, limit: 50, orderBy: 'pnl', direction: 'desc' } as const
const OPTIONS = {
  clock: 'event',
  identities: 1 << 13,
  rules: { proTrades: 8, proMints: 2 },
  tapeChunkRecords: TAPE_BLOCK_RECORDS,
} as const

/** An engine that is read in pieces between its events, whose swaps leave memory, and that is restored. */
class ReadEngine {
  engine = new Engine(OPTIONS)
  answers = new EngineQueries(this.engine, () => {})
  readonly #archive = new MemoryArchive()
  readonly #random: Random

  constructor(random: Random) {
    this.#random = random
  }

  leaveMemory(): void {
    this.#archive.takeFrom(this.engine)
  }

  restore(): void {
    const restored = new Engine(OPTIONS)
    copyParts(this.engine.parts, restored.parts)
    expect(stateDigest(restored.parts)).toBe(stateDigest(this.engine.parts))
    restored.state.tape.archive = this.#archive
    this.engine = restored
    this.answers = new EngineQueries(restored, () => {})
  }

  hasStoredBars(mint: string): boolean {
    const { state } = this.engine
    return (
      (state.tokens.get(state.book.findToken(mint), TokenLane.flags) & TokenFlag.barsStored) !== 0
    )
  }

  /** Goes some steps towards an answer, which the next event may change. */
  goTowards(mint: string): void {
    const random = this.#random
    const budget = budgetOf(random.integer(1, 5))
    const query = randomChart(random, mint, this.engine.state.now)
    const signer = random.chance(0.5) ? wallet(random) : null
    const page = { page: random.integer(1, 60), limit: random.integer(1, 50) }
    within(budget, () => this.answers.beginChart(query, budget).write(budget))
    within(budget, () => this.answers.swaps(mint, signer, page, budget))
  }
}

test(`a mint of thousands of swaps answers as the oracle does (seed ${SEED})`, () => {
  let stored = 0
  for (let seed = SEED; seed < SEED + HISTORIES; seed += 1) {
    const events = busyMarket(new Random(seed), EVENTS)
    const random = new Random(seed ^ 0xb5)
    const oracle = new Oracle({ clock: 'event', proRule: { trades: 8, mints: 2 } })
    const read = new ReadEngine(random)
    const fullAt = new Set([random.integer(STORED_FROM_SWAPS, EVENTS), EVENTS])
    for (const [at, event] of events.entries()) {
      oracle.apply(event)
      read.engine.accept(event)
      read.leaveMemory()
      if (random.chance(READ_CHANCE)) read.goTowards('mint 0')
      if (random.chance(RESTORE_CHANCE)) read.restore()
      if (fullAt.has(at))
        expect(
          firstDifference(checks(read.answers, oracle)),
          `seed ${seed}, event ${at}`,
        ).toBeNull()
    }
    if (read.hasStoredBars('mint 0')) stored += 1
  }
  expect(stored).toBeGreaterThan(HISTORIES / 2)
})

function* checks(answers: EngineQueries, oracle: Oracle): Generator<Check> {
  const mints = oracle.mints()
  yield {
    name: 'market data',
    actual: answers.marketData(mints),
    expected: oracle.marketData(mints),
  }
  for (const mint of mints) {
    yield {
      name: `traders of ${mint}`,
      actual: answers.tokenTraders(mint, TRADERS),
      expected: oracle.tokenTraders(mint, TRADERS),
    }
    yield* chartChecks(answers, oracle, mint)
    yield* swapChecks(answers, oracle, mint)
  }
}

/** All of it, and what lies far back; found in pieces. */
function* chartChecks(answers: EngineQueries, oracle: Oracle, mint: string): Generator<Check> {
  for (const resolution of RESOLUTIONS)
    for (const to of [oracle.now, START_SECOND + 1_800]) {
      const query = { ...wholeChart(mint, to, resolution), countback: 200 }
      const { answer } = readInTurns((budget) => answers.beginChart(query, budget))
      yield {
        name: `chart ${resolution} of ${mint} to ${to}`,
        actual: answer.write(Budget.unlimited),
        expected: oracle.chart(query),
      }
    }
}

function* swapChecks(answers: EngineQueries, oracle: Oracle, mint: string): Generator<Check> {
  for (const signer of [null, 'wallet 3'])
    for (const page of [1, 2, 7, 40])
      yield {
        name: `swaps of ${signer} in ${mint}, page ${page}`,
        actual: answers.swaps(mint, signer, { page, limit: 50 }),
        expected: oracle.swaps(mint, signer, page, 50),
      }
}
