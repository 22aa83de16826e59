import type { SwapMark } from '../../events/swap-record.ts'
import type { Page, SwapCursor } from '../queries.ts'
import { accept, type Parsed, quoted, type Refused, refuse } from './parsed.ts'
import { integer, parseExtra, type QueryParameters, single } from './query-parameters.ts'

/** Rows of one page or table at most (specification, Limits). */
export const MAX_LIMIT = 200
/** Rows when the request does not say (specification, Limits). */
export const DEFAULT_LIMIT = 50
const PAGE_RANGE = { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: 1 }
const LIMIT_RANGE = { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT }
const CURSOR = /^(\d{1,16})-(\d{1,10})-(\d{1,10})$/

interface SwapsQuery {
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
