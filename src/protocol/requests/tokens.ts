import { TRADER_ORDERS, type TraderQuery } from '../queries.ts'
import { addressRefusal, type IsKnownAddress } from './address.ts'
import { parsePage } from './pages.ts'
import { accept, type Parsed, refuse } from './parsed.ts'
import {
  choice,
  pathParameter,
  type QueryParameters,
  required,
  single,
} from './query-parameters.ts'

/** Distinct mints one request may name (contract section 3). */
export const MAX_MINTS = 100
/** Code points of a search text at most (contract section 3, search). */
export const MAX_QUERY_CHARACTERS = 128

/**
 * The distinct mints of a market-data request in their order: those of `mints`, or the one of the path when `mints`
 * is absent or blank.
 */
export function parseMarketData(
  pathMint: string,
  parameters: QueryParameters,
  isKnownAddress: IsKnownAddress,
): Parsed<readonly string[]> {
  const list = single(parameters, 'mints')
  if (!list.ok) return list
  const mints = distinctMints(list.value ?? '')
  if (mints.length > MAX_MINTS) {
    return refuse(
      'invalid_parameter',
      'mints',
      `mints came with ${mints.length} distinct addresses, at most ${MAX_MINTS} are allowed.`,
    )
  }
  for (const mint of mints) {
    const refused = addressRefusal('mints', mint, isKnownAddress)
    if (refused !== null) return refused
  }
  if (mints.length > 0) return accept(mints)
  const mint = pathParameter(pathMint, 'mint')
  if (!mint.ok) return mint
  return addressRefusal('mint', mint.value, isKnownAddress) ?? accept([mint.value])
}

function distinctMints(list: string): readonly string[] {
  const mints = new Set<string>()
  for (const piece of list.split(',')) {
    const mint = piece.trim()
    if (mint !== '') mints.add(mint)
  }
  return [...mints]
}

/** Page and order of both trader endpoints; the default order is `pnl` descending. */
export function parseTraders(parameters: QueryParameters): Parsed<TraderQuery> {
  const page = parsePage(parameters)
  if (!page.ok) return page
  const orderBy = choice(parameters, 'order_by', TRADER_ORDERS, 'pnl')
  if (!orderBy.ok) return orderBy
  const direction = choice(parameters, 'order_direction', ['asc', 'desc'], 'desc')
  if (!direction.ok) return direction
  return accept({ ...page.value, orderBy: orderBy.value, direction: direction.value })
}

/** `query` of the search: trimmed, not blank, at most 128 code points. */
export function parseSearch(parameters: QueryParameters): Parsed<string> {
  const text = required(parameters, 'query')
  if (!text.ok) return text
  const query = text.value.trim()
  const characters = [...query].length
  if (characters <= MAX_QUERY_CHARACTERS) return accept(query)
  return refuse(
    'invalid_parameter',
    'query',
    `query came with ${characters} characters, 1 to ${MAX_QUERY_CHARACTERS} are allowed.`,
  )
}
