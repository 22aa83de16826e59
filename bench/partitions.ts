/**
 * A market of 100,000 tokens in one engine and in 16 engines of a sixteenth of its mints each (`node bench/partitions.ts`):
 * what is shared out how, which answers differ without the facts that need other mints, and what a table costs that
 * is gathered from all. It ends by itself after some two minutes and needs 4 GB. The figures stand in docs/decisions/0044-partitions-by-mint.md.
 */
import { Engine } from '../src/engine/engine.ts'
import type { MemoryPart } from '../src/engine/memory/state-part.ts'
import { TokenReader } from '../src/engine/read/token-reader.ts'
import { ProfileLane } from '../src/engine/state/layout.ts'
import { Quote } from '../src/events/platform.ts'
import type { TablesQuery } from '../src/protocol/queries.ts'
import { EngineQueries } from '../src/query/engine-queries.ts'
import { tokenJson } from '../src/query/json/token-json.ts'
import { METRICS } from '../src/query/tables/metrics.ts'
import { queryOf, TABLE_BODIES } from './bodies.ts'
import { SERIAL_MARK } from './drivers/request-source.ts'
import { median } from './medians.ts'
import { type Gathered, gather } from './partitions/gathered-table.ts'
import { lateStamps } from './partitions/late-stamps.ts'
import {
  PARTITIONS,
  PartitionedMarket,
  type PartitionSet,
} from './partitions/partitioned-market.ts'
import { collectYoung, timed } from './partitions/processor-time.ts'
import { randomBodies } from './random-filters.ts'
import { settings } from './settings.ts'

const MEBIBYTE = 2 ** 20
const TOKENS = Number(process.env.TOKENS || 100_000)
/** Some 8 swaps a token in the day before. */
const SIZE = { tokens: TOKENS, historyRate: TOKENS / 10_800, liveSwaps: 0, liveRate: 1_000 }
/** Between two tables the market goes on. */
const LIVE_SWAPS = 50
const LIVE_RATE = 1_000
const ROUNDS = 40
const RANDOM_FILTERS = 100
/** Quantities of a token that need what happened in other mints. */
const OF_OTHER_MINTS: ReadonlySet<string> = new Set([
  ...['freshWalletsHoldingPct', 'proTradersAmount', 'pro_traders_holding', 'xReuses', 'noXReuses'],
  ...['devCreations', 'devMigrations', 'creator_completing_pools'],
])

/** Bytes of what the sequencer tells: an address with a position and a count or two. */
const TOLD_BYTES = { address: 32, position: 8, count: 4, price: 8 } as const
/** 2.9 million trades and 34,000 launches a day. */
const CHAIN_SWAPS_PER_LAUNCH = 85
/** Marks a second and partition: a position, a time, the hash of the message before. */
const MARKS_PER_SECOND = 100
const MARK_BYTES = 48
/** What the sequencer keeps of a position to judge pros: its key and slot, balance, inventory and cost. */
const LEDGER_POSITION_BYTES = 44
/** And of a mint: creator, link, stage, place of the creation. */
const LEDGER_TOKEN_BYTES = 40

const say = (text = '') => process.stdout.write(`${text}\n`)
const percent = (part: number, whole: number) => `${((100 * part) / whole).toFixed(2)} %`
const mebibytes = (bytes: number) => `${(bytes / MEBIBYTE).toFixed(0)} MiB`
const sumOf = (values: readonly number[]) => values.reduce((sum, value) => sum + value, 0)

function run(): void {
  const market = new PartitionedMarket(SIZE, [
    ['mint', false],
    ['mint', true],
    ['family', true],
  ])
  const { tokens, wallets, tape } = market.whole.state
  say(
    `${tokens.count} tokens, ${wallets.count} wallets, ${tape.count} swaps, ${PARTITIONS} partitions`,
  )
  for (const set of market.sets.slice(1)) saySkew(set)
  sayWallets(market)
  sayMemory(market)
  sayStamps(market)
  sayLate()
  const coins = coinTokens(market.whole)
  say(`tokens quoted in another, and these: ${coins.size}`)
  for (const set of market.sets) sayDifferences(market.whole, set, coins)
  const answers = new EngineQueries(market.whole, () => undefined)
  sayEqualTables(answers, market.sets)
  market.keepLast()
  sayTables(market, answers)
}

function nameOf({ placement, hasStamps }: PartitionSet): string {
  return `by ${placement}, ${hasStamps ? 'with' : 'without'} stamps`
}

function saySkew({ partitions, placement }: PartitionSet): void {
  const events = partitions.map((partition) => partition.events)
  const mean = sumOf(events) / PARTITIONS
  const [most, least] = [Math.max(...events) / mean, Math.min(...events) / mean]
  say(`events, by ${placement}: most ${most.toFixed(2)} of the mean, least ${least.toFixed(2)}`)
}

/** Wallets by the number of partitions that have a row of them. */
function sayWallets({ whole, sets }: PartitionedMarket): void {
  const homes = new Uint8Array(whole.state.book.counts.wallets)
  for (const { engine } of sets[1].partitions) {
    const { book } = engine.state
    for (let wallet = 0; wallet < book.counts.wallets; wallet++)
      homes[whole.state.book.findWallet(book.walletText(wallet))] += 1
  }
  const several = homes.filter((count) => count > 1).length
  const most = homes.filter((count) => count === PARTITIONS).length
  const rows = homes.reduce((sum, count) => sum + count, 0)
  say(
    `wallets: ${homes.length}; in more than one partition ${percent(several, homes.length)}, in all ` +
      `${percent(most, homes.length)}; ${(rows / homes.length).toFixed(2)} rows a wallet`,
  )
}

function bytesOf(parts: readonly MemoryPart[], isWanted: (part: MemoryPart) => boolean): number {
  return sumOf(parts.filter(isWanted).map(({ bytes, untouchedBytes }) => bytes - untouchedBytes))
}

function sayMemory({ whole, sets }: PartitionedMarket): void {
  const empty = new Engine({ clock: 'event' }).memory
  const grownOf = (engine: Engine, isWanted: (part: MemoryPart) => boolean) =>
    bytesOf(engine.memory, isWanted) - bytesOf(empty, isWanted)
  const engines = sets[1].partitions.map(({ engine }) => engine)
  const line = (what: string, isWanted: (part: MemoryPart) => boolean) => {
    const parts = engines.map((engine) => grownOf(engine, isWanted))
    const all = grownOf(whole, isWanted)
    say(
      `memory, ${what}: whole ${mebibytes(all)}; ${PARTITIONS} partitions ${mebibytes(sumOf(parts))} ` +
        `(${(sumOf(parts) / all).toFixed(2)} x), the largest ${mebibytes(Math.max(...parts))}`,
    )
  }
  line('what grows', ({ grows }) => grows)
  for (const name of ['tape', 'positions', 'tokens', 'wallets', 'addresses'])
    line(name, (part) => part.name === name)
  const { state } = whole
  const kept =
    grownOf(whole, ({ name }) => name === 'wallets' || name === 'addresses') +
    state.positions.count * LEDGER_POSITION_BYTES +
    state.tokens.count * LEDGER_TOKEN_BYTES
  const grown = grownOf(whole, ({ grows, name }) => grows && name !== 'tape')
  say(
    `ledger of the sequencer: ${mebibytes(kept)}, ${percent(kept, grown)} of what grows without the tape; ` +
      `${state.positions.count} positions`,
  )
}

/** What is told to all partitions, as bytes of their streams together for each swap. */
function sayStamps({ told, whole }: PartitionedMarket): void {
  const { address, position, count, price } = TOLD_BYTES
  const launchBytes = (address + position + 2 * count) * PARTITIONS
  const turnBytes = (address + position + 1) * PARTITIONS
  const swaps = whole.state.tape.count
  say(
    `told: ${told.proTurns} turns of pros, ${told.launches} launches, ${told.migrations} migrations, ${told.links} links`,
  )
  say(
    `bytes: ${turnBytes} a turn, that is ${((told.proTurns * turnBytes) / swaps).toFixed(2)} a swap; ${launchBytes} a launch, ` +
      `that is ${(launchBytes / CHAIN_SWAPS_PER_LAUNCH).toFixed(1)} a swap of the chain; ` +
      `${(position + price + count) * PARTITIONS} a price; marks ${(MARKS_PER_SECOND * PARTITIONS * MARK_BYTES) / 1_000} KB/s`,
  )
}

function sayLate(): void {
  const { late, moved, changed, changedElsewhere } = lateStamps()
  say(
    `late swaps: ${late}, ${(moved / late).toFixed(0)} swaps moved by each; stamps changed: ${changed}, ` +
      `${changedElsewhere} of them in another partition`,
  )
}

/** Tokens that are quoted in a coin, and these coins. */
function coinTokens({ state }: Engine): ReadonlySet<number> {
  const tokens = new Set<number>()
  for (let token = 0; token < state.tokens.count; token++) {
    const quote = state.profiles.get(token, ProfileLane.quote)
    if (quote < Quote.other) continue
    tokens.add(token)
    tokens.add(state.quotes.tokenOf(quote))
  }
  return tokens
}

/** Rows of all tokens, beside those of the whole. */
function sayDifferences(whole: Engine, set: PartitionSet, coins: ReadonlySet<number>): void {
  const readerOf = ({ state, top, links }: Engine) => new TokenReader(state, top, links)
  const wholeReader = readerOf(whole)
  const readers = set.partitions.map(({ engine }) => readerOf(engine))
  const differing = new Map<string, number>()
  let [rows, ofOneMint] = [0, 0]
  const { count } = whole.state.tokens
  for (let token = 0; token < count; token++) {
    const mint = whole.state.book.mintOf(token)
    const home = set.homeOf(mint)
    const ours = readers[home].at(set.partitions[home].engine.state.book.findToken(mint))
    const theirs = wholeReader.at(token)
    rows += Number(tokenJson(ours, 'table') !== tokenJson(theirs, 'table'))
    for (const { read, names, filter } of METRICS) {
      if (Object.is(read(ours), read(theirs))) continue
      const name = filter ?? names.table ?? names.search ?? ''
      differing.set(name, (differing.get(name) ?? 0) + 1)
      ofOneMint += Number(!OF_OTHER_MINTS.has(name) && !coins.has(token))
    }
  }
  const names = [...differing].sort(([, a], [, b]) => b - a).map(([name, n]) => `${name} ${n}`)
  say(`${nameOf(set)}: ${rows} rows of ${count} differ (${percent(rows, count)})`)
  if (names.length > 0) say(`  by quantity: ${names.join(', ')}`)
  say(`  quantities that need no other mint, of tokens without a coin: ${ofOneMint} differ`)
}

/** Tables of all filters at one position, byte for byte beside those of the whole. */
function sayEqualTables(answers: EngineQueries, sets: readonly PartitionSet[]): void {
  const bodies = [...Object.values(TABLE_BODIES), ...randomBodies(settings.seed, RANDOM_FILTERS)]
  for (const set of sets) {
    const equal = bodies.filter((body) => {
      const query = queryOf(body)
      return gather(set.partitions, query, query.limit).text === answers.tables(query)
    })
    say(`${nameOf(set)}: ${equal.length} tables of ${bodies.length} are equal`)
  }
}

function sayTables(market: PartitionedMarket, answers: EngineQueries): void {
  const random = randomBodies(settings.seed, RANDOM_FILTERS)
  const popular = 'popular filter, all groups'
  const named = Object.entries(TABLE_BODIES).map(([name, body]) => [name, [body], 50] as const)
  const limited = [10, 200].map((limit) => [popular, [TABLE_BODIES[popular]], limit] as const)
  say()
  say(
    `| table | limit | one engine, ms | the slowest of ${PARTITIONS}, all rows | some rows | merge | all ${PARTITIONS}, some rows | ` +
      'rows gathered a row: all | some | KB: all | some | asked again | equal |',
  )
  say('|---|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|---:|')
  for (const [name, bodies, limit] of [...named, ...limited, ['random', random, 50] as const])
    sayCase(market, answers, { name, bodies, limit })
}

/** A table again and again, while the market goes on; the partitions give all rows, or as many as are likely to do. */
function sayCase(
  market: PartitionedMarket,
  answers: EngineQueries,
  { name, bodies, limit }: { name: string; bodies: readonly string[]; limit: number },
): void {
  const [{ partitions }] = market.sets
  const oneMs: number[] = []
  const gathered = { all: [] as Gathered[], some: [] as Gathered[] }
  let equal = 0
  for (let round = 0; round < ROUNDS; round++) {
    market.live(LIVE_SWAPS, LIVE_RATE)
    const serial = String(round).padStart(SERIAL_MARK.length, '0')
    const body = bodies[round % bodies.length].replaceAll(SERIAL_MARK, serial)
    const query: TablesQuery = { ...queryOf(body), limit }
    collectYoung()
    const one = timed(() => answers.tableAnswer(query))
    oneMs.push(one.ms)
    const isAll = round % 2 === 0
    const result = gather(partitions, query, isAll ? limit : firstRows(limit))
    gathered[isAll ? 'all' : 'some'].push(result)
    equal += Number(result.text === one.value.bytes.toString())
  }
  const { all, some } = gathered
  const slowest = (results: readonly Gathered[]) =>
    quantiles(results.map(({ partMs, secondMs }) => Math.max(...partMs) + secondMs))
  const merge = median(some.map(({ mergeMs }) => mergeMs))
  const every = median(some.map(({ partMs }) => sumOf(partMs)))
  const again = some.filter(({ secondMs }) => secondMs > 0).length
  const cells = [
    ...[name, limit, quantiles(oneMs), slowest(all), slowest(some), merge.toFixed(2)],
    ...[every.toFixed(2), ratioOf(all), ratioOf(some), kilobytesOf(all), kilobytesOf(some)],
    ...[`${again} of ${some.length}`, `${equal} of ${ROUNDS}`],
  ]
  say(`| ${cells.join(' | ')} |`)
}

function ratioOf(results: readonly Gathered[]): string {
  const answered = sumOf(results.map(({ rowsAnswered }) => rowsAnswered))
  if (answered === 0) return '–'
  return (sumOf(results.map(({ rowsGathered }) => rowsGathered)) / answered).toFixed(1)
}

function kilobytesOf(results: readonly Gathered[]): string {
  return median(results.map(({ bytesGathered }) => bytesGathered / 1_000)).toFixed(0)
}

/** A partition's share of the rows, and four times its spread: few have more in an answer. */
function firstRows(limit: number): number {
  const share = limit / PARTITIONS
  return Math.min(limit, Math.ceil(share + 4 * Math.sqrt(share)))
}

/** Median and p95. */
function quantiles(values: readonly number[]): string {
  const sorted = values.toSorted((a, b) => a - b)
  const last = sorted[Math.floor(0.95 * (sorted.length - 1))]
  return `${median(sorted).toFixed(2)} / ${last.toFixed(2)}`
}

run()
