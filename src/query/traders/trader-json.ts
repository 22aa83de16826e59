import type { PositionReader } from '../../engine/read/position-reader.ts'
import { PositionFlag } from '../../engine/state/layout.ts'
import { METADATA_KEYS } from '../../events/event.ts'
import { finiteNumber, jsonNumber, jsonString } from '../../protocol/json-text.ts'
import type { TraderOrder } from '../../protocol/queries.ts'
import { tokenExtras } from '../json/extra-json.ts'

const IMAGE = METADATA_KEYS.indexOf('image')

type Value = number | boolean | string | null

/** The trader record of contract section 5, in its order. */
const FIELDS: readonly (readonly [string, (record: PositionReader) => Value])[] = [
  ['wallet', (r) => r.wallet],
  ['mint', (r) => r.token.mint],
  ['pool', (r) => r.token.pool],
  ['name', (r) => r.token.name],
  ['symbol', (r) => r.token.symbol],
  ['image', (r) => r.token.metadataText(IMAGE) || null],
  ['token_price_usd', (r) => r.token.priceUsd],
  ['token_price_sol', (r) => r.token.priceSol],
  ['market_cap', (r) => r.token.marketCapUsd],
  ['complete', (r) => r.token.isComplete],
  ['pnl', (r) => r.pnlUsd],
  ['holding_amount', (r) => r.holding],
  ['bought_tokens', (r) => r.bought],
  ['sold_tokens', (r) => r.sold],
  ['last_active_ts', (r) => r.lastActiveAt],
  ['holding_pct', (r) => r.holdingPercent],
  ['holding_usd', (r) => r.holding * r.token.priceUsd],
  ['holding_sol', (r) => r.holding * r.token.priceSol],
  ['cost_basis_usd', (r) => r.costUsd],
  ['cost_basis_sol', (r) => r.costSol],
  ['is_open', (r) => r.isOpen],
  ['bought_usd', (r) => r.boughtUsd],
  ['sold_usd', (r) => r.soldUsd],
  ['bought_sol', (r) => r.boughtSol],
  ['sold_sol', (r) => r.soldSol],
  ['buys', (r) => r.buys],
  ['sells', (r) => r.sells],
  ['trades', (r) => r.buys + r.sells],
  ['volume_usd', (r) => r.volumeUsd],
  ['volume_sol', (r) => r.volumeSol],
  ['fees_sol', (r) => r.feesSol],
  ['avg_buy_price_usd', (r) => average(r.boughtUsd, r.bought)],
  ['avg_sell_price_usd', (r) => average(r.soldUsd, r.sold)],
  ['avg_buy_price_sol', (r) => average(r.boughtSol, r.bought)],
  ['avg_sell_price_sol', (r) => average(r.soldSol, r.sold)],
  ['pnl_sol', (r) => r.pnlSol],
  ['pnl_pct', (r) => r.pnlPercent],
  ['realized_pnl_usd', (r) => r.realizedUsd],
  ['unrealized_pnl_usd', (r) => r.unrealizedUsd],
  ['realized_pnl_sol', (r) => r.realizedSol],
  ['unrealized_pnl_sol', (r) => r.unrealizedSol],
  ['untracked_tokens', (r) => r.untracked],
  ['first_active_ts', (r) => r.firstActiveAt],
  ['first_buy_ts', (r) => r.firstBuyAt],
  ['last_buy_ts', (r) => r.lastBuyAt],
  ['first_sell_ts', (r) => r.firstSellAt],
  ['last_sell_ts', (r) => r.lastSellAt],
  ['hold_time_seconds', (r) => r.holdSeconds],
  ['fresh_wallet', (r) => r.is(PositionFlag.fresh)],
  ['sniper_wallet', (r) => r.is(PositionFlag.sniper)],
  ['pro_trader', (r) => r.isPro],
  ['bundle_wallet', (r) => r.is(PositionFlag.bundle)],
  ['insider_wallet', (r) => r.is(PositionFlag.insider)],
  ['creator_wallet', (r) => r.is(PositionFlag.creator)],
]

/** What each `order_by` compares: the number that is on the wire. */
export const TRADER_ORDER_VALUES: {
  readonly [O in TraderOrder]: (record: PositionReader) => number
} = {
  pnl: (r) => finiteNumber(r.pnlUsd),
  holding_amount: (r) => r.holding,
  bought_tokens: (r) => r.bought,
  sold_tokens: (r) => r.sold,
  last_active_ts: (r) => r.lastActiveAt,
}

/** One trader record, with the additive keys of its token where `extra`; the reader stands on the position. */
export function traderJson(record: PositionReader, extra = false): string {
  let json = ''
  for (const [name, read] of FIELDS) {
    const value = read(record)
    json += `${json === '' ? '' : ','}"${name}":${valueJson(value)}`
  }
  return `{${json}${extra ? tokenExtras(record.token) : ''}}`
}

function valueJson(value: Value): string {
  if (typeof value === 'number') return jsonNumber(value)
  return typeof value === 'string' ? jsonString(value) : String(value)
}

function average(total: number, tokens: number): number {
  return tokens > 0 ? total / tokens : 0
}
