import { createServer } from 'node:http'
import { text } from 'node:stream/consumers'
import { onTestFinished } from 'vitest'
import { listening } from '../../process/free-port.ts'

export interface Question {
  readonly method: string
  readonly params: readonly unknown[]
  answer(result: unknown): void
  fail(code: number, message: string): void
  refuse(headers: Readonly<Record<string, string>>): void
}

/** An RPC server whose questions the test answers one by one; it ends with the test. */
export async function rpcServer(): Promise<{ url: string; questions: readonly Question[] }> {
  const questions: Question[] = []
  const server = createServer(async (request, response) => {
    const { method, params } = JSON.parse(await text(request))
    questions.push({
      method,
      params,
      answer: (result) => response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, result })),
      fail: (code, message) =>
        response.end(JSON.stringify({ jsonrpc: '2.0', id: 1, error: { code, message } })),
      refuse: (headers) => response.writeHead(429, headers).end('too many requests'),
    })
  })
  const port = await listening(server)
  onTestFinished(() => {
    server.closeAllConnections()
    server.close()
  })
  return { url: `http://127.0.0.1:${port}`, questions }
}
