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
import type { Gate, TableColumns } from './table-columns.ts'

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
