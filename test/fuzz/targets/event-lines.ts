import { isDeepStrictEqual } from 'node:util'
import { Service } from '../../../src/app/service.ts'
import type { Random } from '../../../src/base/random.ts'
import { eventLineText, type FeedEvent, RESERVES_REASONS } from '../../../src/events/event.ts'
import { parseEventLine } from '../../../src/events/event-lines.ts'
import { usualSwap } from '../../../src/events/swap-line.ts'
import { LineSplitter } from '../../../src/feeds/replay/line-run.ts'
import { EngineQueries } from '../../../src/query/engine-queries.ts'
import { magic } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'

const RAW_KEYS = [
  'base_raw',
  'quote_raw',
  'virtual_base_raw',
  'virtual_quote_raw',
  'real_base_raw',
  'real_quote_raw',
  'platform_fee_raw',
  'creator_fee_raw',
]
/** Amounts that a line of a swap may leave out. */
export const OPTIONAL_RAW_KEYS = [
  'lp_fee_raw',
  'cashback_raw',
  'chain_fee_raw',
  'base_balance_before_raw',
  'base_balance_after_raw',
  'supply_raw',
]
const KEYS = [
  ...RAW_KEYS,
  ...OPTIONAL_RAW_KEYS,
  'type',
  'slot',
  'tx_index',
  'ordinal',
  'signature',
  'timestamp',
  'mint',
  'signer',
  'wallet',
  'balance_raw',
  'reason',
  'route',
  'quote_mint',
  'quote_decimals',
  'fresh',
  'usd',
]
const TYPES = [
  'swap',
  'swap',
  'swap',
  'token_created',
  'completed',
  'migrated',
  'reserves',
  'balance',
  'token_state',
  'sol_price',
  'metadata',
]
/** A market is thrown away after so many events, so that a campaign of millions stays small. */
const EVENTS_PER_MARKET = 5000
/** One market in so many folds is read as clients would. */
const READ_EVERY = 250

/** Event lines, from bytes to the fold. */
export class EventLines implements FuzzTarget {
  readonly name = 'event-lines'
  readonly words = KEYS.map((key) => `"${key}":`)
  #service = newMarket()
  #folded = 0

  make(random: Random): Buffer {
    return Buffer.from(`${JSON.stringify(line(random))}\n`)
  }

  run(input: Buffer): void {
    const splitter = new LineSplitter()
    const half = input.length >>> 1
    for (const part of [input.subarray(0, half), input.subarray(half)])
      for (const { bytes, text } of splitter.push(part)) this.#line(bytes, text)
    for (const { bytes, text } of splitter.end()) this.#line(bytes, text)
  }

  #line(bytes: Buffer | null, text: string | null): void {
    if (bytes === null) return
    const swap = usualSwap(bytes)
    const event = text === null ? null : parseEventLine(text)
    holds(swap === null || isDeepStrictEqual(swap, event), 'a swap is the same from its bytes')
    if (event === null) return
    if ('error' in event) {
      holds(event.error.length > 0 && event.error.length < 1000, 'a bad line is told why')
      return
    }
    this.#fold(event)
  }

  #fold(event: FeedEvent): void {
    const again = parseEventLine(eventLineText(event))
    holds(!('error' in again), 'an event written as a line is a line')
    this.#service.events([event])
    holds(this.#service.failure === null, 'a valid event never ends the fold')
    this.#folded++
    if (this.#folded % READ_EVERY === 0) readAll(this.#service, event)
    if (this.#folded % EVENTS_PER_MARKET === 0) this.#service = newMarket()
  }
}

function newMarket(): Service {
  return new Service({ clock: 'event', lateSlots: 32 })
}

/** Every answer of a market that a hostile feed made is JSON whose numbers are numbers. */
function readAll(service: Service, event: FeedEvent): void {
  const answers = new EngineQueries(service.engine, () => service.tick())
  const mint = 'mint' in event ? event.mint : 'm1'
  const page = { page: 1, limit: 50 }
  const traders = { ...page, orderBy: 'pnl', direction: 'desc' } as const
  const chart = {
    mint,
    from: 0,
    to: 4e9,
    resolution: '1D',
    continuous: false,
    fill: 'none',
    countback: 0,
    udf: false,
  } as const
  const texts = [
    answers.search('a'),
    answers.marketData([mint]),
    answers.swaps(mint, null, page),
    answers.tokenTraders(mint, traders),
    answers.walletTokens('w1', traders),
    answers.chart(chart),
    answers.tables({ type: 'all', filters: {}, limit: 50 }),
  ]
  for (const text of texts) {
    JSON.parse(text)
    holds(!/[:[,](?:NaN|-?Infinity|undefined)/.test(text), 'every number on the wire is finite')
  }
}

function line(random: Random): Record<string, unknown> {
  const made: Record<string, unknown> = {
    type: random.pick(TYPES),
    slot: random.chance(0.9) ? 1000 + random.below(60) : null,
    tx_index: random.below(4),
    ordinal: random.below(3),
    signature: `s${random.below(100_000)}`,
    timestamp: 1_700_000_000 + random.below(random.chance(0.98) ? 4000 : 200_000_000),
    mint: `m${random.below(12)}`,
    pool: `p${random.below(12)}`,
    pool_amm: `a${random.below(12)}`,
    bonding_curve: `p${random.below(12)}`,
    signer: `w${random.below(30)}`,
    // Now and then a curve or a pool, which never hold.
    wallet: random.chance(0.9) ? `w${random.below(30)}` : `p${random.below(12)}`,
    balance_raw: random.chance(0.3) ? '0' : raw(random),
    reason: random.pick(RESERVES_REASONS),
    source: random.pick(['pump', 'pump', 'pump_amm']),
    direction: random.pick(['buy', 'sell']),
    name: magic(random),
    symbol: 'S',
    uri: 'https://x.example/a',
    creator: `w${random.below(30)}`,
    token_program: 'T',
    decimals: random.below(20),
    is_mayhem_mode: random.chance(0.1),
    usd: random.chance(0.9) ? 150 : 0.000_001,
  }
  for (const key of RAW_KEYS) made[key] = raw(random)
  for (const key of OPTIONAL_RAW_KEYS) if (random.chance(0.3)) made[key] = raw(random)
  if (random.chance(0.2)) made.sol_price_usd = random.chance(0.8) ? 140.5 : 1_000_000
  if (random.chance(0.2)) made.twitter = `https://x.com/h${random.below(5)}`
  // Coins of this market quote each other, also in circles.
  if (random.chance(0.2)) made.quote_mint = `m${random.below(12)}`
  if (random.chance(0.2)) made.quote_decimals = random.below(random.chance(0.9) ? 19 : 256)
  if (random.chance(0.2)) made.route = random.below(random.chance(0.9) ? 4 : 9)
  for (const flag of ['fresh', 'pro', 'insider']) if (random.chance(0.1)) made[flag] = true
  return made
}

function raw(random: Random): string {
  const digits = random.pick([0, 1, 6, 9, 12, 15, 18, 19, 20])
  if (digits === 0) return '0'
  if (digits === 20) return '18446744073709551615'
  return String(1 + random.below(9)).padEnd(digits, String(random.below(10)))
}
