import { PassThrough, type Readable, type Writable } from 'node:stream'
import { finished } from 'node:stream/promises'
import { setImmediate } from 'node:timers/promises'
import { StdioServerTransport, serveStdio } from '@modelcontextprotocol/server/stdio'
import { codeOf, messageOf } from '../base/errors.ts'
import { jsonOf, textAt } from '../base/json-access.ts'
import type { ApiRequest } from '../protocol/queries.ts'
import { mcpServer } from './mcp-server.ts'
import type { ApiAnswer, AskApi } from './tools.ts'

/** Above ANSWER_TIMEOUT of the service, so that its own sentence arrives. */
const ANSWER_WITHIN_MS = 15_000
/** Bytes of an answer of the API at most; what tools ask for has some 100 KB. */
const ANSWER_BYTES_MAX = 4 * 1024 * 1024
/** Bytes of a message of the client at most. */
const MESSAGE_BYTES_MAX = 1024 * 1024

/** Serves tools on a pair of streams until the first one ends and all is answered; a service at `url` answers. */
export async function serveOnStreams(
  url: string,
  { stdin, stdout, stderr }: { stdin: Readable; stdout: Writable; stderr: Writable },
): Promise<void> {
  const underWay = new Set<Promise<ApiAnswer>>()
  const ask: AskApi = (request) => {
    const answer = askOf(url)(request)
    underWay.add(answer)
    return answer.finally(() => underWay.delete(answer))
  }
  // Some clients end the stream behind their last message; the transport would drop what is under way.
  const endless = stdin.pipe(new PassThrough(), { end: false })
  const handle = serveStdio(() => mcpServer(ask), {
    transport: new StdioServerTransport(endless, stdout, { maxBufferSize: MESSAGE_BYTES_MAX }),
    onerror: (error) => stderr.write(`mintfeed: ${messageOf(error)}\n`),
  })
  await finished(stdin, { writable: false }).catch(() => {})
  do {
    await Promise.all(underWay)
    await setImmediate()
  } while (underWay.size > 0)
  await handle.close()
}

/** The API of the service at an address. */
export function askOf(url: string): AskApi {
  return async (request) => {
    try {
      return await asked(url, request)
    } catch (error) {
      return { ok: false, sentence: unansweredSentence(url, error) }
    }
  }
}

async function asked(url: string, { method, path, query, body }: ApiRequest): Promise<ApiAnswer> {
  const response = await fetch(`${url}${path}${query === '' ? '' : `?${query}`}`, {
    method,
    ...(method === 'POST' && { body, headers: { 'content-type': 'application/json' } }),
    redirect: 'error',
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
  })
  const json = await boundedText(response)
  if (json === null)
    return {
      ok: false,
      sentence: `${url} answered more than ${ANSWER_BYTES_MAX} bytes; ask for fewer rows.`,
    }
  if (response.ok && jsonOf(json) !== undefined) return { ok: true, json }
  const sentence = textAt(jsonOf(json), 'message')
  return {
    ok: false,
    sentence:
      sentence ??
      `${url} answered ${response.status} without JSON of mintfeed; is it the address of a service?`,
  }
}

/** The body; null when it is too long. */
async function boundedText(response: Response): Promise<string | null> {
  const chunks: Uint8Array[] = []
  let bytes = 0
  for await (const chunk of response.body ?? []) {
    bytes += chunk.length
    if (bytes > ANSWER_BYTES_MAX) return null
    chunks.push(chunk)
  }
  return Buffer.concat(chunks).toString()
}

function unansweredSentence(url: string, error: unknown): string {
  const cause = error instanceof Error && error.cause !== undefined ? error.cause : error
  const reason = codeOf(cause) || messageOf(cause)
  return `No service answers at ${url} (${reason}); start one with "mintfeed", or name it with --url.`
}
