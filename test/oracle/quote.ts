/** What a token is quoted in, and what an amount of it is worth (contract section 1). */
import { lamportsOfMicroUsd, microUsdOfLamports, whole } from './exact.ts'

export type Quote = 'sol' | 'usdc' | 'other'

const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const SOL_MINTS = [
  '11111111111111111111111111111111',
  'So11111111111111111111111111111111111111112',
]

export function quoteOf(mint: string | undefined): Quote {
  if (mint === undefined || SOL_MINTS.includes(mint)) return 'sol'
  return mint === USDC_MINT ? 'usdc' : 'other'
}

export function quoteDecimals(quote: Quote): number {
  return quote === 'usdc' ? 6 : 9
}

export interface Worth {
  /** Integer micro-USD in a double. */
  readonly microUsd: number
  /** Integer lamports in a double. */
  readonly lamports: number
}

export function worthOf(quote: Quote, raw: bigint, solPriceUsd: number): Worth {
  if (quote === 'other') return { microUsd: 0, lamports: 0 }
  if (quote === 'sol') {
    return { microUsd: Number(microUsdOfLamports(raw, solPriceUsd)), lamports: Number(raw) }
  }
  return { microUsd: Number(raw), lamports: Number(lamportsOfMicroUsd(raw, solPriceUsd)) }
}

/** Lamports of a swap whose dollars are stored: SOL values of other quotes follow from those. */
export function lamportsOfWorth(
  quote: Quote,
  raw: bigint,
  microUsd: number,
  solPriceUsd: number,
): number {
  if (quote === 'sol') return Number(raw)
  return quote === 'usdc' ? Number(lamportsOfMicroUsd(BigInt(microUsd), solPriceUsd)) : 0
}

/** Virtual reserves after a trade; on the AMM the effective pool reserves. Both above 0. */
export interface Reserves {
  readonly baseRaw: bigint
  readonly quoteRaw: bigint
}

export interface Valuation {
  readonly priceUsd: number
  readonly priceSol: number
  readonly marketCapUsd: number
  readonly liquidityUsd: number
}

const NOTHING: Valuation = { priceUsd: 0, priceSol: 0, marketCapUsd: 0, liquidityUsd: 0 }

export function valuation(
  quote: Quote,
  reserves: Reserves | null,
  decimals: number,
  supplyRaw: bigint,
  solPriceUsd: number,
): Valuation {
  if (reserves === null || quote === 'other') return NOTHING
  const quoteWhole = whole(reserves.quoteRaw, quoteDecimals(quote))
  const inQuote = quoteWhole / whole(reserves.baseRaw, decimals)
  const supply = whole(supplyRaw, decimals)
  if (quote === 'sol') {
    const priceUsd = inQuote * solPriceUsd
    const liquidityUsd = 2 * quoteWhole * solPriceUsd
    return { priceUsd, priceSol: inQuote, marketCapUsd: priceUsd * supply, liquidityUsd }
  }
  const priceSol = solPriceUsd === 0 ? 0 : inQuote / solPriceUsd
  const liquidityUsd = 2 * quoteWhole
  return { priceUsd: inQuote, priceSol, marketCapUsd: inQuote * supply, liquidityUsd }
}

/** Fees in lamports: quote units of a SOL-quoted token, else their SOL value. */
export function lamportsOfFees(quote: Quote, raw: bigint, solPriceUsd: number): number {
  return worthOf(quote, raw, solPriceUsd).lamports
}
