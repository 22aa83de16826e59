import { METRICS, type Metric, type Resource } from '../engine/metrics.ts'
import type { TokenReader } from '../engine/token-reader.ts'
import { jsonNumber, jsonString, timeText } from './json-text.ts'

type Write = (token: TokenReader) => string

/** Writes `,"name":value` of one metric, of the first with a bracket; "" leaves the field out. */
function fieldWriter(metric: Metric, name: string, resource: Resource, isFirst: boolean): Write {
  const key = `${isFirst ? '{' : ','}"${name}":`
  switch (metric.kind) {
    case 'number':
      return (token) => key + jsonNumber(metric.read(token))
    case 'boolean':
      return (token) => (metric.read(token) ? `${key}true` : `${key}false`)
    case 'text':
      return (token) => key + jsonString(metric.read(token))
    case 'text or null':
      return (token) => {
        const text = metric.read(token)
        return text === null ? `${key}null` : key + jsonString(text)
      }
    case 'time':
      return (token) => {
        const seconds = metric.read(token)
        return seconds === null ? `${key}null` : `${key}"${timeText(seconds)}"`
      }
    case 'optional text':
      return optionalWriter(metric.read, key, resource)
  }
}

/** Missing text: "" in search, null in market data, no key in table rows (contract section 1). */
function optionalWriter(
  read: (token: TokenReader) => string,
  key: string,
  resource: Resource,
): Write {
  const missing = { search: `${key}""`, market: `${key}null`, table: '' }[resource]
  return (token) => {
    const text = read(token)
    return text === '' ? missing : key + jsonString(text)
  }
}

/** Writers of a resource's fields. */
interface Writers {
  /** Of what stays until something happens to the token. */
  readonly lasting: readonly Write[]
  /** Of what is another one each second: they stand last in a row. */
  readonly passing: readonly Write[]
}

function writersOf(resource: Resource): Writers {
  const lasting: Write[] = []
  const passing: Write[] = []
  for (const metric of METRICS) {
    const name = metric.names[resource]
    if (name === undefined) continue
    if (metric.passes === true) passing.push(fieldWriter(metric, name, resource, false))
    else lasting.push(fieldWriter(metric, name, resource, lasting.length === 0))
  }
  return { lasting, passing }
}

const WRITERS: { readonly [R in Resource]: Writers } = {
  search: writersOf('search'),
  market: writersOf('market'),
  table: writersOf('table'),
}

/** One token as an item of a resource. The reader stands on the token. */
export function tokenJson(token: TokenReader, resource: Resource): string {
  return lastingJson(token, resource) + passingJson(token, resource)
}

/** The item as far as it stays until something happens to the token: all of it where nothing passes. */
export function lastingJson(token: TokenReader, resource: Resource): string {
  const { lasting, passing } = WRITERS[resource]
  return joined(token, lasting) + (passing.length === 0 ? '}' : '')
}

/** The rest of it; "" where nothing passes. */
export function passingJson(token: TokenReader, resource: Resource): string {
  const { passing } = WRITERS[resource]
  return passing.length === 0 ? '' : `${joined(token, passing)}}`
}

function joined(token: TokenReader, writers: readonly Write[]): string {
  let json = ''
  // Each piece is garbage soon: as few as can be.
  for (const write of writers) json += write(token)
  return json
}
