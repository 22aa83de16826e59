import { Client, StreamableHTTPClientTransport } from '@modelcontextprotocol/client'
import { isRecord } from '../../src/base/json-access.ts'

/** What a call answered: the text for the model, the typed result, the links. */
export interface Called {
  readonly isError: boolean
  readonly text: string
  readonly typed: Readonly<Record<string, unknown>>
  readonly links: readonly string[]
}

const ABOUT = { name: 'test', version: '1' }

/** The SDK's own client, connected to `/mcp`; `pin` wants a revision, else the newest is agreed on. */
export async function agentAt(url: string, era: 'auto' | 'legacy' = 'legacy'): Promise<Client> {
  const client = new Client(ABOUT, { versionNegotiation: { mode: era } })
  await client.connect(new StreamableHTTPClientTransport(new URL(`${url}/mcp`)))
  return client
}

export async function call(client: Client, name: string, given: object = {}): Promise<Called> {
  const result = await client.callTool({ name, arguments: { ...given } })
  const { content, structuredContent, isError } = result
  const text = content.flatMap((part) => (part.type === 'text' ? [part.text] : [])).join('\n')
  const links = content.flatMap((part) => (part.type === 'resource_link' ? [part.uri] : []))
  return {
    ...{ isError: isError === true, text, links },
    typed: isRecord(structuredContent) ? structuredContent : {},
  }
}

/** Posts a text to `/mcp`; status, headers and the answer as JSON. */
export async function post(
  url: string,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
) {
  const response = await fetch(`${url}/mcp`, {
    method: 'POST',
    headers: { 'content-type': 'application/json', ...headers },
    body: typeof body === 'string' ? body : JSON.stringify(body),
  })
  const text = await response.text()
  const json: unknown = text === '' ? null : JSON.parse(text)
  return { status: response.status, headers: response.headers, text, json }
}

/** A message of a client before revision 2026-07-28. */
export function rpc(method: string, params: object = {}, id: number | string = 1) {
  return { jsonrpc: '2.0', id, method, params }
}

export const INITIALIZE = rpc('initialize', {
  ...{ protocolVersion: '2025-11-25', capabilities: {}, clientInfo: ABOUT },
})
