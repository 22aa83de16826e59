import type { FeedEvent, Swap } from '../../src/events/event.ts'
import { type Check, firstDifference } from './difference.ts'
import type { Pair } from './pair.ts'

const TRADERS = { page: 1, limit: 200, orderBy: 'pnl', direction: 'desc' } as const
const LATEST = { page: 1, limit: 2, orderBy: 'last_active_ts', direction: 'desc' } as const
const WHOLE_EVERY = 4

/**
 * After every event: market data, newest swaps and last active traders of the touched mint, and the
 * live messages the event caused; now and then all its swaps and traders.
 */
export function checkEvent(pair: Pair, event: FeedEvent, index = 0): string | null {
  const messages = firstDifference(countChecks(pair)) ?? firstDifference(messageChecks(pair, event))
  if (messages !== null) return messages
  const [first] = pair.mints
  const mint = 'mint' in event ? event.mint : first
  if (mint === undefined) return null
  return firstDifference(
    index % WHOLE_EVERY === 0 ? mintChecks(pair, mint) : latestChecks(pair, mint),
  )
}

function* latestChecks({ oracle, answers }: Pair, mint: string): Generator<Check> {
  yield {
    name: 'market data',
    actual: answers.marketData([mint]),
    expected: oracle.marketData([mint]),
  }
  yield {
    name: 'newest swaps',
    actual: answers.swaps(mint, null, { page: 1, limit: 2 }),
    expected: oracle.swaps(mint, null, 1, 2),
  }
  yield {
    name: 'last active traders',
    actual: answers.tokenTraders(mint, LATEST),
    expected: oracle.tokenTraders(mint, LATEST),
  }
}

export function* mintChecks({ oracle, answers }: Pair, mint: string): Generator<Check> {
  yield {
    name: 'market data',
    actual: answers.marketData([mint]),
    expected: oracle.marketData([mint]),
  }
  yield {
    name: 'swaps',
    actual: answers.swaps(mint, null, { page: 1, limit: 200 }),
    expected: oracle.swaps(mint, null, 1, 200),
  }
  yield {
    name: 'traders',
    actual: answers.tokenTraders(mint, TRADERS),
    expected: oracle.tokenTraders(mint, TRADERS),
  }
}

/** What was refused, of which kind of event ever. */
function* countChecks({ engine, oracle }: Pair): Generator<Check> {
  for (const name of ['duplicates', 'lateRefused'] as const)
    yield { name, actual: String(engine.counts[name]), expected: oracle.counts[name] }
}

/** One trade message for a swap that was taken, none for another event, and so with migrations. */
function* messageChecks(pair: Pair, event: FeedEvent): Generator<Check> {
  const { trades, migrations, oracle } = pair
  if (event.type === 'gap') {
    yield* filledChecks(pair)
    return
  }
  if (event.type === 'swap') yield* tradeChecks(pair, event)
  else yield { name: 'trade messages', actual: String(trades.length), expected: 0 }
  const isMigration = event.type === 'migrated' && oracle.counts.secondMigrations === seconds(pair)
  yield { name: 'migrations', actual: String(migrations.length), expected: isMigration ? 1 : 0 }
  if (event.type === 'migrated' && migrations[0] !== undefined)
    yield {
      name: 'migration message',
      actual: migrations[0],
      expected: oracle.migrationMessage(event.mint),
    }
  trades.length = 0
  migrations.length = 0
  pair.lastCounts = { ...oracle.counts }
}

/**
 * All that was taken to fill a gap is told by its end, in the order of arrival: each as the state was when the later
 * events were folded again, which for the last one is now.
 */
function* filledChecks(pair: Pair): Generator<Check> {
  const { filled, migrations, oracle, trades } = pair
  const swaps = filled.filter((event) => event.type === 'swap')
  const migrated = filled.filter((event) => event.type === 'migrated')
  yield { name: 'trade messages', actual: String(trades.length), expected: swaps.length }
  yield {
    name: 'trades of a gap',
    actual: JSON.stringify(trades.map(nameOf)),
    expected: swaps.map(({ signature }) => signature),
  }
  const last = swaps.at(-1)
  if (last !== undefined)
    yield {
      name: 'last trade message of a gap',
      actual: trades.at(-1) ?? '',
      expected: oracle.tradeMessage(last.mint, last.signature, last.ordinal),
    }
  yield { name: 'migrations', actual: String(migrations.length), expected: migrated.length }
  filled.length = 0
  trades.length = 0
  migrations.length = 0
  pair.lastCounts = { ...oracle.counts }
}

function* tradeChecks({ trades, oracle, lastCounts }: Pair, swap: Swap): Generator<Check> {
  const { duplicates, lateRefused } = oracle.counts
  const isRefused = duplicates > lastCounts.duplicates || lateRefused > lastCounts.lateRefused
  yield { name: 'trade messages', actual: String(trades.length), expected: isRefused ? 0 : 1 }
  if (trades[0] !== undefined)
    yield {
      name: 'trade message',
      actual: trades[0],
      expected: oracle.tradeMessage(swap.mint, swap.signature, swap.ordinal),
    }
}

const seconds = (pair: Pair): number => pair.lastCounts.secondMigrations

/** The signature of the swap that a message tells of. */
function nameOf(message: string): unknown {
  const { data }: { readonly data?: { readonly signature?: unknown } } = JSON.parse(message)
  return data?.signature
}
