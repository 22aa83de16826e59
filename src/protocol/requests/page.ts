import type { Page } from '../answers.ts'
import { parseExtra } from './extra.ts'
import { integer } from './integer.ts'
import { accept, type Parsed } from './parsed.ts'
import type { QueryParameters } from './query-parameters.ts'

/** Rows of one page or table at most (specification, Limits). */
export const MAX_LIMIT = 200
/** Rows when the request does not say (specification, Limits). */
export const DEFAULT_LIMIT = 50

const PAGE_RANGE = { min: 1, max: Number.MAX_SAFE_INTEGER, fallback: 1 }
const LIMIT_RANGE = { min: 1, max: MAX_LIMIT, fallback: DEFAULT_LIMIT }

/** `page`, `limit` and `extra` of the paginated endpoints. */
export function parsePage(parameters: QueryParameters): Parsed<Page> {
  const page = integer(parameters, 'page', PAGE_RANGE)
  if (!page.ok) return page
  const limit = integer(parameters, 'limit', LIMIT_RANGE)
  if (!limit.ok) return limit
  const extra = parseExtra(parameters)
  if (!extra.ok) return extra
  return accept({
    page: page.value,
    limit: limit.value,
    ...(extra.value && { extra: true }),
  })
}
