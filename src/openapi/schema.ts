import { ADDRESS_PATTERN } from '../base/base58.ts'

/** A JSON Schema (2020-12, and as far as used here also draft 7), as the documents hold it. */
export type Schema = Readonly<Record<string, unknown>>

export const TEXT: Schema = { type: 'string' }
/** A mint or a wallet of the chain. */
export const ADDRESS: Schema = { type: 'string', pattern: ADDRESS_PATTERN }
export const NUMBER: Schema = { type: 'number' }
export const COUNT: Schema = { type: 'integer', minimum: 0 }
export const FLAG: Schema = { type: 'boolean' }

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
