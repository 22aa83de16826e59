import { isRecord } from '../base/json-access.ts'
import type { Schema } from '../openapi/resources.ts'
import type { ApiRequest } from '../protocol/queries.ts'
import {
  accept,
  type Parsed,
  quoted,
  type Refused,
  refuse,
  shown,
} from '../protocol/requests/parsers.ts'
import { SHOWN, type ToolForm } from './tool-forms.ts'
import type { Arguments } from './tools.ts'

/**
 * The arguments of a tool, with the defaults of rows. Here is checked what the API cannot see any more: names, kinds, and
 * the bounds that are narrower than its own. What values mean is checked by the API, whose sentence goes to the agent.
 */
export function argumentsOf({ tool, input }: ToolForm, given: unknown): Parsed<Arguments> {
  if (given !== undefined && !isRecord(given))
    return refuse(
      'invalid_parameter',
      'arguments',
      `arguments came as ${shown(given)}, an object is expected.`,
    )
  const found: Record<string, unknown> = {}
  for (const [name, schema] of Object.entries(input.properties))
    if (schema.default !== undefined && name in SHOWN) found[name] = schema.default
  for (const [name, value] of Object.entries(given ?? {})) {
    const schema = Object.hasOwn(input.properties, name) ? input.properties[name] : undefined
    if (schema === undefined) return unknownArgument(tool.name, name, Object.keys(input.properties))
    if (value === null || value === undefined) continue
    if (!isAllowed(value, schema)) return wrongArgument(name, value, schema)
    // Models and tools write a word like `5`, a width of bars, as a number.
    found[name] = schema.enum === undefined ? value : String(value)
  }
  const required: readonly unknown[] = Array.isArray(input.required) ? input.required : []
  for (const name of required)
    if (typeof name === 'string' && found[name] === undefined)
      return refuse('missing_parameter', name, `${name} is missing, ${tool.name} needs it.`)
  return accept(found)
}

/** The request that a call of the tool stands for. */
export function requestOf({ tool, endpoint }: ToolForm, given: Arguments): ApiRequest {
  const path = endpoint.path.replaceAll(/\{(\w+)\}/g, (_, name: string) =>
    encodeURIComponent(String(given[name])),
  )
  if (tool.body !== undefined)
    return { method: 'POST', path, query: '', body: JSON.stringify(tool.body(given)) }
  const query = new URLSearchParams()
  for (const { name, in: place } of endpoint.parameters) {
    const value = given[name] ?? tool.sent?.[name]
    if (place === undefined && value !== undefined) query.set(name, String(value))
  }
  return { method: 'GET', path, query: query.toString(), body: '' }
}

function isAllowed(value: unknown, schema: Schema): boolean {
  const { type, enum: words, minimum, maximum } = schema
  if (Array.isArray(words)) return words.includes(typeof value === 'number' ? String(value) : value)
  if (type === 'object') return isRecord(value)
  if (type === 'array') return Array.isArray(value) && value.length > 0 && value.every(isWritten)
  if (type !== 'integer') return typeof value === type
  if (typeof value !== 'number' || !Number.isSafeInteger(value)) return false
  const isLow = typeof minimum === 'number' && value < minimum
  return !isLow && !(typeof maximum === 'number' && value > maximum)
}

function isWritten(value: unknown): boolean {
  return typeof value === 'string' && value.trim() !== ''
}

function unknownArgument(tool: string, name: string, known: readonly string[]): Refused {
  const sentence = `${quoted(name)} is no argument of ${tool}, which takes ${known.join(', ')}.`
  return refuse('invalid_parameter', 'arguments', sentence)
}

function wrongArgument(name: string, value: unknown, schema: Schema): Refused {
  return refuse('invalid_parameter', name, `${name} came as ${shown(value)}, ${allowed(schema)}.`)
}

function allowed({ type, enum: words, minimum, maximum }: Schema): string {
  if (Array.isArray(words)) return `allowed are ${words.join(', ')}`
  if (type === 'array') return 'a list of texts is expected, one at least, none blank'
  if (type !== 'integer')
    return type === 'object' ? 'an object is expected' : `a ${String(type)} is expected`
  const least = minimum === undefined ? '' : ` from ${String(minimum)}`
  const bounds =
    maximum === undefined
      ? `${least}${least === '' ? '' : ' on'}`
      : `${least} to ${String(maximum)}`
  return `an integer${bounds} is allowed`
}
