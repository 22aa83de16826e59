import { createHash, timingSafeEqual } from 'node:crypto'
import type { IncomingMessage } from 'node:http'
import type { AdminHeaders } from './admin-replies.ts'

export interface AdminRefusal {
  readonly statusCode: 401 | 403
  readonly message: string
  readonly headers: AdminHeaders
}

/** Host headers of this machine: a page that has its own name point here sends that name. */
const LOCAL_HOST = /^(?:localhost|127(?:\.\d{1,3}){3}|\[::1\])(?::\d+)?$/i

/** The name of a scheme may be in any case (RFC 9110, 11.1). */
const BEARER = /^Bearer (.*)$/i

/**
 * Why a request may not be answered, null when it may. With a token every request has to carry it.
 * Without one the surface is on loopback, where a web page could reach it through the operator's
 * browser: so requests that a page sent, or that call this machine by another name, are refused.
 */
export function whyRefused(request: IncomingMessage, token: string | null): AdminRefusal | null {
  if (token !== null) {
    const given = BEARER.exec(request.headers.authorization ?? '')?.[1] ?? ''
    if (isSame(given, token)) return null
    const message = 'Send Authorization: Bearer <ADMIN_TOKEN>.'
    return { statusCode: 401, message, headers: { 'WWW-Authenticate': 'Bearer' } }
  }
  if (!isFromPage(request) && LOCAL_HOST.test(request.headers.host ?? '')) return null
  const message = 'Without ADMIN_TOKEN only programs of this machine are answered.'
  return { statusCode: 403, message, headers: {} }
}

/** What a browser says of a request that nobody typed: a frame, a window or a link sends no Origin. */
const OF_THE_OPERATOR: readonly unknown[] = [undefined, 'none', 'same-origin']

function isFromPage({ headers }: IncomingMessage): boolean {
  const isOfPage = !OF_THE_OPERATOR.includes(headers['sec-fetch-site'])
  return isOfPage || headers.origin !== undefined || headers['sec-fetch-mode'] === 'no-cors'
}

/** Compares in a time that does not tell how much was right. */
function isSame(given: string, wanted: string): boolean {
  const digest = (text: string) => createHash('sha256').update(text).digest()
  return timingSafeEqual(digest(given), digest(wanted))
}
