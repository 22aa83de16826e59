import { createRequire } from 'node:module'
import { Validator } from '@seriousme/openapi-schema-validator'
import { Ajv } from 'ajv'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { isRecord } from '../../src/base/json-access.ts'
import { docsHtml } from '../../src/openapi/docs-page.ts'
import { asyncApiJson, openApiJson } from '../../src/openapi/documents.ts'
import { ENDPOINTS } from '../../src/openapi/endpoints.ts'
import { exampleOf } from '../../src/openapi/examples.ts'
import { LIVE_MESSAGES } from '../../src/openapi/live-messages-schemas.ts'
import { RESOURCE_SCHEMAS } from '../../src/openapi/resources.ts'
import { answersWithExtra, runningExamples } from './examples.ts'

const SERVED_AT = { host: '127.0.0.1', port: 8080, isSecure: false }

function parsed(text: string): Readonly<Record<string, unknown>> {
  const value: unknown = JSON.parse(text)
  if (!isRecord(value)) throw new Error('the document is no object')
  return value
}

test('openapi.json is valid OpenAPI 3.1', async () => {
  const validator = new Validator()
  const result = await validator.validate(parsed(openApiJson()))
  expect(result.errors ?? []).toEqual([])
  expect([result.valid, validator.version]).toEqual([true, '3.1'])
})

test.each([
  ['get', '/udf/search', 'query', ['query', 'type', 'exchange', 'limit']],
  ['get', '/udf/quotes', 'query', ['symbols']],
  ['get', '/udf/history', 'query', ['symbol', 'from', 'to', 'resolution', 'countback']],
  ['post', '/api/v2/meme', 'header', ['x-socket-id', 'x-mintfeed-min-seq']],
  ['get', '/api/v2/meme/chart/ohlcv', 'header', ['x-mintfeed-min-seq']],
  ['get', '/udf/quotes', 'header', ['x-mintfeed-min-seq']],
  ['get', '/api/v2/stream', 'header', ['last-event-id']],
])('openapi.json has the parameters of %s %s in the %s', (method, path, place, names) => {
  let operation: unknown = parsed(openApiJson())
  for (const key of ['paths', path, method, 'parameters'])
    operation = isRecord(operation) ? operation[key] : undefined
  const parameters: readonly unknown[] = Array.isArray(operation) ? operation : []
  const found = parameters.filter(isRecord).filter((parameter) => parameter.in === place)
  expect(found.map(({ name }) => name)).toEqual(names)
})

test('openapi.json takes null in a filter where the service does, and names the default of its limit', () => {
  const { FiltersMemeDto = {} } = RESOURCE_SCHEMAS
  const faultsOf = (body: unknown) =>
    faults(new Map([['body', FiltersMemeDto]]), new Map([['body', body]]))
  for (const body of [
    { type: null, limit: null, newPools: null },
    { newPools: { holders: { min: null, max: 5 }, dexPaid: null, socials: { twitter: null } } },
  ])
    expect(faultsOf(body)).toEqual([])
  for (const body of [{ newPools: { x: 1 } }, { limit: 0 }, { type: 'old' }, { x: null }])
    expect(faultsOf(body)).not.toEqual([])
  expect(JSON.stringify(FiltersMemeDto.properties)).toContain('"default":50')
})

test('openapi.json tells of every operation how it is limited', () => {
  const { paths } = parsed(openApiJson())
  for (const { path, method } of ENDPOINTS)
    expect(paths).toMatchObject({
      [path]: {
        [method]: {
          responses: {
            200: { headers: { 'X-RateLimit-Remaining': {} } },
            429: { headers: { 'X-RateLimit-Reset': {}, 'Retry-After': {} } },
          },
        },
      },
    })
})

test('asyncapi.json is valid AsyncAPI 3.0', () => {
  const schema: unknown = createRequire(import.meta.url)(
    '@asyncapi/specs/schemas/3.0.0-without-$id.json',
  )
  if (!isRecord(schema)) throw new Error('no schema of AsyncAPI')
  const ajv = new Ajv({ strict: false, validateFormats: false, logger: false })
  const validate = ajv.compile(schema)
  const document = parsed(asyncApiJson(SERVED_AT))
  expect(validate(document) ? [] : validate.errors).toEqual([])
  expect(validate({ ...document, operations: { ask: { action: 'listen' } } })).toBe(false)
})

test('every reference of both documents leads somewhere', () => {
  for (const text of [openApiJson(), asyncApiJson(SERVED_AT)]) {
    const document = parsed(text)
    for (const [, pointer = ''] of text.matchAll(/"\$ref":"#\/([^"]+)"/g)) {
      let value: unknown = document
      for (const key of pointer.split('/')) value = isRecord(value) ? value[key] : undefined
      expect(value, pointer).toBeDefined()
    }
  }
})

test('every component of both documents is one that something refers to', () => {
  for (const text of [openApiJson(), asyncApiJson(SERVED_AT)]) {
    const { components } = parsed(text)
    const kinds = isRecord(components) ? Object.entries(components) : []
    const all = kinds.flatMap(([kind, parts]) =>
      Object.keys(isRecord(parts) ? parts : {}).map((name) => `#/components/${kind}/${name}`),
    )
    expect(all.length).toBeGreaterThan(10)
    expect(all.filter((pointer) => !text.includes(`"$ref":"${pointer}"`))).toEqual([])
  }
})

test('openapi.json says that mints are a list with commas between, as the service reads them', () => {
  const { paths } = parsed(openApiJson())
  expect(paths).toHaveProperty(
    ['/api/v2/search/tokens/{mint}/market-data', 'get', 'parameters'],
    expect.arrayContaining([
      expect.objectContaining({
        ...{ name: 'mints', in: 'query', style: 'form', explode: false },
        schema: { type: 'array', items: { type: 'string' } },
      }),
    ]),
  )
})

test('asyncapi.json names the server, with the address and the protocol of a start', () => {
  const serverOf = (place: typeof SERVED_AT) => parsed(asyncApiJson(place)).servers
  expect(serverOf(SERVED_AT)).toEqual({
    service: {
      host: '{address}',
      protocol: 'ws',
      description: expect.any(String),
      variables: { address: { description: expect.any(String), default: '127.0.0.1:8080' } },
    },
  })
  expect(serverOf({ host: '0.0.0.0', port: 443, isSecure: true })).toMatchObject({
    service: { protocol: 'wss', variables: { address: { default: 'localhost:443' } } },
  })
  expect(serverOf({ host: '::1', port: 80, isSecure: false })).toMatchObject({
    service: { variables: { address: { default: '[::1]:80' } } },
  })
  // A port that the system chooses is not known yet.
  expect(JSON.stringify(serverOf({ ...SERVED_AT, port: 0 }))).not.toContain('default')
})

/** Checks values against schemas of the documents, by name; `prepare` changes all of these before. */
function faults(
  schemas: ReadonlyMap<string, object>,
  values: ReadonlyMap<string, unknown>,
  prepare: (schema: unknown) => unknown = (schema) => schema,
): unknown {
  const ajv = new Ajv2020({ strict: false, logger: false, allErrors: true })
  const validate = ajv.compile({
    type: 'object',
    properties: prepare(Object.fromEntries(schemas)),
    required: [...schemas.keys()],
    components: { schemas: prepare(RESOURCE_SCHEMAS) },
  })
  return validate(Object.fromEntries(values)) ? [] : validate.errors
}

/** The same schema, by which an object has no key that it does not name. */
function closed(schema: unknown): unknown {
  if (Array.isArray(schema)) return schema.map(closed)
  if (!isRecord(schema)) return schema
  if (Array.isArray(schema.allOf))
    return { ...schema, allOf: schema.allOf.map(whole), unevaluatedProperties: false }
  const parts = Object.entries(schema).map(([key, part]) => [key, closed(part)])
  const isOpen = schema.type === 'object' && isRecord(schema.properties)
  return { ...Object.fromEntries(parts), ...(isOpen && { additionalProperties: false }) }
}

/** A component itself in place of its name. */
function whole(schema: unknown): unknown {
  const name = isRecord(schema) ? String(schema.$ref).split('/').at(-1) : undefined
  return RESOURCE_SCHEMAS[name ?? ''] ?? schema
}

test('what a running server answers and tells is what the documents say, and nothing else is', async () => {
  const schemas = new Map<string, object>()
  for (const { id, answer, contentType } of ENDPOINTS)
    if (contentType === undefined) schemas.set(id, answer)
  for (const { name, payload } of LIVE_MESSAGES) schemas.set(name, payload)
  schemas.set('refusal', RESOURCE_SCHEMAS.Error ?? {})
  const examples = await runningExamples()
  expect(faults(schemas, examples)).toEqual([])
  expect(faults(schemas, examples, closed)).toEqual([])
  for (const name of ['tables', 'swaps', 'update_mint_info', 'meme_tables_delta', 'refusal']) {
    const wrong = new Map(examples).set(name, 7)
    const found = faults(new Map([[name, schemas.get(name) ?? {}]]), wrong)
    expect(found, name).not.toEqual([])
  }
})

test('additive keys of answers are those that the documents say', async () => {
  const answers = await answersWithExtra()
  const schemas = new Map(
    ENDPOINTS.filter(({ id }) => answers.has(id)).map(({ id, answer }) => [id, answer]),
  )
  expect(schemas.size).toBe(answers.size)
  expect(faults(schemas, answers, closed)).toEqual([])
  for (const [name, answer] of answers)
    expect(JSON.stringify(answer), name).toContain('"quote_symbol":"SOL"')
})

test('the examples in the documents are those of a running server', async () => {
  for (const [name, example] of await runningExamples())
    expect(exampleOf(name), `${name}: node test/documents/make-examples.ts`).toEqual(example)
})

test('each message of asyncapi.json has an example that is one of it', () => {
  for (const { name, payload } of LIVE_MESSAGES)
    expect(faults(new Map([[name, payload]]), new Map([[name, exampleOf(name)]])), name).toEqual([])
})

test('asyncapi.json has ping and pong of both sides', () => {
  const { operations } = parsed(asyncApiJson(SERVED_AT))
  for (const side of ['ask', 'tell'])
    for (const name of ['ping', 'pong'])
      expect(isRecord(operations) ? operations[side] : null).toHaveProperty(
        'messages',
        expect.arrayContaining([{ $ref: `#/channels/live/messages/${name}` }]),
      )
})

test('the page names every endpoint and message and loads nothing', () => {
  const page = docsHtml()
  for (const { path } of ENDPOINTS) expect(page).toContain(path)
  for (const { name } of LIVE_MESSAGES) expect(page).toContain(name)
  expect(page).not.toMatch(/<script|src=|https?:\/\/(?!x\.com)/)
  expect(page).toContain('asyncapi.json')
})
