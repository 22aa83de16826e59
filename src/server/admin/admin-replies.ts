import type { ServerResponse } from 'node:http'

/** Headers of one answer alone. */
export type AdminHeaders = Readonly<Record<string, string>>

const JSON_TYPE = 'application/json'
const TEXT_TYPE = 'text/plain; charset=utf-8'

/** An answer of the admin surface. */
export function send(
  response: ServerResponse,
  statusCode: number,
  type: string,
  body: string,
  headers: AdminHeaders = {},
): void {
  response.writeHead(statusCode, { ...headOf(type), ...headers })
  response.end(body)
}

/** 200 of JSON that is written piece by piece. */
export function beginJson(response: ServerResponse): void {
  response.writeHead(200, headOf(JSON_TYPE))
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
  headers?: AdminHeaders,
): void {
  send(response, statusCode, TEXT_TYPE, `${text}\n`, headers)
}

function headOf(type: string): AdminHeaders {
  return { 'Content-Type': type, 'X-Content-Type-Options': 'nosniff' }
}
