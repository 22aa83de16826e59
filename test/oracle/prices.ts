/** Prices (docs/live.md): the present one of a token, and the one behind its last trade up to a second. */
import { dateText, wire } from './exact.ts'
import type { Metrics } from './metrics.ts'
import type { Token } from './world.ts'

export function priceRow({ token, value }: Metrics): object {
  const last = token.swaps.at(-1)
  return {
    mint: token.mint,
    price_usd: wire(value.priceUsd),
    price_sol: wire(value.priceSol),
    market_cap_usd: wire(value.marketCapUsd),
    timestamp: last === undefined ? null : dateText(last.swap.timestamp),
    seq: token.swaps.length,
  }
}

/** Null where no trade was made up to that second. */
export function priceAt(token: Token | undefined, seconds: number): object | null {
  const swaps = token?.swaps ?? []
  const place = swaps.findLastIndex(({ swap }) => swap.timestamp <= seconds)
  const last = swaps[place]
  if (last === undefined) return null
  return {
    mint: last.swap.mint,
    price_usd: wire(last.value.priceUsd),
    price_sol: wire(last.value.priceSol),
    market_cap_usd: wire(last.value.marketCapUsd),
    timestamp: dateText(last.swap.timestamp),
    seq: place + 1,
    signature: last.swap.signature,
  }
}
