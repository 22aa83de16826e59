import { LRUCache } from 'lru-cache'
import type { Budget } from '../../base/budget.ts'
import type { Engine } from '../../engine/engine.ts'
import { FirstBuys } from '../../engine/history/first-buys.ts'
import type { MintTraders, TraderPart } from '../../engine/index/trader-columns.ts'
import { type RankKeys, ranked } from '../../engine/memory/ranked.ts'
import { sharedF64 } from '../../engine/memory/views.ts'
import { PositionReader } from '../../engine/read/position-reader.ts'
import { TokenReader } from '../../engine/read/token-reader.ts'
import { isNeverHolder, positionLane } from '../../engine/state/lanes.ts'
import { PositionFlag, PositionLane } from '../../engine/state/layout.ts'
import type { Positions } from '../../engine/state/position-lists.ts'
import type { State } from '../../engine/state/state.ts'
import { METADATA_KEYS } from '../../events/event.ts'
import type { Page, TraderQuery } from '../../protocol/queries.ts'
import { labelExtra, type WalletLabels } from '../../protocol/wallet-labels.ts'
import { finiteNumber, jsonNumber, jsonString } from '../../protocol/wire.ts'
import { quoteExtras } from '../json/token-json.ts'
import { PositionResults } from './position-results.ts'

/** Positions of the wallets whose numbers stay, of 92 bytes each; those of the wallet that was asked for longest ago go. */
const RESULTS_MAX = 1 << 18
/** What a wallet is beside its positions counts as so many. */
const WALLET_RESULTS = 16

/** The columns that each order of a mint's traders needs. */
const ORDER_PARTS: { readonly [O in TraderQuery['orderBy']]: readonly TraderPart[] } = {
  pnl: ['realizedUsd', 'inventory', 'costUsd', 'walletOrder'],
  holding_amount: ['balance', 'walletOrder'],
  bought_tokens: ['bought', 'walletOrder'],
  sold_tokens: ['sold', 'walletOrder'],
  last_active_ts: ['lastActiveAt', 'walletOrder'],
}
const HOLDER_PARTS: readonly TraderPart[] = ['held', 'walletOrder']
const FIRST_BUYER_PARTS: readonly TraderPart[] = ['firstBuyAt']

/** A position with the label of its wallet. */
class LabelledTrader extends PositionReader {
  readonly #labels: WalletLabels

  constructor(state: State, token: TokenReader, labels: WalletLabels) {
    super(state, token)
    this.#labels = labels
  }

  /** The additive key of a wallet that has a label; else "". */
  get labelExtra(): string {
    return labelExtra(this.#labels, 'label', this.wallet)
  }
}

/**
 * Pages of traders: of a mint, of a wallet, of holders, of first buyers. A mint with many traders has columns of the
 * quantities they are ordered by; of other mints the positions are read. A row of -1 is unknown, and its list is empty.
 */
export class TraderPages {
  readonly #engine: Engine
  readonly #trader: LabelledTrader
  readonly firstBuys: FirstBuys
  /** By wallet row. */
  readonly #results = new LRUCache<number, PositionResults>({
    maxSize: RESULTS_MAX,
    sizeCalculation: ({ count }) => Math.min(RESULTS_MAX, count + WALLET_RESULTS),
  })

  constructor(engine: Engine, labels: WalletLabels) {
    this.#engine = engine
    const { state, top, links } = engine
    this.#trader = new LabelledTrader(state, new TokenReader(state, top, links), labels)
    this.firstBuys = new FirstBuys(state, () => engine.coldStore.settledSwaps)
  }

  ofToken(token: number, query: TraderQuery, budget: Budget): string {
    const columns = this.#columns(token, ORDER_PARTS[query.orderBy], budget)
    if (columns !== null) return columnPage(columns, this.#trader, query)
    // Equal ones by wallet, ascending in both directions.
    return this.#page(this.#positions(token), this.#byWallet(this.#valueOf(query)), query)
  }

  /** What was read of a bot's thousands of positions stays for its next page, until their tokens change. */
  ofWallet(wallet: number, query: TraderQuery, budget: Budget): string {
    if (wallet < 0) return pageJson(0, query, [])
    const listed = this.#engine.positions.ofWallet(wallet, budget)
    const results =
      this.#results.get(wallet) ?? new PositionResults(this.#engine.state, this.#trader)
    // The newest are in front: behind the others they move none.
    results.take(Array.from(listed).reverse())
    // The cache does not measure a known one again.
    this.#results.delete(wallet)
    this.#results.set(wallet, results)
    const values = results.values(query.orderBy, query.direction === 'asc' ? 1 : -1, budget)
    const keys = {
      levels: [(place: number) => values[place], (place: number) => results.mintOrderAt(place)],
      text: (place: number) => results.mintAt(place),
    }
    const from = (query.page - 1) * query.limit
    const shown = ranked(allPlaces(values.length), keys, from, from + query.limit, values)
    const found = shown.map((place) => results.positionAt(place))
    return tradersPage(values.length, query, this.#trader, found)
  }

  /** The largest first. */
  holders(token: number, page: Page, budget: Budget): string {
    const columns = this.#columns(token, HOLDER_PARTS, budget)
    if (columns !== null)
      return pageByWallet(columns, this.#trader, signed(columns, 'held', -1), page)
    const held: number[] = []
    for (const position of this.#positions(token)) if (this.#isHolder(position)) held.push(position)
    const keys = this.#byWallet((position) => -this.#trader.at(position).holding)
    return this.#page(held, keys, page)
  }

  /** Wallets that bought, in order of their first buy: by its second, then by its place in the chain. */
  firstBuyers(token: number, page: Page, budget: Budget): string {
    const columns = this.#columns(token, FIRST_BUYER_PARTS, budget)
    if (columns !== null) {
      const level = (place: number) => this.firstBuys.of(columns.rowAt(place), budget)
      const values = signed(columns, 'firstBuyAt', 1)
      return pageOf(columns, this.#trader, values, { level, text: () => '' }, page)
    }
    const { state } = this.#engine
    const hasBought = (position: number) => positionLane(state, position, PositionLane.buys) > 0
    const bought = Array.from(this.#positions(token)).filter(hasBought)
    const keys = {
      levels: [
        (position: number) => positionLane(state, position, PositionLane.firstBuyAt),
        (position: number) => this.firstBuys.of(position, budget),
      ],
      text: () => '',
    }
    return this.#page(bought, keys, page)
  }

  #columns(token: number, parts: readonly TraderPart[], budget: Budget): MintTraders | null {
    return token < 0 ? null : this.#engine.traders.of(token, parts, budget)
  }

  #positions(token: number): Positions {
    return token < 0 ? [] : this.#engine.positions.ofToken(token)
  }

  #isHolder(position: number): boolean {
    const { state } = this.#engine
    const balance =
      positionLane(state, position, PositionLane.balanceLo) |
      positionLane(state, position, PositionLane.balanceLo + 1)
    if (balance === 0) return false
    const token = positionLane(state, position, PositionLane.token)
    return !isNeverHolder(state, token, positionLane(state, position, PositionLane.wallet))
  }

  /** By the wire number, in the direction asked for (contract section 3.4). */
  #valueOf(query: TraderQuery): (position: number) => number {
    const read = TRADER_ORDER_VALUES[query.orderBy]
    const sign = query.direction === 'asc' ? 1 : -1
    return (position) => read(this.#trader.at(position)) * sign
  }

  /** Ascending by a number, equal ones by wallet. */
  #byWallet(value: (position: number) => number): RankKeys {
    return {
      levels: [value, (position) => this.#trader.at(position).walletOrder],
      text: (position) => this.#trader.at(position).wallet,
    }
  }

  /** One page of positions in their order. */
  #page(positions: Positions, keys: RankKeys, page: Page): string {
    const from = (page.page - 1) * page.limit
    const shown = ranked(positions, keys, from, from + page.limit)
    return tradersPage(positions.length, page, this.#trader, shown)
  }
}

/** A page of all traders of a mint out of its columns, by wallet where they are equal. */
function columnPage(columns: MintTraders, trader: LabelledTrader, query: TraderQuery): string {
  const { priceUsd } = trader.at(columns.rowAt(0)).token
  const sign = query.direction === 'asc' ? 1 : -1
  const values =
    query.orderBy === 'pnl'
      ? pnlsUsd(columns, priceUsd, sign)
      : signed(columns, ORDER_PARTS[query.orderBy][0], sign)
  return pageByWallet(columns, trader, values, query)
}

/** The same steps as `PositionReader.pnlUsd`, so the same bits, in a direction. */
function pnlsUsd(columns: MintTraders, priceUsd: number, sign: number): Float64Array {
  const realized = columns.part('realizedUsd')
  const inventory = columns.part('inventory')
  const cost = columns.part('costUsd')
  const values = rankedValues(columns.count)
  for (let place = 0; place < values.length; place++) {
    const unrealized = inventory[place] * priceUsd - cost[place]
    const isListed = !Number.isNaN(realized[place])
    values[place] = isListed ? finiteNumber(realized[place] + unrealized) * sign : Number.NaN
  }
  return values
}

function signed(columns: MintTraders, name: TraderPart, sign: number): Float64Array {
  const part = columns.part(name)
  const values = rankedValues(columns.count)
  for (let place = 0; place < values.length; place++) values[place] = part[place] * sign
  return values
}

function pageByWallet(
  columns: MintTraders,
  trader: LabelledTrader,
  values: Float64Array,
  page: Page,
): string {
  const orders = columns.part('walletOrder')
  const level = (place: number) => orders[place]
  const text = (place: number) => trader.at(columns.rowAt(place)).wallet
  return pageOf(columns, trader, values, { level, text }, page)
}

/** A page of the traders with a value (not NaN), ascending by it. */
function pageOf(
  columns: MintTraders,
  trader: LabelledTrader,
  values: Float64Array,
  equal: { level: (place: number) => number; text: (place: number) => string },
  page: Page,
): string {
  let total = 0
  for (let place = 0; place < values.length; place++) {
    if (Number.isNaN(values[place])) values[place] = Number.POSITIVE_INFINITY
    else total += 1
  }
  const keys = { levels: [(place: number) => values[place], equal.level], text: equal.text }
  const from = (page.page - 1) * page.limit
  const to = Math.min(total, from + page.limit)
  const shown = ranked(allPlaces(values.length), keys, from, to, values)
  const rows = shown.map((place) => columns.rowAt(place))
  return tradersPage(total, page, trader, rows)
}

// Buffers that are used again: those of a page are megabytes, which would be garbage each time.
let rankedScratch = sharedF64(0)
let places = new Uint32Array(0)

/** Room for a value of each place, good until the next call. */
function rankedValues(count: number): Float64Array {
  if (count > rankedScratch.length) rankedScratch = sharedF64(count)
  return rankedScratch.subarray(0, count)
}

function allPlaces(count: number): Uint32Array {
  if (count > places.length) {
    places = new Uint32Array(count)
    for (let place = 0; place < count; place++) places[place] = place
  }
  return places.subarray(0, count)
}

/** A page of a list with `total` items in all. */
export function pageJson(total: number, page: Page, items: readonly string[]): string {
  return `{"total":${total},"page":${page.page},"limit":${page.limit},"items":[${items.join(',')}]}`
}

const IMAGE = METADATA_KEYS.indexOf('image')

/** A field of a trader record, by what its value is; `u32` is a count, `time` unix seconds. */
type TraderField = { readonly name: string } & (
  | { readonly kind: 'text'; readonly read: (record: PositionReader) => string | null }
  | { readonly kind: 'boolean'; readonly read: (record: PositionReader) => boolean }
  | { readonly kind: 'double' | 'u32'; readonly read: (record: PositionReader) => number }
  | { readonly kind: 'time'; readonly read: (record: PositionReader) => number | null }
)

/** What a record has of its token. */
const TOKEN_FIELDS: readonly TraderField[] = [
  { name: 'mint', kind: 'text', read: (r) => r.token.mint },
  { name: 'pool', kind: 'text', read: (r) => r.token.pool },
  { name: 'name', kind: 'text', read: (r) => r.token.name },
  { name: 'symbol', kind: 'text', read: (r) => r.token.symbol },
  { name: 'image', kind: 'text', read: (r) => r.token.metadataText(IMAGE) || null },
  { name: 'token_price_usd', kind: 'double', read: (r) => r.token.priceUsd },
  { name: 'token_price_sol', kind: 'double', read: (r) => r.token.priceSol },
  { name: 'market_cap', kind: 'double', read: (r) => r.token.marketCapUsd },
  { name: 'complete', kind: 'boolean', read: (r) => r.token.isComplete },
]

const POSITION_FIELDS: readonly TraderField[] = [
  { name: 'pnl', kind: 'double', read: (r) => r.pnlUsd },
  { name: 'holding_amount', kind: 'double', read: (r) => r.holding },
  { name: 'bought_tokens', kind: 'double', read: (r) => r.bought },
  { name: 'sold_tokens', kind: 'double', read: (r) => r.sold },
  { name: 'last_active_ts', kind: 'time', read: (r) => r.lastActiveAt },
  { name: 'holding_pct', kind: 'double', read: (r) => r.holdingPercent },
  { name: 'holding_usd', kind: 'double', read: (r) => r.holding * r.token.priceUsd },
  { name: 'holding_sol', kind: 'double', read: (r) => r.holding * r.token.priceSol },
  { name: 'cost_basis_usd', kind: 'double', read: (r) => r.costUsd },
  { name: 'cost_basis_sol', kind: 'double', read: (r) => r.costSol },
  { name: 'is_open', kind: 'boolean', read: (r) => r.isOpen },
  { name: 'bought_usd', kind: 'double', read: (r) => r.boughtUsd },
  { name: 'sold_usd', kind: 'double', read: (r) => r.soldUsd },
  { name: 'bought_sol', kind: 'double', read: (r) => r.boughtSol },
  { name: 'sold_sol', kind: 'double', read: (r) => r.soldSol },
  { name: 'buys', kind: 'u32', read: (r) => r.buys },
  { name: 'sells', kind: 'u32', read: (r) => r.sells },
  { name: 'trades', kind: 'u32', read: (r) => r.buys + r.sells },
  { name: 'volume_usd', kind: 'double', read: (r) => r.volumeUsd },
  { name: 'volume_sol', kind: 'double', read: (r) => r.volumeSol },
  { name: 'fees_sol', kind: 'double', read: (r) => r.feesSol },
  { name: 'avg_buy_price_usd', kind: 'double', read: (r) => average(r.boughtUsd, r.bought) },
  { name: 'avg_sell_price_usd', kind: 'double', read: (r) => average(r.soldUsd, r.sold) },
  { name: 'avg_buy_price_sol', kind: 'double', read: (r) => average(r.boughtSol, r.bought) },
  { name: 'avg_sell_price_sol', kind: 'double', read: (r) => average(r.soldSol, r.sold) },
  { name: 'pnl_sol', kind: 'double', read: (r) => r.pnlSol },
  { name: 'pnl_pct', kind: 'double', read: (r) => r.pnlPercent },
  { name: 'realized_pnl_usd', kind: 'double', read: (r) => r.realizedUsd },
  { name: 'unrealized_pnl_usd', kind: 'double', read: (r) => r.unrealizedUsd },
  { name: 'realized_pnl_sol', kind: 'double', read: (r) => r.realizedSol },
  { name: 'unrealized_pnl_sol', kind: 'double', read: (r) => r.unrealizedSol },
  { name: 'untracked_tokens', kind: 'double', read: (r) => r.untracked },
  { name: 'first_active_ts', kind: 'time', read: (r) => r.firstActiveAt },
  { name: 'first_buy_ts', kind: 'time', read: (r) => r.firstBuyAt },
  { name: 'last_buy_ts', kind: 'time', read: (r) => r.lastBuyAt },
  { name: 'first_sell_ts', kind: 'time', read: (r) => r.firstSellAt },
  { name: 'last_sell_ts', kind: 'time', read: (r) => r.lastSellAt },
  { name: 'hold_time_seconds', kind: 'u32', read: (r) => r.holdSeconds },
  { name: 'fresh_wallet', kind: 'boolean', read: (r) => r.is(PositionFlag.fresh) },
  { name: 'sniper_wallet', kind: 'boolean', read: (r) => r.is(PositionFlag.sniper) },
  { name: 'pro_trader', kind: 'boolean', read: (r) => r.isPro },
  { name: 'bundle_wallet', kind: 'boolean', read: (r) => r.is(PositionFlag.bundle) },
  { name: 'insider_wallet', kind: 'boolean', read: (r) => r.is(PositionFlag.insider) },
  { name: 'creator_wallet', kind: 'boolean', read: (r) => r.is(PositionFlag.creator) },
]

/** The trader record of contract section 5, in its order. */
export const TRADER_FIELDS: readonly TraderField[] = [
  { name: 'wallet', kind: 'text', read: (r) => r.wallet },
  ...TOKEN_FIELDS,
  ...POSITION_FIELDS,
]

/** The number that each `order_by` compares: as on the wire. */
const TRADER_ORDER_VALUES: {
  readonly [O in TraderQuery['orderBy']]: (record: PositionReader) => number
} = {
  pnl: (r) => finiteNumber(r.pnlUsd),
  holding_amount: (r) => r.holding,
  bought_tokens: (r) => r.bought,
  sold_tokens: (r) => r.sold,
  last_active_ts: (r) => r.lastActiveAt,
}

const TOKEN_KEYS = keyed(TOKEN_FIELDS)
const POSITION_KEYS = keyed(POSITION_FIELDS)

/** Fields with the text in front of their value. */
function keyed(fields: readonly TraderField[]) {
  return fields.map(({ name, read }) => ({ key: `,"${name}":`, read }))
}

/** A page of traders of `total` in all, read in one turn, with the additive keys of their tokens where it asks for them. */
function tradersPage(
  total: number,
  page: Page,
  trader: LabelledTrader,
  positions: readonly number[],
): string {
  // What is of the token is written once for records of one token that follow each other.
  let token = -1
  let ofToken = ''
  const textOf = (fields: typeof TOKEN_KEYS, record: LabelledTrader) =>
    fields.map(({ key, read }) => key + valueJson(read(record))).join('')
  const items = positions.map((position) => {
    const record = trader.at(position)
    if (record.token.token !== token) ofToken = textOf(TOKEN_KEYS, record)
    token = record.token.token
    const own = `{"wallet":${jsonString(record.wallet)}${ofToken}${textOf(POSITION_KEYS, record)}`
    return `${own}${page.extra ? `${quoteExtras(record.token)}${record.labelExtra}` : ''}}`
  })
  return pageJson(total, page, items)
}

function valueJson(value: ReturnType<TraderField['read']>): string {
  if (typeof value === 'number') return jsonNumber(value)
  return typeof value === 'string' ? jsonString(value) : String(value)
}

function average(total: number, tokens: number): number {
  return tokens > 0 ? total / tokens : 0
}
