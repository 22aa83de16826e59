import type { IncomingMessage, ServerResponse } from 'node:http'

export const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** One request that the admin surface takes. */
export interface AdminRoute {
  readonly method: 'GET' | 'POST' | 'PUT' | 'DELETE'
  /** One that ends with a slash stands for all below it. */
  readonly path: string
  readonly meaning: string
  /** It reads the body of the request; of all others it is dropped. */
  readonly takesBody?: boolean
  answer(response: ServerResponse, seconds: number, request: IncomingMessage): void | Promise<void>
}

/** An answer of the admin surface. */
export function send(
  response: ServerResponse,
  statusCode: number,
  type: string,
  body: string,
  headers: Readonly<Record<string, string>> = {},
): void {
  response.writeHead(statusCode, { ...headOf(type), ...headers })
  response.end(body)
}

export function sendJson(response: ServerResponse, statusCode: number, value: object): void {
  sendJsonText(response, statusCode, JSON.stringify(value))
}

export function sendJsonText(response: ServerResponse, statusCode: number, json: string): void {
  send(response, statusCode, JSON_TYPE, json)
}

/** A sentence or a few lines for whoever typed the request. */
export function sendText(
  response: ServerResponse,
  statusCode: number,
  text: string,
  headers?: Readonly<Record<string, string>>,
): void {
  send(response, statusCode, TEXT_TYPE, `${text}\n`, headers)
}

export function headOf(type: string): Readonly<Record<string, string>> {
  return { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' }
}
