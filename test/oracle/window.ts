/** The last 24 hours of a token: timestamps in (now - 24 h, now] (contract section 2). */
import type { FoldedSwap } from './world.ts'

const DAY_SECONDS = 86_400

export interface Window {
  readonly tx_24h: number
  readonly tx_24h_buy: number
  readonly tx_24h_sell: number
  readonly vol_24h: number
  readonly vol_24_buy: number
  readonly vol_24_sell: number
}

export function windowOf(swaps: readonly FoldedSwap[], now: number): Window {
  const recent = swaps.filter(
    ({ swap }) => swap.timestamp > now - DAY_SECONDS && swap.timestamp <= now,
  )
  const buys = recent.filter(({ swap }) => swap.direction === 'buy')
  const sells = recent.filter(({ swap }) => swap.direction === 'sell')
  return {
    tx_24h: recent.length,
    tx_24h_buy: buys.length,
    tx_24h_sell: sells.length,
    vol_24h: volumeUsd(recent),
    vol_24_buy: volumeUsd(buys),
    vol_24_sell: volumeUsd(sells),
  }
}

/** USD traded in these swaps. */
export function volumeUsd(swaps: readonly FoldedSwap[]): number {
  return swaps.reduce((sum, { worth }) => sum + worth.microUsd, 0) / 1e6
}
