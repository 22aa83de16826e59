import type { Service } from '../../src/app/service.ts'
import { TokenReader } from '../../src/engine/read/token-reader.ts'
import {
  type Filters,
  FLAG_FILTERS,
  GROUPS,
  type Group,
  RANGE_FILTERS,
  SOCIALS,
} from '../../src/protocol/filters.ts'
import type { TablesQuery } from '../../src/protocol/queries.ts'
import { tokenJson } from '../../src/query/json/token-json.ts'
import { METRICS } from '../../src/query/tables/metrics.ts'

const SOCIAL_FIELDS = METRICS.filter(({ names }) => SOCIALS.some((name) => name === names.table))
const FILTER_FIELDS = METRICS.filter(({ filter }) => filter !== undefined)

/** What a database holds of a token: the value of every filter, its place, its row as JSON. */
export interface TableRow {
  readonly group: Group
  /** Place in its group's order; the greatest comes first. */
  readonly rank: number
  readonly json: string
  readonly values: readonly number[]
}

/** Columns of `TableRow.values`. */
export const COLUMNS: readonly string[] = [
  ...FILTER_FIELDS.map(({ filter }) => filter ?? ''),
  ...SOCIAL_FIELDS.map(({ names }) => names.table ?? ''),
]

/** Every token of the tables as they are now. */
export function tableRows({ engine }: Service): TableRow[] {
  const reader = new TokenReader(engine.state, engine.top, engine.links)
  const { order } = engine
  return GROUPS.flatMap((group) =>
    order[group].tokens.map((token, rank): TableRow => {
      reader.at(token)
      const values = [...FILTER_FIELDS, ...SOCIAL_FIELDS].map((metric) => {
        const value = metric.read(reader)
        return typeof value === 'number' ? value : value === '' || value === false ? 0 : 1
      })
      return { group, rank, json: tokenJson(reader, 'table'), values }
    }),
  )
}

/** The groups that a query asks for, with the condition of each in SQL. */
export function conditionsOf(query: TablesQuery): [Group, string][] {
  const groups = GROUPS.filter((group) => query.type === 'all' || query.type === group)
  return groups.map((group) => [group, conditionOf(query.filters[group])])
}

function conditionOf(filters: Filters | undefined): string {
  const terms: string[] = []
  for (const name of RANGE_FILTERS) {
    const range = filters?.[name]
    if (range?.min !== undefined) terms.push(`${name} >= ${range.min}`)
    if (range?.max !== undefined) terms.push(`${name} <= ${range.max}`)
  }
  for (const name of FLAG_FILTERS) if (filters?.[name] === true) terms.push(`${name} = 1`)
  for (const name of SOCIALS) if (filters?.socials?.[name] === true) terms.push(`${name} = 1`)
  if (filters?.socials?.atLeastOne === true)
    terms.push(`(${SOCIALS.map((name) => `${name} = 1`).join(' OR ')})`)
  return terms.map((term) => ` AND ${term}`).join('')
}
