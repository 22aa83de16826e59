import { TRADER_ORDERS, type TraderQuery } from '../answers.ts'
import { parsePage } from './page.ts'
import { accept, type Parsed } from './parsed.ts'
import { choice, type QueryParameters } from './query-parameters.ts'

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
