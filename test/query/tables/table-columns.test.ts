import fc from 'fast-check'
import { expect, test } from 'vitest'
import { Budget } from '../../../src/base/budget.ts'
import { Engine } from '../../../src/engine/engine.ts'
import { TokenReader } from '../../../src/engine/read/token-reader.ts'
import type { FeedEvent } from '../../../src/events/event.ts'
import {
  type Filters,
  FLAG_FILTERS,
  GROUPS,
  type Group,
  RANGE_FILTERS,
} from '../../../src/protocol/filters.ts'
import type { TablesQuery } from '../../../src/protocol/queries.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { METRICS } from '../../../src/query/tables/metrics.ts'
import { readInTurns } from '../../budgets.ts'
import { randomTables } from '../../model/random-queries.ts'
import { created, migrated, price, START_SECOND, swap, twitter } from '../../oracle/fixtures.ts'
import { Random } from '../../oracle/random.ts'

/** More than are looked at before columns are settled. */
const MINTS = 3_500
const CREATORS = 40
const LINKS = 60
const WALLETS = 300
const FIRST_SLOT = 1_000
/** Between two rounds: nothing, little, and more than the log of changes keeps. */
const ROUND_EVENTS = [0, 10, 10, 100, 100, 1_000, 6_000] as const
const ROUNDS = 20
/** Asked once, beside those that are asked in each round. */
const NEW_QUERIES = 2
/** How likely a slice has time for another look. */
const LOOKS_ON = 0.9
/** Events between two slices of one read. */
const EVENTS_MEANWHILE = 20
/** Events after which another mint is the one that is created over and over. */
const CREATED_ANEW = 60
/** The first mints are what every fifth is quoted in. */
const COINS = 3
const IN_COIN_EVERY = 5
/** Less than the slots that an event may come late by. */
const LATE_SLOTS_MAX = 24

test('filters over more tokens than are looked at one by one let pass what a look at each does', () => {
  fc.assert(
    fc.property(fc.integer({ min: 1 }), (seed) => {
      const random = new Random(seed)
      const engine = new Engine({ clock: 'event', identities: 1 << 14 })
      const answers = new EngineQueries(engine, () => {})
      const market = new CrowdedMarket(random)
      for (let i = 0; i < MINTS; i++) engine.accept(market.birth(i))
      const goOn = (count: number) => {
        for (let i = 0; i < count; i++) engine.accept(market.event())
      }
      const old = narrowQueries(random)
      for (let round = 0; round < ROUNDS; round++) {
        goOn(random.pick(ROUND_EVENTS))
        const fresh = Array.from({ length: NEW_QUERIES }, () => randomTables(random))
        for (const query of [...old, ...fresh, ...tightQueries(engine, random)]) {
          // In slices of some looks, with the market going on between them; or at once.
          const slice = new Budget(() => random.chance(LOOKS_ON))
          const budget = random.chance(0.5) ? slice : Budget.unlimited
          const { answer } = readInTurns(
            (given) => answers.tableAnswer(query, given),
            () => goOn(EVENTS_MEANWHILE),
            () => budget,
          )
          const told: Record<string, { mint: string }[]> = JSON.parse(answer.bytes.toString())
          const mints = Object.entries(told).map(([group, rows]) => [
            group,
            rows.map(({ mint }) => mint),
          ])
          expect(Object.fromEntries(mints)).toEqual(looked(engine, query))
        }
      }
    }),
    { numRuns: Number(process.env.RUNS ?? 2) },
  )
})

/** Conditions that few tokens pass, so that all are looked at, and that hang on each kind of column. */
function narrowQueries(random: Random): readonly TablesQuery[] {
  const conditions: readonly Filters[] = [
    { xReuses: { min: random.integer(1, 60) } },
    { devCreations: { min: random.integer(20, 70), max: 70 } },
    { devMigrations: { min: random.integer(1, 8) } },
    { mCapUsd: { min: random.integer(4_000, 40_000) } },
    { ageMinutes: { max: random.integer(1, 40) }, txsBuys: { min: random.integer(2, 9) } },
    {
      volumeUsd: { min: random.integer(100, 9_000) },
      devCreations: { min: random.integer(1, 80) },
    },
    { holders: { min: random.integer(2, 9) }, noXReuses: true },
  ]
  return conditions.map((few) => {
    const filters = Object.fromEntries(GROUPS.map((group) => [group, few]))
    return { type: 'all', filters, limit: random.pick([1, 50, 200]) }
  })
}

/** Quantities of each kind of column. */
const TIGHT = [
  ...(['mCapUsd', 'volumeUsd', 'txsBuys', 'holders'] as const),
  ...(['devCreations', 'devMigrations', 'xReuses', 'ageMinutes'] as const),
]
/** Tokens that pass a tight filter, or more of the same value. */
const TIGHT_TOKENS = 40

/** Conditions that only the tokens of the greatest values pass: what was the greatest before may not be any more. */
function tightQueries(engine: Engine, random: Random): readonly TablesQuery[] {
  const reader = new TokenReader(engine.state, engine.top, engine.links)
  return TIGHT.map((name) => {
    const amounts = engine.order.new.tokens.map((token) => amountOf(reader.at(token), name))
    const min = amounts.sort((a, b) => b - a)[random.integer(0, TIGHT_TOKENS)]
    return { type: 'new', filters: { new: { [name]: { min } } }, limit: 200 }
  })
}

/** The mints of each group, by a look at each of its tokens in their order. */
function looked(engine: Engine, query: TablesQuery): Record<string, string[]> {
  const reader = new TokenReader(engine.state, engine.top, engine.links)
  const groups = GROUPS.filter((group) => query.type === 'all' || query.type === group)
  return Object.fromEntries(
    groups.map((group) => {
      const tokens = engine.order[group].tokens.toReversed()
      const passing = tokens.filter((token) => passes(reader.at(token), query, group))
      return [group, passing.slice(0, query.limit).map((token) => reader.at(token).mint)]
    }),
  )
}

function passes(token: TokenReader, query: TablesQuery, group: Group): boolean {
  const filters = query.filters[group] ?? {}
  for (const name of RANGE_FILTERS) {
    if (filters[name] === undefined) continue
    const { min, max } = filters[name]
    const value = amountOf(token, name)
    if (value < (min ?? -1) || value > (max ?? Number.POSITIVE_INFINITY)) return false
  }
  for (const name of FLAG_FILTERS)
    if (filters[name] === true && amountOf(token, name) === 0) return false
  return passesSocials(token, filters)
}

function passesSocials(token: TokenReader, { socials }: Filters): boolean {
  const links = ['twitter', 'telegram', 'website', 'discord'] as const
  const has = (link: string) =>
    METRICS.some(({ names, read }) => names.table === link && read(token) !== '')
  return (
    links.every((link) => socials?.[link] !== true || has(link)) &&
    (socials?.atLeastOne !== true || links.some(has))
  )
}

function amountOf(token: TokenReader, name: string): number {
  if (name === 'noXReuses') return Number(token.xReuses === 0)
  const metric = METRICS.find(({ filter }) => filter === name)
  if (metric === undefined) throw new Error(`no metric ${name}`)
  return Number(metric.read(token))
}

/** A price that makes market caps as they are of mints quoted in SOL. */
const IN_COIN = { virtualQuoteRaw: 30n * 10n ** 14n }
const isInCoin = (mint: number) => mint >= COINS && mint % IN_COIN_EVERY === 0

/** Few creators and links for many mints; events come late, so that births are taken back. */
class CrowdedMarket {
  readonly #random: Random
  #events = 0

  constructor(random: Random) {
    this.#random = random
  }

  birth(mint: number): FeedEvent {
    const place = this.#place(`mint ${mint}`)
    const quote = isInCoin(mint) && { ...IN_COIN, quoteMint: `mint ${mint % COINS}` }
    return created({ ...place, creator: this.#creator(), ...quote })
  }

  event(): FeedEvent {
    const random = this.#random
    const mint = random.integer(0, random.chance(0.05) ? COINS : MINTS)
    const place = this.#place(`mint ${mint}`)
    if (random.chance(0.1)) {
      const link = random.chance(0.1) ? '' : `https://x.com/link${random.integer(1, LINKS)}`
      return { ...twitter(place.mint, link), timestamp: place.timestamp }
    }
    if (random.chance(0.1)) {
      const mint = `late mint ${Math.floor(this.#events / CREATED_ANEW)}`
      return created({ ...place, mint, creator: this.#creator() })
    }
    if (random.chance(0.02)) return migrated({ ...place, poolAmm: `pool ${place.mint}` })
    if (random.chance(0.01)) return price(random.integer(100, 200))
    return swap({
      ...place,
      signer: `wallet ${random.integer(1, WALLETS)}`,
      direction: random.chance(0.7) ? 'buy' : 'sell',
      pool: `curve ${place.mint}`,
      virtualQuoteRaw: BigInt(random.integer(30, 400)) * (isInCoin(mint) ? 10n ** 14n : 10n ** 9n),
    })
  }

  #creator(): string {
    return `creator ${this.#random.integer(1, CREATORS)}`
  }

  #place(mint: string) {
    const random = this.#random
    this.#events += 1
    const late = random.chance(0.1) ? random.integer(0, LATE_SLOTS_MAX) : 0
    const slot = FIRST_SLOT + Math.floor(this.#events / 4)
    return {
      mint,
      slot: Math.max(FIRST_SLOT, slot - late),
      txIndex: this.#events % 1_000,
      timestamp: START_SECOND + Math.floor((slot - FIRST_SLOT) / 2.5),
      signature: `event ${this.#events}`,
    }
  }
}
