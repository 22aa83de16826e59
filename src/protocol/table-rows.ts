import { createHash } from 'node:crypto'
import { type Filters, FLAG_FILTERS, GROUPS, RANGE_FILTERS, SOCIAL_FILTERS } from './filters.ts'
import { jsonString } from './json-text.ts'
import type { TableRow, TableRows, TablesQuery } from './queries.ts'

const NAME_CHARACTERS = 16

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
