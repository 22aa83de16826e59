/** What a token is quoted in, and what an amount of it is worth (contract section 1). */
import { lamportsOfMicroUsd, microUsdOfLamports, whole } from './exact.ts'

export interface Quote {
  readonly kind: 'sol' | 'usdc' | 'coin'
  /** The mint of a coin; "" of SOL and USDC. */
  readonly coin: string
}

const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'
const WRAPPED_SOL_MINT = 'So11111111111111111111111111111111111111112'
const SOL_MINTS = ['11111111111111111111111111111111', WRAPPED_SOL_MINT]

export const SOL: Quote = { kind: 'sol', coin: '' }
const USDC: Quote = { kind: 'usdc', coin: '' }

export function quoteOf(mint: string | undefined): Quote {
  if (mint === undefined || mint === '' || SOL_MINTS.includes(mint)) return SOL
  return mint === USDC_MINT ? USDC : { kind: 'coin', coin: mint }
}

/** The mint that stands for a quote on the wire. */
export function mintOfQuote({ kind, coin }: Quote): string {
  if (kind === 'sol') return WRAPPED_SOL_MINT
  return kind === 'usdc' ? USDC_MINT : coin
}

export interface Worth {
  /** Integer micro-USD in a double. */
  readonly microUsd: number
  /** Integer lamports in a double. */
  readonly lamports: number
}

/** `lamportsPerUnit` is what one raw unit of a coin was worth; of SOL and USDC it is not looked at. */
export function worthOf(
  { kind }: Quote,
  raw: bigint,
  solPriceUsd: number,
  lamportsPerUnit: number,
): Worth {
  if (kind === 'coin') {
    const lamports = Number(raw) * lamportsPerUnit
    return { microUsd: Math.round((lamports * solPriceUsd) / 1000), lamports: Math.round(lamports) }
  }
  if (kind === 'sol') {
    return { microUsd: Number(microUsdOfLamports(raw, solPriceUsd)), lamports: Number(raw) }
  }
  return { microUsd: Number(raw), lamports: Number(lamportsOfMicroUsd(raw, solPriceUsd)) }
}

/** Lamports of a swap whose dollars are stored: SOL values of other quotes follow from what is. */
export function lamportsOfWorth(
  { kind }: Quote,
  raw: bigint,
  microUsd: number,
  solPriceUsd: number,
  lamportsPerUnit: number,
): number {
  if (kind === 'sol') return Number(raw)
  if (kind === 'coin') return Math.round(Number(raw) * lamportsPerUnit)
  return Number(lamportsOfMicroUsd(BigInt(microUsd), solPriceUsd))
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

export const NOTHING: Valuation = { priceUsd: 0, priceSol: 0, marketCapUsd: 0, liquidityUsd: 0 }

/** By amounts of a quote in whole units of it. */
export interface Amounts {
  readonly quoteWhole: number
  readonly baseWhole: number
  readonly supplyWhole: number
}

export function inSol({ quoteWhole, baseWhole, supplyWhole }: Amounts, solPriceUsd: number) {
  const priceSol = quoteWhole / baseWhole
  const priceUsd = priceSol * solPriceUsd
  const liquidityUsd = 2 * quoteWhole * solPriceUsd
  return { priceUsd, priceSol, marketCapUsd: priceUsd * supplyWhole, liquidityUsd }
}

export function inUsdc({ quoteWhole, baseWhole, supplyWhole }: Amounts, solPriceUsd: number) {
  const priceUsd = quoteWhole / baseWhole
  const priceSol = solPriceUsd === 0 ? 0 : priceUsd / solPriceUsd
  return { priceUsd, priceSol, marketCapUsd: priceUsd * supplyWhole, liquidityUsd: 2 * quoteWhole }
}

/** What one raw unit of a coin is worth. */
export interface UnitPrice {
  readonly usd: number
  readonly lamports: number
}

/** By the coin's price of now, in raw units of it: more that is learned of its decimals changes nothing. */
export function inCoin(
  { quoteRaw, baseWhole, supplyWhole }: Omit<Amounts, 'quoteWhole'> & Pick<Reserves, 'quoteRaw'>,
  unit: UnitPrice,
) {
  const inUnits = Number(quoteRaw) / baseWhole
  const priceUsd = inUnits * unit.usd
  const liquidityUsd = 2 * Number(quoteRaw) * unit.usd
  return {
    priceUsd,
    priceSol: (inUnits * unit.lamports) / 1e9,
    marketCapUsd: priceUsd * supplyWhole,
    liquidityUsd,
  }
}

/** By what a raw unit of the coin was worth when the trade was folded. */
export function inCoinThen(
  { baseRaw, quoteRaw }: Reserves,
  lamportsPerUnit: number,
  decimals: number,
  supplyWhole: number,
  solPriceUsd: number,
): Valuation {
  const quoteSol = (Number(quoteRaw) * lamportsPerUnit) / 1e9
  const priceSol = quoteSol / whole(baseRaw, decimals)
  const priceUsd = priceSol * solPriceUsd
  const liquidityUsd = 2 * quoteSol * solPriceUsd
  return { priceUsd, priceSol, marketCapUsd: priceUsd * supplyWhole, liquidityUsd }
}
