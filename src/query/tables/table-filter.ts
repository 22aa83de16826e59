import {
  type Filters,
  FLAG_FILTERS,
  RANGE_FILTERS,
  SOCIALS,
  type SocialsFilter,
} from '../../protocol/answers.ts'
import type { Gate, TableColumns } from './table-columns.ts'

/** Compiles the filters of a group once. */
export function compileFilters(
  filters: Filters | null | undefined,
  columns: TableColumns,
): readonly Gate[] {
  if (filters === null || filters === undefined) return []
  return [
    ...flagGates(filters, columns),
    ...socialGates(filters.socials, columns),
    ...rangeGates(filters, columns),
  ]
}

function rangeGates(filters: Filters, columns: TableColumns): Gate[] {
  const gates: Gate[] = []
  for (const name of RANGE_FILTERS) {
    const range = filters[name]
    if (range === null || range === undefined) continue
    const min = range.min ?? Number.NEGATIVE_INFINITY
    const max = range.max ?? Number.POSITIVE_INFINITY
    gates.push(columns.range(name, min, max))
  }
  return gates
}

/** A flag that is true requires; false is the same as absent (contract section 2). */
function flagGates(filters: Filters, columns: TableColumns): Gate[] {
  return FLAG_FILTERS.filter((name) => filters[name] === true).map((name) => columns.flag(name))
}

function socialGates(socials: SocialsFilter | null | undefined, columns: TableColumns): Gate[] {
  if (socials === null || socials === undefined) return []
  const names = [...SOCIALS, 'atLeastOne'] as const
  return names.filter((name) => socials[name] === true).map((name) => columns.social(name))
}
