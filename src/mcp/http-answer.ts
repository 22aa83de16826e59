import {
  createMcpHandler,
  isLegacyRequest,
  WebStandardStreamableHTTPServerTransport,
} from '@modelcontextprotocol/server'
import { mcpServer } from './mcp-server.ts'
import type { AskApi } from './tools.ts'

/** Headers that the protocol puts beside a message. */
const MCP_HEADERS = ['mcp-protocol-version', 'mcp-method', 'mcp-name', 'mcp-session-id'] as const

/** The SDK wants a whole address; nothing reads it. */
const ANY_URL = 'http://mintfeed/mcp'
/** The answer is always JSON, so that a client need not say that it takes server-sent events too. */
const BOTH_TYPES = 'application/json, text/event-stream'

/** An answer of the transport, read to its end. */
interface HttpAnswer {
  readonly statusCode: number
  readonly contentType: string
  readonly body: string
}

/**
 * Answers one message of streamable HTTP, without a session: revision 2026-07-28, and those before it. Each message has a
 * server of its own, so that nothing stays behind it.
 */
export async function httpAnswer(
  message: unknown,
  headers: ReadonlyMap<string, string>,
  ask: AskApi,
): Promise<HttpAnswer> {
  const given = MCP_HEADERS.flatMap((name): [string, string][] => {
    const value = headers.get(name) ?? ''
    return value === '' ? [] : [[name, value]]
  })
  const request = new Request(ANY_URL, {
    method: 'POST',
    headers: [['accept', BOTH_TYPES], ['content-type', 'application/json'], ...given],
  })
  const isLegacy = await isLegacyRequest(request, message)
  const response = await (isLegacy
    ? legacyResponse(request, message, ask)
    : modernResponse(request, message, ask))
  return {
    statusCode: response.status,
    contentType: response.headers.get('content-type') ?? '',
    body: await response.text(),
  }
}

async function modernResponse(request: Request, message: unknown, ask: AskApi): Promise<Response> {
  const handler = createMcpHandler(() => mcpServer(ask), { legacy: 'reject' })
  return handler.fetch(request, { parsedBody: message })
}

async function legacyResponse(request: Request, message: unknown, ask: AskApi): Promise<Response> {
  const server = mcpServer(ask)
  const transport = new WebStandardStreamableHTTPServerTransport({ enableJsonResponse: true })
  await server.connect(transport)
  try {
    return await transport.handleRequest(request, { parsedBody: message })
  } finally {
    await server.close()
  }
}
