import { isRecord } from '../../base/json-access.ts'
import {
  type Filters,
  GROUPS,
  type Group,
  RANGE_FILTERS,
  type RangeFilter,
  type TablesQuery,
} from '../queries.ts'
import { parseJson, withoutNulls } from './json-body.ts'
import { accept, type Parsed, quoted, type Refused, refuse, shown } from './parsed.ts'
import { DEFAULT_LIMIT } from './swaps.ts'
import {
  allowedKeys,
  allowedValue,
  type FiltersBody,
  SUFFIX_ALIAS,
  tablesValidator,
} from './tables-schema.ts'

/** Body, groups, filters and ranges: deeper than that no null is allowed anyhow. */
const BODY_DEPTH = 4

/** Name of a group's filters in the body. */
const BODY_KEYS = { new: 'newPools', completing: 'completing', graduated: 'graduated' } as const

/** The query of a token-table body (FiltersMemeDto as JSON text). */
export function parseTables(text: string): Parsed<TablesQuery> {
  const json = parseJson(text)
  return json.ok ? tablesOf(json.value) : json
}

/** The query of such a body as a value, however deep: it is not looked into further than is allowed. */
export function tablesOf(value: unknown): Parsed<TablesQuery> {
  const body = withoutNulls(value, BODY_DEPTH)
  if (!tablesValidator.Check(body)) return refusedBody(body)
  const filters: { [K in Group]?: Filters } = {}
  for (const group of GROUPS) {
    const given = body[BODY_KEYS[group]]
    if (given === undefined) continue
    const crossed = crossedRange(BODY_KEYS[group], given)
    if (crossed !== null) return crossed
    filters[group] = withoutAlias(given)
  }
  return accept({
    type: body.type ?? 'all',
    filters,
    limit: body.limit ?? DEFAULT_LIMIT,
    ...(body.extra === true && { extra: true }),
  })
}

/** The first range whose min is above its max, as a refusal. */
function crossedRange(bodyKey: string, filters: FiltersBody): Refused | null {
  for (const name of RANGE_FILTERS) {
    const range: RangeFilter | undefined = filters[name]
    if (range?.min == null || range.max == null || range.min <= range.max) continue
    const path = `${bodyKey}.${name}`
    const message = `${path} came with min ${range.min} above max ${range.max}.`
    return refuse('invalid_body', path, message)
  }
  return null
}

function withoutAlias(given: FiltersBody): Filters {
  const { [SUFFIX_ALIAS]: alias, ...filters } = given
  return alias === true ? { ...filters, caEndsWithSuffix: true } : filters
}

function refusedBody(body: unknown): Refused {
  const [first] = tablesValidator.Errors(body)
  const path = pointerKeys(first?.instancePath ?? '')
  const name = path.length === 0 ? 'body' : quotedPath(path)
  if (first?.keyword === 'boolean') {
    const keys = allowedKeys(path.slice(0, -1)).join(', ')
    return refuse('invalid_body', name, `${name} is not known, allowed are ${keys}.`)
  }
  const came = shown(valueAt(body, path))
  return refuse('invalid_body', name, `${name} came as ${came}, ${allowedValue(path)} allowed.`)
}

/** Keys of a JSON pointer (RFC 6901). */
function pointerKeys(pointer: string): readonly string[] {
  const keys = pointer.split('/').slice(1)
  return keys.map((key) => key.replaceAll('~1', '/').replaceAll('~0', '~'))
}

const PLAIN_KEY = /^[A-Za-z0-9_]{1,40}$/

function quotedPath(path: readonly string[]): string {
  return path.map((key) => (PLAIN_KEY.test(key) ? key : quoted(key))).join('.')
}

function valueAt(body: unknown, path: readonly string[]): unknown {
  let value = body
  for (const key of path) value = isRecord(value) ? value[key] : undefined
  return value
}
