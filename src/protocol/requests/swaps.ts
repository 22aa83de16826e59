import type { Page } from '../answers.ts'
import { parsePage } from './page.ts'
import { accept, type Parsed, refuse } from './parsed.ts'
import { type QueryParameters, single } from './query-parameters.ts'

export interface SwapsQuery {
  /** Null: the swaps of every signer. */
  readonly wallet: string | null
  readonly page: Page
}

/** `wallet`, `page` and `limit` of the swap history. */
export function parseSwaps(parameters: QueryParameters): Parsed<SwapsQuery> {
  const wallet = single(parameters, 'wallet')
  if (!wallet.ok) return wallet
  if (wallet.value !== null && wallet.value.trim() === '') {
    return refuse('invalid_parameter', 'wallet', 'wallet came blank, an address is expected.')
  }
  const page = parsePage(parameters)
  if (!page.ok) return page
  return accept({ wallet: wallet.value, page: page.value })
}
