/** The three tables: every filter at its edges, ties, thresholds, and histories. */
import type { FeedEvent, MetadataKey } from '../../../src/events/event.ts'
import { type Filters, FLAG_FILTERS, SOCIALS } from '../../../src/protocol/filters.ts'
import type { TablesQuery } from '../../../src/protocol/queries.ts'
import { difference } from '../../model/difference.ts'
import { type Clock, Pair } from '../../model/pair.ts'
import { randomTables } from '../../model/random-queries.ts'
import { created, price, START_SECOND, swap } from '../../oracle/fixtures.ts'
import { history } from '../../oracle/histories.ts'
import { Random } from '../../oracle/random.ts'
import type { Case } from '../check.ts'
import { load } from '../story.ts'

const EVENTS = 60
const RANDOM_QUERIES = 60
/** Small enough for the arithmetic in doubles; 40 % sold is 600,000 left. */
const INITIAL = 1_000_000n

/** The same filters in all groups. */
const everywhere = (filters: Filters, limit = 200): TablesQuery => ({
  type: 'all',
  filters: { new: filters, completing: filters, graduated: filters },
  limit,
})

const FIXED: readonly TablesQuery[] = [
  everywhere({}),
  everywhere({}, 1),
  everywhere({}, 2),
  ...FLAG_FILTERS.flatMap((name) => [true, false].map((flag) => everywhere({ [name]: flag }))),
  ...SOCIALS.map((social) => everywhere({ socials: { [social]: true } })),
  everywhere({ socials: { atLeastOne: true } }),
  everywhere({ socials: { twitter: true, website: true } }),
  everywhere({ socials: { telegram: true, discord: true } }),
  ...[0, 1, 2].flatMap((value) => [
    everywhere({ txsBuys: { min: value, max: value } }),
    everywhere({ txsSells: { min: value, max: value } }),
    everywhere({ holders: { min: value, max: value } }),
    everywhere({ devCreations: { min: value, max: value } }),
    everywhere({ devMigrations: { min: value, max: value } }),
    everywhere({ xReuses: { min: value, max: value } }),
    everywhere({ ageMinutes: { min: value } }),
    everywhere({ ageMinutes: { max: value } }),
  ]),
]

function check(pair: Pair, seed: number): string | null {
  const random = new Random(seed)
  const some = Array.from({ length: RANDOM_QUERIES }, () => randomTables(random))
  for (const query of [...FIXED, ...some]) {
    const found = difference(JSON.parse(pair.answers.tables(query)), pair.oracle.tables(query))
    if (found !== null) return `${JSON.stringify(query)}: ${found.slice(0, 300)}`
  }
  return null
}

function tables(name: string, events: readonly FeedEvent[], clock: Clock = 'event'): Case {
  const run = () => {
    const pair = new Pair(clock)
    if (clock === 'wall') pair.setNow(START_SECOND - 40)
    load(pair, events)
    return check(pair, 1)
  }
  return { name, run }
}

const token = (mint: string, slot: number, over: object = {}) =>
  created({ mint, slot, signature: `create ${mint}`, realBaseRaw: INITIAL, ...over })

const links = (mint: string, texts: { readonly [K in MetadataKey]?: string }): FeedEvent => ({
  type: 'metadata',
  timestamp: START_SECOND,
  mint,
  ...texts,
})

const LEFT = [600_001n, 600_000n, 599_999n, 600_000n, 0n, INITIAL] as const

const threshold = tables('who is completing, and in which order', [
  price(150),
  ...LEFT.map((_, index) => token(`mint ${index}`, 100 + index)),
  ...LEFT.map((realBaseRaw, index) => swap({ mint: `mint ${index}`, slot: 120, realBaseRaw })),
])

const complete = (mint: string, slot: number): FeedEvent => ({
  type: 'completed',
  slot,
  txIndex: 1,
  ordinal: 9,
  signature: `complete ${mint}`,
  timestamp: START_SECOND + 5,
  mint,
  bondingCurve: 'curve',
})

const migrated = (mint: string, slot: number, txIndex = 1): FeedEvent => ({
  type: 'migrated',
  slot,
  txIndex,
  ordinal: 0,
  signature: `migrate ${mint}`,
  timestamp: START_SECOND + 6,
  mint,
  bondingCurve: 'curve',
  poolAmm: `pool of ${mint}`,
})

const groups = tables('sells after completion, migrations out of order', [
  price(150),
  ...['a', 'b', 'c', 'd', 'e'].map((mint, index) => token(mint, 100 + index)),
  complete('a', 120),
  swap({ mint: 'a', slot: 121, direction: 'sell', realBaseRaw: INITIAL - 1n }),
  ...['d', 'c', 'b'].map((mint, index) => migrated(mint, 130 + index)),
])

const ties = tables('ties', [
  price(150),
  ...['c', 'a', 'd', 'b'].map((mint) => token(mint, 100)),
  ...['z', 'x', 'y'].map((mint) => token(mint, 101)),
  ...['z', 'x', 'y'].map((mint) => migrated(mint, 130)),
])

const developers = tables('developers who sold all', [
  price(150),
  ...['all', 'dust', 'two', 'held', 'never', 'none', 'gone'].map((mint, index) =>
    token(mint, 100 + index, { creator: `creator of ${mint}` }),
  ),
  ...Object.entries({ all: 100n, dust: 99n, two: 98n, held: 50n }).flatMap(([mint, sold]) => {
    const creator = { mint, signer: `creator of ${mint}` }
    return [
      swap({ ...creator, baseRaw: 100n }),
      swap({ ...creator, slot: 115, direction: 'sell', baseRaw: sold }),
    ]
  }),
  swap({ mint: 'never', signer: 'creator of never', slot: 116, direction: 'sell' }),
  // Nothing was traded, but what was told of balances says that there was something.
  swap({
    mint: 'gone',
    signer: 'creator of gone',
    baseRaw: 0n,
    baseBalanceBeforeRaw: 100n,
    baseBalanceAfterRaw: 0n,
  }),
])

const metadata = tables('links and their re-use', [
  price(150),
  ...['one', 'two', 'three', 'four pump', 'five'].map((mint, index) => token(mint, 100 + index)),
  links('one', { twitter: 'https://x.com/Frog', website: 'https://a.b', telegram: 'https://t.me' }),
  links('two', { twitter: 'https://x.com/frog', discord: 'https://d.e' }),
  links('three', { twitter: 'https://twitter.com/FROG/', telegram: 'https://t.me' }),
  links('four pump', { website: 'https://a.b' }),
  { type: 'metadata', timestamp: START_SECOND, mint: 'one', dexPaid: true },
])

const ages = tables('ages', [
  price(150),
  ...[0, 30, 59, 60, 61, 120].map((age, index) =>
    token(`mint ${index}`, 100 + index, { timestamp: START_SECOND + 200 - age }),
  ),
])

const ahead = tables('tokens ahead of the clock', [price(150), token('ahead', 100)], 'wall')

const histories = Array.from({ length: 12 }, (_, index) =>
  tables(`history ${index + 1}`, history(index + 1, EVENTS)),
)

export const cases: readonly Case[] = [
  threshold,
  groups,
  ties,
  developers,
  metadata,
  ages,
  ahead,
  ...histories,
]
