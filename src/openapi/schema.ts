import { ADDRESS_PATTERN } from '../base/base58.ts'
import { isRecord } from '../base/json-access.ts'

/** A JSON Schema (2020-12, and as far as used here also draft 7), as the documents hold it. */
export type Schema = Readonly<Record<string, unknown>>

export const TEXT: Schema = { type: 'string' }
/** A mint or a wallet of the chain. */
export const ADDRESS: Schema = { type: 'string', pattern: ADDRESS_PATTERN }
export const NUMBER: Schema = { type: 'number' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const FLAG: Schema = { type: 'boolean' }
export const TIME: Schema = {
  type: 'string',
  pattern: '^\\d{4}-\\d\\d-\\d\\d \\d\\d:\\d\\d:\\d\\d$',
}
export const OPTIONAL_TEXT: Schema = { type: ['string', 'null'] }
export const OPTIONAL_COUNT: Schema = { type: ['integer', 'null'] }

/** A schema among the components of the same document. */
export function named(name: string): Schema {
  return { $ref: `#/components/schemas/${name}` }
}

export function list(items: Schema): Schema {
  return { type: 'array', items }
}

export function constant(value: string): Schema {
  return { const: value }
}

/** An object with all of these keys; more may come with a later version. */
export function object(
  properties: Readonly<Record<string, Schema>>,
  optional: readonly string[] = [],
): Schema {
  const required = Object.keys(properties).filter((name) => !optional.includes(name))
  return { type: 'object', properties, required }
}

/** The same object, each key of which may also be null where it may be left out, and so in the objects of its keys. */
export function nullable(schema: Schema): Schema {
  const { properties, required } = schema
  if (!isRecord(properties)) return schema
  const needed = Array.isArray(required) ? required : []
  const parts = Object.entries(properties).map(([name, part]) => {
    const inner = isRecord(part) ? nullable(part) : {}
    return [name, needed.includes(name) ? inner : { anyOf: [inner, { type: 'null' }] }]
  })
  return { ...schema, properties: Object.fromEntries(parts) }
}
