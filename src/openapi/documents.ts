import { ENDPOINTS, type Endpoint } from './endpoints.ts'
import { exampleOf } from './examples.ts'
import { usedSchemas } from './resources.ts'
import { ADDRESS, named } from './schema.ts'

const JSON_TYPE = 'application/json'
const POSITION = {
  'X-Mintfeed-Seq': {
    description: 'Events taken so far: the position that the answer shows',
    schema: { type: 'integer' },
  },
  'X-Mintfeed-Epoch': {
    description: 'Another one when the stream has broken off',
    schema: { type: 'string' },
  },
}
const LIMIT = {
  'X-RateLimit-Limit': counted('Requests of one address in a window, where they are limited'),
  'X-RateLimit-Remaining': counted('Requests that are left in this one'),
  'X-RateLimit-Reset': counted('Seconds until it ends'),
}
const RETRY_AFTER = { 'Retry-After': counted('Seconds to wait, where that helps') }
const REFUSAL = {
  description: 'A refusal, in the one shape of all',
  content: { [JSON_TYPE]: { schema: named('Error'), ...exampled('refusal') } },
}

const UDF_REFUSAL = {
  description: 'A refusal as UDF clients read it',
  content: { [JSON_TYPE]: { schema: named('UdfRefusal') } },
}

const TABLES_BODY = {
  required: true,
  content: { [JSON_TYPE]: { schema: named('FiltersMemeDto') } },
}

/** What both documents say of the API. */
export const INFO = { title: 'mintfeed', version: '2' }

/** `/openapi.json`: the HTTP API. */
export function openApiJson(): string {
  const paths = Object.fromEntries(ENDPOINTS.map((endpoint) => [endpoint.path, pathOf(endpoint)]))
  return JSON.stringify({
    openapi: '3.1.0',
    info: { ...INFO, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
    servers: [{ url: '/' }],
    paths,
    components: { schemas: usedSchemas(paths) },
  })
}

function pathOf(endpoint: Endpoint): object {
  const words = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: endpoint.isWordFree === true ? { type: 'string' } : ADDRESS,
  }))
  const others = endpoint.parameters.map((parameter) => ({ in: 'query', ...parameter }))
  const type = endpoint.contentType ?? JSON_TYPE
  const answer = { schema: endpoint.answer, ...exampled(endpoint.id) }
  const refusal = endpoint.path.startsWith('/udf/') ? UDF_REFUSAL : REFUSAL
  const operation = {
    operationId: endpoint.id,
    summary: endpoint.summary,
    parameters: [...words, ...others],
    ...(endpoint.method === 'post' && { requestBody: TABLES_BODY }),
    responses: {
      200: {
        description: 'The answer',
        headers: { ...POSITION, ...LIMIT },
        content: { [type]: answer },
      },
      429: {
        ...refusal,
        description: 'More requests than a window allows',
        headers: { ...LIMIT, ...RETRY_AFTER },
      },
      default: { ...refusal, headers: { ...LIMIT, ...RETRY_AFTER } },
    },
  }
  return { [endpoint.method]: operation }
}

function counted(description: string): object {
  return { description, schema: { type: 'integer' } }
}

function exampled(name: string): object {
  const example = exampleOf(name)
  return example === undefined ? {} : { example }
}
