import { createHash } from 'node:crypto'
import {
  type Filters,
  FLAG_FILTERS,
  GROUPS,
  type Group,
  RANGE_FILTERS,
  SOCIAL_FILTERS,
} from './filters.ts'
import { jsonString } from './json-text.ts'
import type { TablesQuery } from './queries.ts'

const NAME_CHARACTERS = 16
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPEN = 0x7b
const CLOSE = 0x7d
const END = 0x5d
const MINT = ',"mint":'

/**
 * The name of a live table: 16 hex digits of a hash over the query in canonical form. The order of keys, flags that
 * are false and groups that `type` leaves out make no difference.
 */
export function tableName(query: TablesQuery): string {
  const groups = GROUPS.filter((group) => query.type === 'all' || query.type === group)
  const canonical = [
    query.limit,
    ...(query.extra === true ? ['extra'] : []),
    ...groups.map((group) => [group, canonicalFilters(query.filters[group] ?? {})]),
  ]
  const digest = createHash('sha256').update(JSON.stringify(canonical)).digest('hex')
  return digest.slice(0, NAME_CHARACTERS)
}

function canonicalFilters(filters: Filters): unknown[] {
  const ranges = RANGE_FILTERS.flatMap((name) => {
    const { min = null, max = null } = filters[name] ?? {}
    return min === null && max === null ? [] : [[name, min, max]]
  })
  const flags = FLAG_FILTERS.filter((name) => filters[name] === true)
  const socials = SOCIAL_FILTERS.filter((name) => filters.socials?.[name] === true)
  return [ranges, flags, socials]
}

/** One row of a table answer with its text there. */
interface TableRow {
  readonly mint: string
  readonly json: string
}

/** The groups of a table answer with their rows in order. */
export type TableRows = ReadonlyMap<Group, readonly TableRow[]>

/**
 * Cuts a table answer (`EngineQueries.tables`) into its rows without parsing them: a live table has the bytes of the
 * POST answer.
 */
export function rowsOfTables(json: string): TableRows {
  const groups = new Map<Group, readonly TableRow[]>()
  let at = 1
  while (json.charCodeAt(at) === QUOTE || json[at] === ',') {
    if (json[at] === ',') at += 1
    const end = json.indexOf('"', at + 1)
    const name = GROUPS.find((group) => group === json.slice(at + 1, end))
    if (name === undefined) throw new Error(`a table answer has no group ${json.slice(at, end)}`)
    const rows: TableRow[] = []
    at = end + 3
    while (json.charCodeAt(at) !== END) {
      if (json[at] === ',') at += 1
      const close = endOfObject(json, at)
      const row = json.slice(at, close)
      rows.push({ mint: mintOf(row), json: row })
      at = close
    }
    groups.set(name, rows)
    at += 1
  }
  return groups
}

/** Index behind the object that opens at `at`. */
function endOfObject(json: string, at: number): number {
  let depth = 0
  for (let i = at; i < json.length; i++) {
    const code = json.charCodeAt(i)
    if (code === QUOTE) i = endOfText(json, i)
    else if (code === OPEN) depth += 1
    else if (code === CLOSE && --depth === 0) return i + 1
  }
  throw new Error('a table answer ends within a row')
}

/** Index of the quote that ends the text which opens at `at`. */
function endOfText(json: string, at: number): number {
  let end = json.indexOf('"', at + 1)
  while (isEscaped(json, end)) end = json.indexOf('"', end + 1)
  return end
}

function isEscaped(json: string, at: number): boolean {
  let slashes = 0
  while (json.charCodeAt(at - 1 - slashes) === BACKSLASH) slashes += 1
  return slashes % 2 === 1
}

/** A quote inside a text is escaped, so that the key is found nowhere else. */
function mintOf(row: string): string {
  const from = row.indexOf(MINT) + MINT.length
  const mint: unknown = JSON.parse(row.slice(from, endOfText(row, from) + 1))
  return String(mint)
}

/**
 * The delta from one table answer to another (docs/live.md): `leave`, `put`, `change` of each group that changed;
 * null: none did.
 */
export function tableDelta(before: TableRows, after: TableRows): string | null {
  const parts: string[] = []
  for (const [group, rows] of after) {
    const delta = groupDelta(before.get(group) ?? [], rows)
    if (delta !== null) parts.push(`"${group}":${delta}`)
  }
  return parts.length === 0 ? null : `{${parts.join(',')}}`
}

function groupDelta(before: readonly TableRow[], after: readonly TableRow[]): string | null {
  const formerPlaces = new Map(before.map(({ mint }, place) => [mint, place]))
  const mints = new Set(after.map(({ mint }) => mint))
  const leave = before.filter(({ mint }) => !mints.has(mint)).map(({ mint }) => jsonString(mint))
  const stays = stayingMints(after, formerPlaces)
  const put: string[] = []
  const change: string[] = []
  for (const [at, { mint, json }] of after.entries()) {
    if (!stays.has(mint)) put.push(`{"at":${at},"row":${json}}`)
    else if (before[formerPlaces.get(mint) ?? 0].json !== json) change.push(json)
  }
  if (leave.length + put.length + change.length === 0) return null
  return `{"leave":[${leave.join(',')}],"put":[${put.join(',')}],"change":[${change.join(',')}]}`
}

/** A longest increasing run of former places: its rows stay, all others are put anew. */
function stayingMints(
  after: readonly TableRow[],
  formerPlaces: ReadonlyMap<string, number>,
): ReadonlySet<string> {
  const before = after.flatMap(({ mint }) => {
    const place = formerPlaces.get(mint)
    return place === undefined ? [] : [{ mint, place }]
  })
  /** By length - 1: the last index of the run of that length that ends lowest. */
  const ends: number[] = []
  const previous: number[] = []
  for (const [i, { place }] of before.entries()) {
    let low = 0
    let high = ends.length
    while (low < high) {
      const middle = (low + high) >>> 1
      if (before[ends[middle]].place < place) low = middle + 1
      else high = middle
    }
    previous.push(low === 0 ? -1 : ends[low - 1])
    ends[low] = i
  }
  const stays = new Set<string>()
  for (let i = ends.at(-1) ?? -1; i >= 0; i = previous[i]) stays.add(before[i].mint)
  return stays
}
