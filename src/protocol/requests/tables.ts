import { createHash } from 'node:crypto'
import Type from 'typebox'
import { Compile } from 'typebox/compile'
import { isRecord, recordAt, textAt } from '../../base/json-access.ts'
import {
  BODY_KEYS,
  type Filters,
  FLAG_FILTERS,
  GROUPS,
  type Group,
  RANGE_FILTERS,
  type Range,
  SOCIAL_FILTERS,
  TABLE_ORDERS,
  WINDOW_FILTERS,
  WINDOWS,
} from '../filters.ts'
import type { TablesQuery } from '../queries.ts'
import { accept, type Parsed, parseJson, quoted, type Refused, refuse, shown } from './parsers.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from './tokens.ts'

/** Of a table's name, which is hexadecimal. */
const NAME_CHARACTERS = 16

/** Other name of `caEndsWithSuffix` on input (contract section 2). */
const SUFFIX_ALIAS = 'caEndsWithPump'

/** Of a tag, and wallets that a filter may ask for: no file has longer or more ones. */
const TAG_CHARACTERS = 32
const HELD_BY_MAX = 100_000

const CLOSED = { additionalProperties: false } as const
const Flag = Type.Boolean()
const RangeSchema = Type.Partial(Type.Object({ min: Type.Number(), max: Type.Number() }), CLOSED)
const WindowSchema = Type.Partial(Type.Record(Type.Enum(WINDOW_FILTERS), RangeSchema), CLOSED)
const FiltersSchema = Type.Partial(
  Type.Object({
    ...Type.Record(Type.Enum(RANGE_FILTERS), RangeSchema).properties,
    ...Type.Record(Type.Enum(FLAG_FILTERS), Flag).properties,
    [SUFFIX_ALIAS]: Flag,
    socials: Type.Partial(Type.Record(Type.Enum(SOCIAL_FILTERS), Flag), CLOSED),
    windows: Type.Partial(Type.Record(Type.Enum(WINDOWS), WindowSchema), CLOSED),
    heldBy: Type.Object(
      {
        tag: Type.String({ minLength: 1, maxLength: TAG_CHARACTERS }),
        min: Type.Optional(Type.Integer({ minimum: 1, maximum: HELD_BY_MAX })),
      },
      CLOSED,
    ),
  }),
  CLOSED,
)

/** FiltersMemeDto of the specification plus `limit` and `extra`; nulls are taken out before it is checked. */
export const TablesSchema = Type.Partial(
  Type.Object({
    type: Type.Union([...GROUPS, 'all' as const].map((word) => Type.Literal(word))),
    limit: Type.Integer({ minimum: 1, maximum: MAX_LIMIT, default: DEFAULT_LIMIT }),
    extra: Flag,
    order_by: Type.Union(TABLE_ORDERS.map((order) => Type.Literal(order))),
    [BODY_KEYS.new]: FiltersSchema,
    [BODY_KEYS.completing]: FiltersSchema,
    [BODY_KEYS.graduated]: FiltersSchema,
  }),
  CLOSED,
)

/** Compiled once: a check costs up to some microseconds, a compilation a hundred times that. */
const validator = Compile(TablesSchema)

/**
 * Keys of an object that are checked, far more than any schema allows: an object with more is refused for one of the
 * first, and a check of a thousand keys would cost a millisecond.
 */
const MAX_CHECKED_KEYS = 64

/**
 * The value without the keys that are null, down to `depth` objects: null means absent (contract section 3).
 * Every key of the client stays an own property, `__proto__` included.
 */
function withoutNulls(value: unknown, depth: number): unknown {
  if (depth === 0 || !isRecord(value)) return value
  const entries: [string, unknown][] = []
  for (const key of Object.keys(value)) {
    const member = value[key]
    if (member !== null) entries.push([key, withoutNulls(member, depth - 1)])
    if (entries.length === MAX_CHECKED_KEYS) break
  }
  return Object.fromEntries(entries)
}

const TYPES: ReadonlySet<unknown> = new Set([...GROUPS, 'all'])
const BODY_NAMES: ReadonlySet<string> = new Set(Object.values(BODY_KEYS))
const RANGE_NAMES: ReadonlySet<string> = new Set(RANGE_FILTERS)
const FLAG_NAMES: ReadonlySet<string> = new Set(FLAG_FILTERS)
const SOCIAL_NAMES: ReadonlySet<string> = new Set(SOCIAL_FILTERS)

/**
 * Has a body what most have, as the schema allows it: a type, ranges, flags and links? It is told in a tenth of the
 * schema's time; of all others this says nothing.
 */
function isPlain(body: unknown): body is Type.Static<typeof TablesSchema> {
  return (
    isRecord(body) &&
    Object.keys(body).every((key) =>
      key === 'type' ? TYPES.has(body[key]) : BODY_NAMES.has(key) && isPlainGroup(body[key]),
    )
  )
}

function isPlainGroup(filters: unknown): boolean {
  return (
    isRecord(filters) &&
    Object.keys(filters).every((key) => {
      const filter = filters[key]
      if (RANGE_NAMES.has(key)) return isPlainRange(filter)
      if (key === 'socials')
        return (
          isRecord(filter) &&
          Object.keys(filter).every(
            (one) => SOCIAL_NAMES.has(one) && typeof filter[one] === 'boolean',
          )
        )
      return FLAG_NAMES.has(key) && typeof filter === 'boolean'
    })
  )
}

function isPlainRange(range: unknown): boolean {
  return (
    isRecord(range) &&
    Object.keys(range).every(
      (key) => (key === 'min' || key === 'max') && Number.isFinite(range[key]),
    )
  )
}

/** Body, groups, filters, windows, their filters and ranges: the schema goes no deeper. */
const BODY_DEPTH = 6

/** The query of a token-table body (FiltersMemeDto as JSON text). */
export function parseTables(text: string): Parsed<TablesQuery> {
  const json = parseJson(text)
  return json.ok ? tablesOf(json.value) : json
}

/** The query of such a body as a value; it is read no deeper than the schema goes. */
export function tablesOf(value: unknown): Parsed<TablesQuery> {
  if (isPlain(value)) return queryOf(value)
  const body = withoutNulls(value, BODY_DEPTH)
  return validator.Check(body) ? queryOf(body) : refusedBody(body)
}

function queryOf(body: Type.Static<typeof TablesSchema>): Parsed<TablesQuery> {
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
    ...(body.order_by !== undefined && { orderBy: body.order_by }),
  })
}

/**
 * The name of a live table: 16 hex digits of a hash over the query in canonical form. The order of keys, flags that
 * are false and groups that `type` leaves out make no difference.
 */
export function tableName(query: TablesQuery): string {
  const groups = GROUPS.filter((group) => query.type === 'all' || query.type === group)
  const canonical = [
    query.limit,
    ...(query.extra === true ? ['extra'] : []),
    ...(query.orderBy === undefined ? [] : [query.orderBy]),
    ...groups.map((group) => [group, canonicalFilters(query.filters[group] ?? {})]),
  ]
  return shortDigest(canonical)
}

/** The name of a followed query by its canonical form. */
export function shortDigest(canonical: readonly unknown[]): string {
  const digest = createHash('sha256').update(JSON.stringify(canonical)).digest('hex')
  return digest.slice(0, NAME_CHARACTERS)
}

function canonicalFilters(filters: Filters): unknown[] {
  const ranges = canonicalRanges(RANGE_FILTERS, filters)
  const flags = FLAG_FILTERS.filter((name) => filters[name] === true)
  const socials = SOCIAL_FILTERS.filter((name) => filters.socials?.[name] === true)
  const windows = WINDOWS.flatMap((window) =>
    canonicalRanges(WINDOW_FILTERS, filters.windows?.[window] ?? {}).map((range) => [
      window,
      range,
    ]),
  )
  const { tag, min = 1 } = filters.heldBy ?? {}
  return [
    ...[ranges, flags, socials],
    ...(windows.length === 0 ? [] : [['windows', ...windows]]),
    ...(tag === undefined ? [] : [['heldBy', tag, min]]),
  ]
}

function canonicalRanges<K extends string>(
  names: readonly K[],
  filters: { readonly [Name in K]?: Range },
): unknown[] {
  return names.flatMap((name) => {
    const { min = null, max = null } = filters[name] ?? {}
    return min === null && max === null ? [] : [[name, min, max]]
  })
}

/** The first range whose min is above its max, as a refusal. */
function crossedRange(bodyKey: string, filters: Type.Static<typeof FiltersSchema>): Refused | null {
  for (const name of RANGE_FILTERS) {
    const range = filters[name]
    if (range !== undefined && isCrossed(range)) return refuseCrossed(`${bodyKey}.${name}`, range)
  }
  for (const window of WINDOWS) {
    const ofWindow = filters.windows?.[window]
    if (ofWindow === undefined) continue
    for (const name of WINDOW_FILTERS) {
      const range = ofWindow[name]
      if (range !== undefined && isCrossed(range))
        return refuseCrossed(`${bodyKey}.windows.${window}.${name}`, range)
    }
  }
  return null
}

function isCrossed({ min, max }: Range): boolean {
  return min !== undefined && max !== undefined && min > max
}

function refuseCrossed(path: string, { min, max }: Range): Refused {
  return refuse('invalid_body', path, `${path} came with min ${min} above max ${max}.`)
}

function withoutAlias(given: Type.Static<typeof FiltersSchema>): Filters {
  const { [SUFFIX_ALIAS]: alias, ...filters } = given
  return alias === true ? { ...filters, caEndsWithSuffix: true } : filters
}

function refusedBody(body: unknown): Refused {
  const [first] = validator.Errors(body)
  const path = pointerKeys(first?.instancePath ?? '')
  const name = path.length === 0 ? 'body' : quotedPath(path)
  if (first?.keyword === 'boolean') {
    const keys = allowedKeys(path.slice(0, -1)).join(', ')
    return refuse('invalid_body', name, `${name} is not known, allowed are ${keys}.`)
  }
  // Labels are the one filter that cannot be left out of its object.
  if (first?.keyword === 'required')
    return refuse(
      'invalid_body',
      name,
      `${name} came without a tag, ${allowedValue(path)} allowed.`,
    )
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

/** The schema of the value at a path of the body. */
function schemaAt(path: readonly string[]): unknown {
  let schema: unknown = TablesSchema
  for (const key of path) schema = recordAt(recordAt(schema, 'properties'), key)
  return schema
}

/** Keys that are allowed in the object at a path of the body, for the message of a refusal. */
function allowedKeys(path: readonly string[]): readonly string[] {
  return Object.keys(recordAt(schemaAt(path), 'properties') ?? {})
}

function maximumOf(path: readonly string[]): unknown {
  const schema = schemaAt(path)
  return isRecord(schema) ? schema.maximum : MAX_LIMIT
}

/** What is allowed as the value at a path of the body, for the message of a refusal. */
function allowedValue(path: readonly string[]): string {
  const type = textAt(schemaAt(path), 'type')
  if (type === 'boolean') return 'true or false is'
  if (type === 'number') return 'a finite number is'
  if (path[0] === 'order_by') return 'a window and a quantity of it, such as 5m.volumeUsd, are'
  if (type === 'integer') return `an integer from 1 to ${maximumOf(path)} is`
  if (type === 'string') return `a text of 1 to ${TAG_CHARACTERS} characters is`
  if (type !== 'object') return `${[...GROUPS, 'all'].join(', ')} are`
  if (path.length === 0) return 'a JSON object is'
  if (path.length === 1) return 'an object of filters is'
  if (path[1] === 'windows' && path.length < 4)
    return path.length === 2 ? 'an object of windows is' : 'an object of filters is'
  if (path[1] === 'heldBy') return 'an object with a tag and, if it is not 1, a min is'
  return path[1] === 'socials' ? 'an object of true or false is' : 'an object of min and max is'
}
