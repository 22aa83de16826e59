import type { JsonRecord } from '../../base/json-access.ts'
import type { FrameError } from '../live-frames.ts'
import { BARS_MAX, RESOLUTIONS, type Resolution, type TablesQuery } from '../queries.ts'
import { tablesOf } from '../requests/tables.ts'
import { tableName } from '../table-rows.ts'
import { STATE_OPTION_KEYS, stateOptionError, unknownKey } from './live-options.ts'

/** Bars of a candle snapshot at most, and when the client does not say. */
export const COUNTBACK_MAX = BARS_MAX
export const COUNTBACK_DEFAULT = 300

/** A live table to follow (`query`), or to leave by its name. */
export interface TableRequest {
  readonly kind: 'table'
  readonly action: 'subscribe' | 'unsubscribe'
  readonly table: string
  readonly query: TablesQuery | null
}

export interface CandlesRequest {
  readonly kind: 'candles'
  readonly action: 'subscribe' | 'unsubscribe'
  readonly mint: string
  readonly resolution: Resolution
  readonly countback: number
}

type Action = TableRequest['action']

const TABLE_NAME = /^[0-9a-f]{16}$/

/** `filter`, or on unsubscribing `table` instead. */
export function parseTableRequest(action: Action, data: JsonRecord): TableRequest | FrameError {
  const refused = refusedKey(data, ['filter', 'table'])
  if (refused !== null) return refused
  const { table, filter } = data
  if (action === 'unsubscribe' && filter === undefined) {
    if (typeof table === 'string' && TABLE_NAME.test(table))
      return { kind: 'table', action, table, query: null }
    return invalidFilter('data.filter or data.table, the name of a table, is required.')
  }
  if (table !== undefined && action === 'unsubscribe')
    return invalidFilter('data.filter or data.table is allowed, not both.')
  if (table !== undefined) return invalidFilter('data.table comes with unsubscribe alone.')
  if (filter === undefined)
    return invalidFilter('data.filter is required: the body of POST /api/v2/meme.')
  // Never as text again: writing JSON is recursive, and a client may nest as deep as its message is long.
  const query = tablesOf(filter)
  if (!query.ok) return invalidFilter(query.error.message)
  return { kind: 'table', action, table: tableName(query.value), query: query.value }
}

function refusedKey(data: JsonRecord, own: readonly string[]): FrameError | null {
  return stateOptionError(data) ?? unknownKey(data, ['action', 'id', ...own, ...STATE_OPTION_KEYS])
}

function invalidFilter(message: string): FrameError {
  return { code: 'invalid_filter', message }
}

/** `resolution` and `countback`; `mint` was read before. */
export function parseCandlesRequest(
  action: Action,
  data: JsonRecord,
  mint: string,
): CandlesRequest | FrameError {
  const refused = refusedKey(data, ['mint', 'resolution', 'countback'])
  if (refused !== null) return refused
  const resolution = RESOLUTIONS.find((known) => known === data.resolution)
  if (resolution === undefined) {
    const message = `data.resolution is one of ${RESOLUTIONS.join(', ')}.`
    return { code: 'invalid_resolution', message }
  }
  const countback = data.countback ?? COUNTBACK_DEFAULT
  const isCount =
    typeof countback === 'number' &&
    Number.isInteger(countback) &&
    countback >= 1 &&
    countback <= COUNTBACK_MAX
  if (!isCount) {
    const message = `data.countback is an integer from 1 to ${COUNTBACK_MAX}.`
    return { code: 'invalid_countback', message }
  }
  return { kind: 'candles', action, mint, resolution, countback }
}
