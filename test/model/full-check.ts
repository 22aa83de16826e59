import { GROUPS, WINDOWS } from '../../src/protocol/filters.ts'
import {
  RESOLUTIONS,
  type TablesQuery,
  TRADER_ORDERS,
  TRENDING_ORDERS,
} from '../../src/protocol/queries.ts'
import { Random } from '../oracle/random.ts'
import { QUERIES } from '../oracle/samples.ts'
import { checkAdditive, extraTableChecks } from './additive-check.ts'
import { type Check, firstDifference } from './difference.ts'
import { mintChecks } from './light-check.ts'
import type { Pair } from './pair.ts'
import { randomChart, randomTables, randomWindowTables, wholeChart } from './random-queries.ts'

/** Times that step back by more are promised no day (docs/live.md); feeds without slots bring such ones. */
export const STEP_BACK_SECONDS = 600

const DIRECTIONS = ['asc', 'desc'] as const

/** Every read there is, of every mint and wallet; `seed` picks the random questions. */
export function checkAll(pair: Pair, seed: number): string | null {
  const found = firstDifference(allChecks(pair, new Random(seed)))
  if (found !== null) return found
  for (const mint of [...pair.mints, 'unknown']) {
    const additive = checkAdditive(pair, mint)
    if (additive !== null) return additive
  }
  return null
}

function* allChecks(pair: Pair, random: Random): Generator<Check> {
  const { oracle, answers, mints, wallets } = pair
  const asked = [...mints, 'unknown']
  yield {
    name: 'market data of all',
    actual: answers.marketData(asked),
    expected: oracle.marketData(asked),
  }
  yield* tableChecks(pair, random)
  yield* extraTableChecks(pair)
  yield* trendingChecks(pair)
  yield* searchChecks(pair, random)
  for (const mint of asked) {
    yield* mintChecks(pair, mint)
    yield* chartChecks(pair, mint, random)
    yield* swapPageChecks(pair, mint)
    yield* traderChecks(pair, mint)
  }
  for (const wallet of [...wallets, 'nobody']) yield* walletChecks(pair, wallet)
}

function someTables(random: Random): TablesQuery[] {
  return Array.from({ length: 16 }, (_, n) =>
    n % 2 === 0 ? randomTables(random) : randomWindowTables(random),
  )
}

function* tableChecks({ oracle, answers }: Pair, random: Random): Generator<Check> {
  const all = { type: 'all', filters: {}, limit: 50 } as const
  for (const query of [all, ...someTables(random)])
    yield {
      name: `tables ${JSON.stringify(query)}`,
      actual: answers.tables(query),
      expected: oracle.tables(query),
    }
}

/** Values in order, each that of its token; the rows are those of the tables. */
function* trendingChecks({ oracle, answers }: Pair): Generator<Check> {
  const tables = JSON.parse(answers.tables({ type: 'all', filters: {}, limit: 200 }))
  const rows: { readonly mint: string }[] = GROUPS.flatMap((group) => tables[group])
  for (const window of WINDOWS)
    for (const by of TRENDING_ORDERS) {
      const { bytes } = answers.trending({ window, by, limit: 200 })
      const values = oracle.trending({ window, by, limit: 200 })
      const items: { readonly mint: string }[] = JSON.parse(bytes.toString()).items
      const order = [...values.values()].sort((a, b) => b - a)
      const expected = items.map(({ mint }, place) => ({
        rank: place + 1,
        value: values.get(mint),
        ...rows.find((row) => row.mint === mint),
        ...oracle.windows(mint),
      }))
      yield { name: `trending ${window} ${by}`, actual: JSON.stringify(items), expected }
      const found = items.map(({ mint }) => values.get(mint))
      yield { name: `order of ${window} ${by}`, actual: JSON.stringify(found), expected: order }
    }
}

function* searchChecks({ oracle, answers, mints }: Pair, random: Random): Generator<Check> {
  const [mint = 'no mint is known before the first event'] = mints
  const part = mint.slice(random.integer(0, 20), random.integer(21, 38))
  for (const query of [...QUERIES, mint.toLowerCase(), part])
    yield {
      name: `search ${JSON.stringify(query)}`,
      actual: answers.search(query),
      expected: oracle.search(query),
    }
}

function* chartChecks({ oracle, answers }: Pair, mint: string, random: Random): Generator<Check> {
  const whole = RESOLUTIONS.map((resolution) => wholeChart(mint, oracle.now, resolution))
  const some = Array.from({ length: 6 }, () => randomChart(random, mint, oracle.now))
  for (const query of [...whole, ...some])
    yield {
      name: `chart ${JSON.stringify(query)}`,
      actual: answers.chart(query),
      expected: oracle.chart(query),
    }
}

function* swapPageChecks({ oracle, answers, wallets }: Pair, mint: string): Generator<Check> {
  for (const page of [1, 2, 3, 9])
    yield {
      name: `swaps page ${page}`,
      actual: answers.swaps(mint, null, { page, limit: 5 }),
      expected: oracle.swaps(mint, null, page, 5),
    }
  for (const wallet of wallets)
    for (const page of [1, 2])
      yield {
        name: `swaps of ${wallet} page ${page}`,
        actual: answers.swaps(mint, wallet, { page, limit: 2 }),
        expected: oracle.swaps(mint, wallet, page, 2),
      }
}

function* traderChecks({ oracle, answers }: Pair, mint: string): Generator<Check> {
  for (const orderBy of TRADER_ORDERS)
    for (const direction of DIRECTIONS) {
      const query = { page: direction === 'asc' ? 1 : 2, limit: 3, orderBy, direction }
      yield {
        name: `traders ${JSON.stringify(query)}`,
        actual: answers.tokenTraders(mint, query),
        expected: oracle.tokenTraders(mint, query),
      }
    }
}

function* walletChecks({ oracle, answers }: Pair, wallet: string): Generator<Check> {
  if (oracle.stepBackSeconds(wallet) < STEP_BACK_SECONDS)
    yield {
      name: `summary of ${wallet}`,
      actual: answers.wallet(wallet),
      expected: oracle.wallet(wallet),
    }
  for (const orderBy of TRADER_ORDERS)
    for (const direction of DIRECTIONS) {
      const query = { page: direction === 'asc' ? 2 : 1, limit: 2, orderBy, direction }
      yield {
        name: `tokens of ${wallet} ${JSON.stringify(query)}`,
        actual: answers.walletTokens(wallet, query),
        expected: oracle.walletTokens(wallet, query),
      }
    }
}
