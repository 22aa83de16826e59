/**
 * The documents of the API: `/openapi.json`, `/asyncapi.json` and the page `/docs`. They are made of tables: endpoints,
 * live messages, resources, and an example of each. Schemas come from where the service checks by them: the metrics
 * table, the body of the token tables, the options of live messages. The bytes are published, and change with the API only.
 */

import { ENDPOINTS, type Endpoint, JSON_TYPE, MIN_SEQ } from './endpoints.ts'
import { exampleOf } from './examples.ts'
import { LIVE_MESSAGES, type LiveMessage } from './live-messages-schemas.ts'
import { ADDRESS, named, usedSchemas } from './resources.ts'

const POSITION = {
  'X-Mintfeed-Seq': counted('Events taken so far: the position that the answer shows'),
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

/** Refusals of paths whose clients know another shape, by the first word of the path. */
const REFUSALS: Readonly<Record<string, object>> = {
  udf: refused('A refusal as UDF clients read it', 'UdfRefusal'),
  mcp: refused('A refusal as JSON-RPC', 'RpcMessage'),
}

function refused(description: string, schema: string): object {
  return { description, content: { [JSON_TYPE]: { schema: named(schema) } } }
}

const INFO = { title: 'mintfeed', version: '2' }

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
  const inPath = [...endpoint.path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({
    name,
    in: 'path',
    required: true,
    schema: endpoint.isWordFree === true ? { type: 'string' } : ADDRESS,
  }))
  const known = endpoint.id === 'stream' ? endpoint.parameters : [...endpoint.parameters, MIN_SEQ]
  const others = known.map((parameter) => ({ in: 'query', ...parameter }))
  const type = endpoint.contentType ?? JSON_TYPE
  const answer = { schema: endpoint.answer, ...exampled(endpoint.id) }
  const refusal = REFUSALS[endpoint.path.split('/', 2)[1] ?? ''] ?? REFUSAL
  const operation = {
    operationId: endpoint.id,
    summary: endpoint.summary,
    parameters: [...inPath, ...others],
    ...(endpoint.body !== undefined && {
      requestBody: { required: true, content: { [JSON_TYPE]: { schema: endpoint.body } } },
    }),
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

/** `/asyncapi.json`: the live feed, and where it is served; port 0 is one that the system chooses. */
export function asyncApiJson(address: {
  readonly host: string
  readonly port: number
  readonly isSecure: boolean
}): string {
  const messages = Object.fromEntries(
    LIVE_MESSAGES.map((message) => [message.name, messageOf(message)]),
  )
  const reference = ({ name }: LiveMessage) => ({ $ref: `#/channels/live/messages/${name}` })
  return JSON.stringify({
    asyncapi: '3.0.0',
    info: { ...INFO, license: { name: 'Apache-2.0' } },
    defaultContentType: JSON_TYPE,
    servers: { service: serverOf(address) },
    channels: {
      live: {
        address: '/ws',
        description: 'Text messages of JSON; docs/live.md says what they mean.',
        bindings: {
          ws: {
            query: {
              type: 'object',
              required: ['id'],
              properties: { id: { type: 'string', minLength: 1, maxLength: 128 } },
            },
          },
        },
        messages: Object.fromEntries(
          LIVE_MESSAGES.map(({ name }) => [name, { $ref: `#/components/messages/${name}` }]),
        ),
      },
    },
    operations: {
      ask: {
        action: 'receive',
        channel: { $ref: '#/channels/live' },
        messages: LIVE_MESSAGES.filter(({ sender }) => sender !== 'service').map(reference),
      },
      tell: {
        action: 'send',
        channel: { $ref: '#/channels/live' },
        messages: LIVE_MESSAGES.filter(({ sender }) => sender !== 'client').map(reference),
      },
    },
    components: { messages, schemas: usedSchemas(messages) },
  })
}

/** Hosts that mean every address of a machine, where a client needs one. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function serverOf({ host, port, isSecure }: Parameters<typeof asyncApiJson>[0]): object {
  const name = EVERYWHERE.has(host) ? 'localhost' : host
  const authority = `${name.includes(':') ? `[${name}]` : name}:${port}`
  return {
    host: '{address}',
    protocol: isSecure ? 'wss' : 'ws',
    description: 'This service',
    variables: {
      address: {
        description: 'Host and port at which clients reach it; behind a proxy those of the proxy',
        ...(port !== 0 && { default: authority }),
      },
    },
  }
}

function messageOf({ name, summary, payload }: LiveMessage): object {
  const example = exampleOf(name)
  return {
    name,
    summary,
    payload,
    ...(example !== undefined && { examples: [{ payload: example }] }),
  }
}
