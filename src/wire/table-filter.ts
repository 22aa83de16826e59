import { METADATA_KEYS } from '../engine/event.ts'
import { METRICS } from '../engine/metrics.ts'
import type { TokenReader } from '../engine/token-reader.ts'
import {
  type Filters,
  FLAG_FILTERS,
  RANGE_FILTERS,
  SOCIALS,
  type SocialsFilter,
} from './answers.ts'
import { type Gate, isKept, type TableColumns } from './table-columns.ts'

type TokenTest = (token: TokenReader) => boolean

const SOCIAL_PLACES = SOCIALS.map((social) => METADATA_KEYS.indexOf(social))

/** Compiles the filters of a group once: those that cost least come first. */
export function compileFilters(
  filters: Filters | null | undefined,
  columns: TableColumns,
): readonly Gate[] {
  if (filters === null || filters === undefined) return []
  const tests = [...flagTests(filters), ...socialTests(filters.socials)]
  return [...rangeGates(filters, columns), ...tests.map((test) => columns.test(test))]
}

/** Columns are compared where they lie; the others are read token by token, of those that are left. */
const KEPT_FIRST = RANGE_FILTERS.toSorted((a, b) => Number(isKept(b)) - Number(isKept(a)))

function rangeGates(filters: Filters, columns: TableColumns): Gate[] {
  const gates: Gate[] = []
  for (const name of KEPT_FIRST) {
    const range = filters[name]
    if (range === null || range === undefined) continue
    const min = range.min ?? Number.NEGATIVE_INFINITY
    const max = range.max ?? Number.POSITIVE_INFINITY
    gates.push(columns.range(name, min, max))
  }
  return gates
}

/** A flag that is true requires; false is the same as absent (contract section 2). */
function flagTests(filters: Filters): TokenTest[] {
  return FLAG_FILTERS.filter((name) => filters[name] === true).map((name) => flagReader(name))
}

function socialTests(socials: SocialsFilter | null | undefined): TokenTest[] {
  if (socials === null || socials === undefined) return []
  const tests: TokenTest[] = []
  SOCIALS.forEach((social, i) => {
    const place = SOCIAL_PLACES[i]
    if (socials[social] === true) tests.push((token) => token.hasMetadata(place))
  })
  if (socials.atLeastOne === true)
    tests.push((token) => SOCIAL_PLACES.some((place) => token.hasMetadata(place)))
  return tests
}

function flagReader(name: string): TokenTest {
  const metric = METRICS.find((row) => row.filter === name)
  if (metric === undefined || metric.kind !== 'boolean') throw new Error(`no flag metric ${name}`)
  return metric.read
}
