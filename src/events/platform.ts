/** Facts of the launch platform. */

export const DECIMALS_DEFAULT = 6
/** Real base reserves of a curve whose creation was not seen. */
export const INITIAL_REAL_BASE_RAW = 793_100_000_000_000n

/** Wallet of the mayhem agent (the platform's vault). */
export const MAYHEM_AGENT = 'BwWK17cbHxwWBKZkUYvzxLcNQ1YVyaFezduWbtm2de6s'

/** Wallets that never count as holders of any mint. */
export const NEVER_HOLDERS = [
  MAYHEM_AGENT,
  '1nc1nerator11111111111111111111111111111111',
  '11111111111111111111111111111111',
] as const

export const WRAPPED_SOL_MINT = 'So11111111111111111111111111111111111111112'
const SOL_MINTS: readonly string[] = ['11111111111111111111111111111111', WRAPPED_SOL_MINT]
/** The platform's own coin, which others may be quoted in. */
export const PUMP_MINT = 'pumpCmXqMfrsAkQ5r49WcJnRayYRqmXz6ae8H7H9Dfn'
export const USDC_MINT = 'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v'

/** The quote of a curve: from `other` on it is a coin (`Quotes`). */
export const Quote = { sol: 0, usdc: 1, other: 2 } as const
export const QUOTE_DECIMALS = [9, 6, 9] as const

export function quoteOf(mint: string | undefined): number {
  if (mint === undefined || mint === '' || SOL_MINTS.includes(mint)) return Quote.sol
  return mint === USDC_MINT ? Quote.usdc : Quote.other
}
