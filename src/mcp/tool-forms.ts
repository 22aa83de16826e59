import { isRecord } from '../base/json-access.ts'
import { ENDPOINTS } from '../openapi/endpoints.ts'
import { RESOURCE_SCHEMAS, type Schema } from '../openapi/resources.ts'
import { DEFAULT_LIMIT, MAX_LIMIT } from '../protocol/requests/tokens.ts'
import { isStrangersField } from './text-form.ts'
import { TOOLS, type Tool } from './tools.ts'

/** Rows and bars of an answer: what a model reads at once, far less than what the API gives a program. */
export const SHOWN = {
  limit: { default: 10, maximum: DEFAULT_LIMIT },
  countback: { default: DEFAULT_LIMIT, maximum: MAX_LIMIT },
} as const

const STRANGERS_TEXT = "A stranger's words"

/** A tool with what follows from its row and from its endpoint. */
export interface ToolForm {
  readonly tool: Tool
  readonly endpoint: (typeof ENDPOINTS)[number]
  readonly input: ObjectSchema
  readonly output: ObjectSchema
  /** The lists of the answer are columns of one table. */
  readonly isColumns: boolean
}

/** A JSON Schema of an object, as the protocol wants it. */
interface ObjectSchema extends Schema {
  readonly type: 'object'
  readonly properties: Readonly<Record<string, Schema>>
}

/** The forms by name, made when an agent first asks. */
export function toolForms(): ReadonlyMap<string, ToolForm> {
  forms ??= new Map(TOOLS.map((tool) => [tool.name, formOf(tool)]))
  return forms
}
let forms: ReadonlyMap<string, ToolForm> | null = null

/** @throws Error when the row names no endpoint: a defect */
function formOf(tool: Tool): ToolForm {
  const endpoint = ENDPOINTS.find(({ id }) => id === tool.endpoint)
  if (endpoint === undefined) throw new Error(`${tool.name} names no endpoint.`)
  const answer = wholeSchema(tool.answer ?? endpoint.answer)
  // A list stands in `items`: a typed result is an object.
  const isList = answer.type === 'array'
  const { properties, required } = isList ? { properties: { items: answer } } : answer
  const lists = Object.values(isRecord(properties) ? properties : {})
  return {
    tool,
    endpoint,
    input: inputOf(tool, endpoint),
    output: {
      type: 'object',
      properties: { ...schemasIn(properties), note: { type: 'string', description: NOTE } },
      required: isList ? ['items'] : (required ?? []),
    },
    isColumns: lists.filter(isListOfNumbers).length > 1,
  }
}

const NOTE = 'What was left out, and what can be done about it'

function isListOfNumbers(schema: unknown): boolean {
  return isRecord(schema) && isRecord(schema.items) && schema.items.type === 'number'
}

function inputOf(tool: Tool, { path, parameters }: ToolForm['endpoint']): ObjectSchema {
  const known = new Map(parameters.map((parameter) => [parameter.name, parameter]))
  const words = [...path.matchAll(/\{(\w+)\}/g)].map(([, name = '']) => name)
  const properties = Object.entries(tool.parameters).map(([name, description]) => {
    const schema = tool.schemas?.[name] ?? known.get(name)?.schema ?? { type: 'string' }
    return [name, { ...shownSchema(name, schema), description }]
  })
  const required = Object.keys(tool.parameters).filter(
    (name) => words.includes(name) || known.get(name)?.required || tool.required?.includes(name),
  )
  return {
    type: 'object',
    properties: schemasIn(Object.fromEntries(properties)),
    required: required.filter((name) => tool.sent?.[name] === undefined),
    additionalProperties: false,
  }
}

/** Fewer rows than the API allows; an address may be any name that an event line gave a token. */
function shownSchema(name: string, schema: Schema): Schema {
  const { pattern: _, ...rest } = wholeSchema(schema)
  // Without a type some clients send the word `5` as a number.
  if (rest.enum !== undefined) return { type: 'string', ...rest }
  if (name !== 'limit' && name !== 'countback') return rest
  return { type: 'integer', minimum: 1, ...SHOWN[name] }
}

/** The schema as plain JSON, with all that it refers to in place: clients of the protocol follow no references. */
function wholeSchema(schema: unknown): Schema {
  const plain: unknown = JSON.parse(JSON.stringify(schema))
  const whole = resolved(plain, '')
  return isRecord(whole) ? whole : {}
}

function resolved(schema: unknown, key: string): unknown {
  if (Array.isArray(schema)) return schema.map((one) => resolved(one, ''))
  if (!isRecord(schema)) return schema
  const { $ref, allOf, properties, ...rest } = schema
  if (typeof $ref === 'string') return wholeSchema(RESOURCE_SCHEMAS[$ref.split('/').at(-1) ?? ''])
  if (Array.isArray(allOf)) return merged(allOf.map((one) => resolved(one, '')))
  const parts = Object.entries(rest).map(([name, part]) => [name, resolved(part, key)])
  const note = isStrangersField(key, schema) && { description: STRANGERS_TEXT }
  return {
    ...Object.fromEntries(parts),
    ...(isRecord(properties) && { properties: namedParts(properties) }),
    ...note,
  }
}

function namedParts(properties: Readonly<Record<string, unknown>>): object {
  return Object.fromEntries(
    Object.entries(properties).map(([name, part]) => [name, resolved(part, name)]),
  )
}

/** Objects that a value is all of, as one. */
function merged(parts: readonly unknown[]): Schema {
  const objects = parts.filter(isRecord)
  const properties = objects.map((part) => (isRecord(part.properties) ? part.properties : {}))
  const required = objects.flatMap((part) => (Array.isArray(part.required) ? part.required : []))
  return { type: 'object', properties: Object.assign({}, ...properties), required }
}

function schemasIn(properties: unknown): Readonly<Record<string, Schema>> {
  const entries = Object.entries(isRecord(properties) ? properties : {})
  return Object.fromEntries(
    entries.flatMap(([name, schema]) => (isRecord(schema) ? [[name, schema]] : [])),
  )
}
