import { createHash } from 'node:crypto'
import {
  type Filters,
  FLAG_FILTERS,
  GROUPS,
  RANGE_FILTERS,
  SOCIALS,
  type TablesQuery,
} from './answers.ts'

const NAME_CHARACTERS = 16

/**
 * The name of a live table: 16 hex digits, equal for queries that give equal answers by their
 * wording: order of keys, nulls, flags that are false and groups not asked for make no difference.
 */
export function tableName(query: TablesQuery): string {
  const groups = GROUPS.filter((group) => query.type === 'all' || query.type === group)
  const wording = [
    query.limit,
    ...(query.extra === true ? ['extra'] : []),
    ...groups.map((group) => [group, filterWords(query.filters[group] ?? {})]),
  ]
  const digest = createHash('sha256').update(JSON.stringify(wording)).digest('hex')
  return digest.slice(0, NAME_CHARACTERS)
}

function filterWords(filters: Filters): unknown[] {
  const ranges = RANGE_FILTERS.flatMap((name) => {
    const { min = null, max = null } = filters[name] ?? {}
    return min === null && max === null ? [] : [[name, min, max]]
  })
  const flags = FLAG_FILTERS.filter((name) => filters[name] === true)
  const socials = [...SOCIALS, 'atLeastOne' as const].filter(
    (name) => filters.socials?.[name] === true,
  )
  return [ranges, flags, socials]
}
