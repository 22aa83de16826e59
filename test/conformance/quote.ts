/** What tokens are quoted in, as far as a service says so. */
import type { Http } from './http.ts'
import { swapsPath } from './paths.ts'
import { getPage } from './walk.ts'

const SOL_AND_USDC = [
  'So11111111111111111111111111111111111111112',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
]

/** Is a token quoted in another coin? Not of a service that does not say so. */
export async function isQuotedInCoin(http: Http, mint: string): Promise<boolean> {
  const [item] = (await getPage(http, swapsPath(mint, 'limit=1&extra=1'))).items
  const quote = item?.quote_mint
  return typeof quote === 'string' && !SOL_AND_USDC.includes(quote)
}
