import { Engine } from '../../src/engine/engine.ts'
import type { FeedEvent } from '../../src/engine/event.ts'
import { RESOLUTIONS, TRADER_ORDERS } from '../../src/wire/answers.ts'
import { EngineAnswers } from '../../src/wire/engine-answers.ts'
import { EngineLive } from '../../src/wire/engine-live.ts'
import { Oracle } from '../oracle/oracle.ts'

/** Low enough that short histories make pro traders. */
const PRO_RULE = { trades: 6, mints: 2 }

/** Engine and oracle side by side, fed the same events. */
export class Pair {
  readonly oracle = new Oracle({ clock: 'event', proRule: PRO_RULE })
  readonly engine = new Engine({
    clock: 'event',
    rules: { proTrades: PRO_RULE.trades, proMints: PRO_RULE.mints },
  })
  readonly answers = new EngineAnswers(this.engine, () => {})
  readonly live = new EngineLive(this.engine)
  readonly trades: { mint: string; message: string }[] = []
  readonly mints = new Set<string>()
  readonly wallets = new Set<string>()

  constructor() {
    this.live.onTrade(
      () => true,
      (mint, message) => this.trades.push({ mint, message }),
    )
  }

  apply(event: FeedEvent): void {
    this.oracle.apply(event)
    this.engine.accept(event)
    if (event.type !== 'sol_price') this.mints.add(event.mint)
    if (event.type === 'swap') this.wallets.add(event.signer)
  }
}

/** The first difference between two JSON values, as a path and both sides; null when equal. */
export function difference(actual: unknown, expected: unknown, path = ''): string | null {
  if (Object.is(actual, expected)) return null
  if (isRecord(actual) && isRecord(expected)) {
    const keys = new Set([...Object.keys(actual), ...Object.keys(expected)])
    for (const key of keys) {
      const found = difference(actual[key], expected[key], `${path}.${key}`)
      if (found !== null) return found
    }
    return null
  }
  return `${path}: ${JSON.stringify(actual)} instead of ${JSON.stringify(expected)}`
}

function isRecord(value: unknown): value is Record<string, unknown> {
  return typeof value === 'object' && value !== null
}

/** Everything a reader could ask about the mint just touched. */
export function compareMint(pair: Pair, mint: string): string | null {
  const { oracle, answers } = pair
  const checks: [string, string, unknown][] = [
    ['market data', answers.marketData([mint]), oracle.marketData([mint])],
    [
      'swaps',
      answers.swaps(mint, null, { page: 1, limit: 200 }),
      oracle.swaps(mint, null, 1, 200),
    ],
  ]
  const query = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const
  checks.push(['traders', answers.tokenTraders(mint, query), oracle.tokenTraders(mint, query)])
  return firstDifference(checks)
}

/** The wide reads: tables, search, charts of every width, pages of every order, wallets. */
export function compareAll(pair: Pair, queries: readonly string[]): string | null {
  const { oracle, answers } = pair
  const tables = { type: 'all', filters: {}, limit: 50 } as const
  const checks: [string, string, unknown][] = [
    ['market data', answers.marketData([...pair.mints]), oracle.marketData([...pair.mints])],
    ['tables', answers.tables(tables), oracle.tables(tables)],
  ]
  for (const query of queries)
    checks.push([`search ${query}`, answers.search(query), oracle.search(query)])
  for (const wallet of pair.wallets)
    for (const orderBy of TRADER_ORDERS) {
      const query = { page: 1, limit: 3, orderBy, direction: 'asc' } as const
      checks.push([
        `tokens of ${wallet} by ${orderBy}`,
        answers.walletTokens(wallet, query),
        oracle.walletTokens(wallet, query),
      ])
    }
  for (const mint of pair.mints) checks.push(...mintChecks(pair, mint))
  return firstDifference(checks)
}

function mintChecks(pair: Pair, mint: string): [string, string, unknown][] {
  const { oracle, answers } = pair
  const checks: [string, string, unknown][] = []
  for (const resolution of RESOLUTIONS) {
    const query = {
      mint,
      from: 0,
      to: oracle.now,
      resolution,
      continuous: resolution === '5',
      fill: 'none',
      countback: 0,
      udf: resolution === '60',
    } as const
    checks.push([`chart ${resolution}`, answers.chart(query), oracle.chart(query)])
  }
  for (const wallet of pair.wallets)
    checks.push([
      `swaps of ${wallet}`,
      answers.swaps(mint, wallet, { page: 2, limit: 2 }),
      oracle.swaps(mint, wallet, 2, 2),
    ])
  for (const page of [1, 2, 3])
    checks.push([
      `swaps page ${page}`,
      answers.swaps(mint, null, { page, limit: 7 }),
      oracle.swaps(mint, null, page, 7),
    ])
  return checks
}

function firstDifference(checks: readonly [string, string, unknown][]): string | null {
  for (const [name, actual, expected] of checks) {
    const found = difference(JSON.parse(actual), JSON.parse(JSON.stringify(expected)))
    if (found !== null) return `${name} at ${found}`
  }
  return null
}
