import type { SwapMark } from '../../events/swap-record.ts'
import {
  type Page,
  type Queries,
  type SwapCursor,
  TRADER_ORDERS,
  type TraderQuery,
  WALLET_RANKINGS,
  WALLET_WINDOWS,
  type WalletRanksQuery,
} from '../queries.ts'
import {
  accept,
  addressRefusal,
  choice,
  integer,
  type Parsed,
  parseExtra,
  pathParameter,
  type QueryParameters,
  quoted,
  type Refused,
  refuse,
  required,
  single,
} from './parsers.ts'

/** Rows of one page or table at most (specification, Limits). */
export const MAX_LIMIT = 200
/** Rows when the request does not say (specification, Limits). */
export const DEFAULT_LIMIT = 50
const PAGE_RANGE = { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: 1 }
export const LIMIT_RANGE = { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT }
const CURSOR = /^(\d{1,16})-(\d{1,10})-(\d{1,10})$/

/** `wallet`, `page` and `limit` of the swap history; the wallet is null for the swaps of every signer. */
export function parseSwaps(
  parameters: QueryParameters,
): Parsed<{ readonly wallet: string | null; readonly page: Page }> {
  const wallet = single(parameters, 'wallet')
  if (!wallet.ok) return wallet
  if (wallet.value !== null && wallet.value.trim() === '') {
    return refuse('invalid_parameter', 'wallet', 'wallet came blank, an address is expected.')
  }
  const page = parsePage(parameters)
  if (!page.ok) return page
  return accept({ wallet: wallet.value, page: page.value })
}

/** `page`, `limit` and `extra` of the paginated endpoints. */
export function parsePage(parameters: QueryParameters): Parsed<Page> {
  const page = integer(parameters, 'page', PAGE_RANGE)
  if (!page.ok) return page
  const rest = parseLimit(parameters)
  return rest.ok ? accept({ page: page.value, ...rest.value }) : rest
}

function parseLimit(parameters: QueryParameters): Parsed<Omit<Page, 'page'>> {
  const limit = integer(parameters, 'limit', LIMIT_RANGE)
  if (!limit.ok) return limit
  const extra = parseExtra(parameters)
  if (!extra.ok) return extra
  return accept({ limit: limit.value, ...(extra.value && { extra: true }) })
}

/** The text of a mark. */
export function cursorText({ index, ordinal, word }: SwapMark): string {
  return `${index}-${ordinal}-${word}`
}

/** `cursor`, `limit` and `extra`; null when there is no cursor. */
export function parseCursor(parameters: QueryParameters): Parsed<SwapCursor | null> {
  const text = single(parameters, 'cursor')
  if (!text.ok) return text
  if (text.value === null) return accept(null)
  if (parameters.has('page'))
    return refuse('invalid_parameter', 'page', 'page came with cursor, only one is allowed.')
  const rest = parseLimit(parameters)
  if (!rest.ok) return rest
  if (text.value === 'start') return accept({ after: null, ...rest.value })
  const [, index, ordinal, word] = CURSOR.exec(text.value) ?? []
  if (index === undefined) return badCursor(text.value)
  const after = { index: Number(index), ordinal: Number(ordinal), word: Number(word) }
  return accept({ after, ...rest.value })
}

/** The refusal of a cursor that names no swap. */
export function badCursor(text: string): Refused {
  const allowed = 'start or the next_cursor of an answer for the same mint and wallet is allowed'
  return refuse('invalid_parameter', 'cursor', `cursor came as ${quoted(text)}, ${allowed}.`)
}

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
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<readonly string[]> {
  const list = single(parameters, 'mints')
  if (!list.ok) return list
  const mints = parseMints(list.value ?? '', isKnownAddress)
  if (!mints.ok || mints.value.length > 0) return mints
  const mint = pathParameter(pathMint, 'mint')
  if (!mint.ok) return mint
  return addressRefusal('mint', mint.value, isKnownAddress) ?? accept([mint.value])
}

/** `mints` of the prices, distinct and in their order. */
export function parsePrices(
  parameters: QueryParameters,
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<readonly string[]> {
  const list = required(parameters, 'mints')
  if (!list.ok) return list
  const mints = parseMints(list.value, isKnownAddress)
  if (!mints.ok || mints.value.length > 0) return mints
  return refuse('invalid_parameter', 'mints', 'mints came without an address, one is expected.')
}

/** The distinct addresses of a list with commas, in their order. */
function parseMints(
  list: string,
  isKnownAddress: Queries['isKnownAddress'],
): Parsed<readonly string[]> {
  const mints = new Set(list.split(',').map((piece) => piece.trim()))
  mints.delete('')
  if (mints.size > MAX_MINTS) {
    const message = `mints came with ${mints.size} distinct addresses, at most ${MAX_MINTS} are allowed.`
    return refuse('invalid_parameter', 'mints', message)
  }
  for (const mint of mints) {
    const refused = addressRefusal('mints', mint, isKnownAddress)
    if (refused !== null) return refused
  }
  return accept([...mints])
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

/** `window`, `by` and `limit` of the ranking of wallets. */
export function parseWalletRanks(parameters: QueryParameters): Parsed<WalletRanksQuery> {
  const windows = { words: WALLET_WINDOWS, fallback: '7d' } as const
  return parseRanking(parameters, windows, { words: WALLET_RANKINGS, fallback: 'realized_pnl' })
}

interface Words<T extends string> {
  readonly words: readonly T[]
  readonly fallback: T
}

/** `window`, `by` and `limit` of what is ranked in a window. */
export function parseRanking<W extends string, B extends string>(
  parameters: QueryParameters,
  windows: Words<W>,
  orders: Words<B>,
): Parsed<{ readonly window: W; readonly by: B; readonly limit: number }> {
  const window = choice(parameters, 'window', windows.words, windows.fallback)
  if (!window.ok) return window
  const by = choice(parameters, 'by', orders.words, orders.fallback)
  if (!by.ok) return by
  const limit = integer(parameters, 'limit', LIMIT_RANGE)
  if (!limit.ok) return limit
  return accept({ window: window.value, by: by.value, limit: limit.value })
}

/** `query` of the search: trimmed, not blank, at most 128 code points. */
export function parseSearch(parameters: QueryParameters): Parsed<string> {
  const text = required(parameters, 'query')
  if (!text.ok) return text
  const query = text.value.trim()
  const characters = [...query].length
  if (characters <= MAX_QUERY_CHARACTERS) return accept(query)
  const message = `query came with ${characters} characters, 1 to ${MAX_QUERY_CHARACTERS} are allowed.`
  return refuse('invalid_parameter', 'query', message)
}
