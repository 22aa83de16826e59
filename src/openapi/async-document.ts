import { INFO } from './documents.ts'
import { exampleOf } from './examples.ts'
import { LIVE_MESSAGES, type LiveMessage } from './live-messages-schemas.ts'
import { usedSchemas } from './resources.ts'

const JSON_TYPE = 'application/json'

/** Where the live feed is served, as far as a start knows. */
export interface LivePlace {
  readonly host: string
  /** 0: one that the system chooses. */
  readonly port: number
  /** Is TLS spoken? */
  readonly isSecure: boolean
}

/** `/asyncapi.json`: the live feed. */
export function asyncApiJson(place: LivePlace): string {
  const messages = Object.fromEntries(
    LIVE_MESSAGES.map((message) => [message.name, messageOf(message)]),
  )
  const reference = ({ name }: LiveMessage) => ({ $ref: `#/channels/live/messages/${name}` })
  return JSON.stringify({
    asyncapi: '3.0.0',
    info: { ...INFO, license: { name: 'Apache-2.0' } },
    defaultContentType: JSON_TYPE,
    servers: { service: serverOf(place) },
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

/** Hosts that mean every address of a machine; a client names one. */
const EVERYWHERE: ReadonlySet<string> = new Set(['0.0.0.0', '::'])

function serverOf({ host, port, isSecure }: LivePlace): object {
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
