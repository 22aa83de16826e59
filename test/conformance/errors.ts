/** The one shape of every error answer. */
import { ensure, type Json, keysAre, record, records, same, show, text } from './expect.ts'
import { type Answer, header, parsed } from './http.ts'

const reasons: Record<number, string> = {
  400: 'Bad Request',
  404: 'Not Found',
  405: 'Method Not Allowed',
  409: 'Conflict',
  413: 'Payload Too Large',
  415: 'Unsupported Media Type',
  429: 'Too Many Requests',
  503: 'Service Unavailable',
}

/** 413 has two names in use. */
const alsoCalled: Record<number, string> = { 413: 'Content Too Large' }

export function checkError(answer: Answer, status: number, what: string): Json {
  const got = `${what}: expected ${status}, got ${answer.status} ${show(answer.text)}`
  ensure(answer.status === status, got)
  const type = header(answer, 'content-type')
  ensure(type.startsWith('application/json'), `${what}: content type ${show(type)}`)
  const body = record(parsed(answer), what)
  const details = 'details' in body ? ['details'] : []
  keysAre(body, ['statusCode', 'error', 'message', 'code', ...details], what)
  same(body.statusCode, status, `${what}: statusCode`)
  const reason = text(body, 'error')
  ensure([reasons[status], alsoCalled[status]].includes(reason), `${what}: error ${show(reason)}`)
  ensure(text(body, 'message').length > 0, `${what}: the message is empty`)
  ensure(text(body, 'code').length > 0, `${what}: the code is empty`)
  for (const detail of records(body.details ?? [], 'details')) {
    keysAre(detail, ['path', 'message'], `${what}: a detail`)
    ensure(text(detail, 'path') !== text(detail, 'message'), `${what}: a detail says nothing`)
  }
  return body
}

/** A 400 about one parameter: the message names it, and the details are there. */
export function checkNamed(answer: Answer, status: number, parameter: string, what: string): void {
  const body = checkError(answer, status, what)
  const message = text(body, 'message')
  const named = message.toLowerCase().includes(parameter.toLowerCase())
  ensure(named, `${what}: the message does not name ${parameter}: ${show(message)}`)
  ensure('details' in body, `${what}: a 400 must carry details`)
}
