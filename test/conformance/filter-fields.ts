/** What a filter looks at, as far as a table row shows it. */
import { type Json, num, optionalText, text } from './expect.ts'

export const rowValue: Record<string, (row: Json) => number> = {
  mCapUsd: (row) => num(row, 'market_cap'),
  volumeUsd: (row) => num(row, 'vol_24h'),
  txsBuys: (row) => num(row, 'tx_24h_buy'),
  txsSells: (row) => num(row, 'tx_24h_sell'),
  top10HoldingPct: (row) => num(row, 'top_10_percent'),
  devHoldingPct: (row) => num(row, 'creator_holding'),
  snipersHoldingPct: (row) => num(row, 'snipers_holding'),
  insidersHoldingPct: (row) => num(row, 'insiders_holding'),
  bundlersHoldingPct: (row) => num(row, 'bundle_holding'),
  freshWalletsHoldingPct: (row) => num(row, 'fresh_wallets_holding'),
  holders: (row) => num(row, 'holders'),
  devMigrations: (row) => num(row, 'creator_completed_pools'),
  devCreations: (row) => num(row, 'creator_completed_pools') + num(row, 'creator_completing_pools'),
}

export const wholeNumbers = new Set(['txsBuys', 'txsSells', 'holders', 'devMigrations'])

export const socials = ['twitter', 'telegram', 'website', 'discord'] as const

export const hasSocial = (row: Json, name: string): boolean => optionalText(row, name) !== ''

const profile = /^https?:\/\/(?:www\.|mobile\.)?(?:x|twitter)\.com\/(\w{1,15})\/?$/i
const reserved = new Set(['search', 'i', 'home', 'explore', 'intent', 'share', 'hashtag'])

/** The handle of a link to an X profile; tweets and communities are left to the server. */
export function handleOf(row: Json): string | null {
  const handle = profile.exec(optionalText(row, 'twitter'))?.[1]?.toLowerCase()
  return handle === undefined || reserved.has(handle) ? null : handle
}

export const mintOf = (row: Json): string => text(row, 'mint')

/** The value at a share of the sorted values. */
export function quantile(values: number[], share: number): number {
  const sorted = [...values].sort((a, b) => a - b)
  return sorted[Math.floor((sorted.length - 1) * share)]
}
