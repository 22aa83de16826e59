import type { AllTimeHigh } from '../../engine/read/all-time-high.ts'
import type { TokenReader } from '../../engine/read/token-reader.ts'
import { T } from '../../engine/state/layout.ts'
import { jsonNumber, jsonString, timeText } from '../../protocol/json-text.ts'
import { tokenExtras } from './extra-json.ts'
import { tokenJson } from './token-json.ts'

/** What a detail shows that does not stand in the token's row. */
export interface DetailParts {
  readonly high: AllTimeHigh
  readonly swaps: number
  readonly traders: number
  /** JSON texts of `creatorTokenJson`. */
  readonly creatorTokens: readonly string[]
}

/** TokenDetail of docs/live.md: TokenSearchDetailed and more. The reader stands on the token. */
export function tokenDetailJson(token: TokenReader, parts: DetailParts): string {
  const { high } = parts
  const highTime = high.time === null ? 'null' : `"${timeText(high.time)}"`
  return (
    `${tokenJson(token, 'search').slice(0, -1)},"pool":${jsonString(token.pool)}` +
    `,"pro_traders_holding":${jsonNumber(token.sharePercent(T.proSumF))}` +
    `,"creator_completed_pools":${token.creatorMigrations}` +
    `,"creator_completing_pools":${token.creatorCreations - token.creatorMigrations}` +
    `,"x_reuses":${token.xReuses},"dex_paid":${token.isDexPaid}` +
    `,"swaps":${parts.swaps},"traders":${parts.traders}` +
    `,"ath_price_usd":${jsonNumber(high.usd)},"ath_price_sol":${jsonNumber(high.sol)}` +
    `,"ath_market_cap":${jsonNumber(high.usd * token.supplyWhole)},"ath_timestamp":${highTime}` +
    `,"creator_history":{"created":${token.creatorCreations},"migrated":${token.creatorMigrations}` +
    `,"tokens":[${parts.creatorTokens.join(',')}]}${tokenExtras(token)}}`
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
