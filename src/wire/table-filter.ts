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

export type TokenTest = (token: TokenReader) => boolean

const SOCIAL_PLACES = SOCIALS.map((social) => METADATA_KEYS.indexOf(social))

/** Compiles the filters of a group once: null when there is nothing to test. */
export function compileFilters(filters: Filters | null | undefined): TokenTest | null {
  if (filters === null || filters === undefined) return null
  const tests = [...rangeTests(filters), ...flagTests(filters), ...socialTests(filters.socials)]
  if (tests.length === 0) return null
  return (token) => {
    for (const test of tests) if (!test(token)) return false
    return true
  }
}

function rangeTests(filters: Filters): TokenTest[] {
  const tests: TokenTest[] = []
  for (const name of RANGE_FILTERS) {
    const range = filters[name]
    if (range === null || range === undefined) continue
    const min = range.min ?? Number.NEGATIVE_INFINITY
    const max = range.max ?? Number.POSITIVE_INFINITY
    const read = numberReader(name)
    tests.push((token) => {
      const value = read(token)
      return value >= min && value <= max
    })
  }
  return tests
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

function numberReader(name: string): (token: TokenReader) => number {
  const metric = METRICS.find((row) => row.filter === name)
  if (metric === undefined || metric.kind !== 'number') throw new Error(`no range metric ${name}`)
  return metric.read
}

function flagReader(name: string): TokenTest {
  const metric = METRICS.find((row) => row.filter === name)
  if (metric === undefined || metric.kind !== 'boolean') throw new Error(`no flag metric ${name}`)
  return metric.read
}
