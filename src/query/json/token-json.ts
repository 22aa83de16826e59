/**
 * JSON text of tokens, swaps and charts. In come readers that stand on a row, or an index of the tape; out goes text in
 * the order of keys of the specification. Additive keys are behind the others. Numbers that are not finite are 0.
 */
import type { Chart } from '../../engine/read/chart.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import { HolderClass, TokenLane } from '../../engine/state/layout.ts'
import type { State } from '../../engine/state/state.ts'
import { SwapLane } from '../../events/swap-record.ts'
import { jsonNumber, jsonString, timeText } from '../../protocol/wire.ts'
import { METRICS, type Metric, type Resource } from '../tables/metrics.ts'
import { SwapReader } from './swap-reader.ts'

type Write = (token: TokenReader) => string

/** Writes `,"name":value` of one metric, of the first with a bracket; "" leaves the field out. */
function fieldWriter(metric: Metric, name: string, resource: Resource, isFirst: boolean): Write {
  const key = `${isFirst ? '{' : ','}"${name}":`
  switch (metric.kind) {
    case 'number':
      return (token) => key + jsonNumber(metric.read(token))
    case 'boolean':
      return (token) => (metric.read(token) ? `${key}true` : `${key}false`)
    case 'text':
      return (token) => key + jsonString(metric.read(token))
    case 'text or null':
      return (token) => {
        const text = metric.read(token)
        return text === null ? `${key}null` : key + jsonString(text)
      }
    case 'time':
      return (token) => {
        const seconds = metric.read(token)
        return seconds === null ? `${key}null` : `${key}"${timeText(seconds)}"`
      }
    case 'optional text':
      return optionalWriter(metric.read, key, resource)
  }
}

/** Missing text: "" in search, null in market data, no key in table rows (contract section 1). */
function optionalWriter(
  read: (token: TokenReader) => string,
  key: string,
  resource: Resource,
): Write {
  const missing = { search: `${key}""`, market: `${key}null`, table: '' }[resource]
  return (token) => {
    const text = read(token)
    return text === '' ? missing : key + jsonString(text)
  }
}

function writersOf(resource: Resource): Write[] {
  const named = METRICS.flatMap((metric) => {
    const name = metric.names[resource]
    return name === undefined ? [] : [{ metric, name }]
  })
  return named.map(({ metric, name }, i) => fieldWriter(metric, name, resource, i === 0))
}

const WRITERS: { readonly [R in Resource]: Write[] } = {
  search: writersOf('search'),
  market: writersOf('market'),
  table: writersOf('table'),
}

/** One token as an item of a resource, with additive keys where `extra`, and `more` behind. The reader stands on the token. */
export function tokenJson(
  token: TokenReader,
  resource: Resource,
  extra = false,
  more = '',
): string {
  let json = ''
  // Each piece is garbage soon: as few as can be.
  for (const write of WRITERS[resource]) json += write(token)
  return `${json}${extra ? tokenExtras(token) : ''}${more}}`
}

/**
 * TokenDetail of docs/live.md: TokenSearchDetailed and more. The reader stands on the token; `parts` do not stand in
 * its row, and `creatorTokens` are texts of `creatorTokenJson`.
 */
export function tokenDetailJson(
  token: TokenReader,
  parts: {
    readonly high: ReturnType<Chart['allTimeHigh']>
    readonly swaps: number
    readonly traders: number
    readonly creatorTokens: readonly string[]
    readonly windows: string
  },
): string {
  const { high } = parts
  const highTime = high.time === null ? 'null' : `"${timeText(high.time)}"`
  return (
    `${tokenJson(token, 'search').slice(0, -1)},"pool":${jsonString(token.pool)}` +
    `,"pro_traders_holding":${jsonNumber(token.sharePercent(HolderClass.pro))}` +
    `,"creator_completed_pools":${token.creatorMigrations}` +
    `,"creator_completing_pools":${token.creatorCreations - token.creatorMigrations}` +
    `,"x_reuses":${token.xReuses},"dex_paid":${token.isDexPaid}` +
    `,"swaps":${parts.swaps},"traders":${parts.traders}` +
    `,"ath_price_usd":${jsonNumber(high.usd)},"ath_price_sol":${jsonNumber(high.sol)}` +
    `,"ath_market_cap":${jsonNumber(high.usd * token.supplyWhole)},"ath_timestamp":${highTime}` +
    `,"creator_history":{"created":${token.creatorCreations},"migrated":${token.creatorMigrations}` +
    `,"tokens":[${parts.creatorTokens.join(',')}]}${tokenExtras(token)}` +
    `,"windows":${parts.windows}}`
  )
}

/** One token of a creator. The reader stands on it. */
export function creatorTokenJson(token: TokenReader): string {
  return (
    `{"mint":${jsonString(token.mint)},"name":${jsonString(token.name)}` +
    `,"symbol":${jsonString(token.symbol)},"timestamp":"${timeText(token.createdAt)}"` +
    `,"complete":${token.isComplete},"migrated":${token.isGraduated}` +
    `,"market_cap":${jsonNumber(token.marketCapUsd)}}`
  )
}

/** Additive keys of a token, as they stand behind the others of its object. The reader stands on it. */
export function tokenExtras(token: TokenReader): string {
  const from = token.historyFrom
  return (
    `${quoteExtras(token)},"history_complete":${token.isHistoryComplete}` +
    `,"history_from":${from === null ? 'null' : `"${timeText(from)}"`}`
  )
}

/** Those that say what it is quoted in. */
export function quoteExtras({ quoteMint, quoteSymbol, isPriced }: TokenReader): string {
  return (
    `,"quote_mint":${jsonString(quoteMint)},"quote_symbol":${jsonString(quoteSymbol)}` +
    `,"priced":${isPriced}`
  )
}

/** The present price of a token; the reader stands on it. `seq` is the number of its last trade. */
export function priceJson(state: State, token: TokenReader): string {
  const { tokens, tape } = state
  const lastPlus1 = tokens.get(token.token, TokenLane.lastSwapPlus1)
  const timestamp =
    lastPlus1 === 0
      ? 'null'
      : `"${timeText(tape.u32Of(lastPlus1 - 1)[tape.at(lastPlus1 - 1) + SwapLane.timestamp])}"`
  const prices = pricesJson(token.mint, token.priceUsd, token.priceSol, token.marketCapUsd)
  return `${prices},"timestamp":${timestamp},"seq":${tokens.get(token.token, TokenLane.swaps)}}`
}

/** The price behind swap `index` of the tape, the trade of its mint with number `seq`. The reader stands on its token. */
export function priceOfTradeJson(
  state: State,
  token: TokenReader,
  index: number,
  seq: number,
): string {
  const swap = new SwapReader(state).at(index)
  // One object for all swaps: what it has is read before the next.
  const { usd, sol } = swap.price
  return (
    `${pricesJson(token.mint, usd, sol, usd * swap.supply)}` +
    `,"timestamp":"${timeText(swap.timestamp)}"` +
    `,"seq":${seq},"signature":${jsonString(swap.signature)}}`
  )
}

function pricesJson(mint: string, usd: number, sol: number, marketCapUsd: number): string {
  return (
    `{"mint":${jsonString(mint)},"price_usd":${jsonNumber(usd)},"price_sol":${jsonNumber(sol)}` +
    `,"market_cap_usd":${jsonNumber(marketCapUsd)}`
  )
}
