import { isUtf8 } from 'node:buffer'
import type { IncomingHttpHeaders, IncomingMessage } from 'node:http'
import { request } from 'node:https'
import { isIP } from 'node:net'
import { connect, type TLSSocket } from 'node:tls'
import { dnsResolver, isPublicAddress } from '../../base/public-address.ts'
import { retryAfterMs } from '../backoff.ts'

/** Why the texts of a token cannot be had, one word each for the counters. */
export const REFUSALS = [
  'url',
  'scheme',
  'port',
  'address',
  'redirects',
  'pace',
  'status',
  'coding',
  'size',
  'dns',
  'time',
  'network',
  'json',
  'depth',
] as const

/** Why there is no answer that can be used. */
export interface Refusal {
  readonly refused: (typeof REFUSALS)[number]
  /** Another try would end the same way. */
  readonly isFinal: boolean
  /** The host answers, and has no such path: anybody can name such paths of any host. */
  readonly isOfPath?: boolean
  /** The server named a time to wait, in ms. */
  readonly retryAfterMs?: number
  /** The server is or will be switched off (`Sunset`, RFC 8594). */
  readonly isSunset?: boolean
}

export function refusal(refused: Refusal['refused'], isFinal: boolean): Refusal {
  return { refused, isFinal }
}

/** Limits of one fetch (docs/feeds.md). */
export const FETCH_LIMITS = {
  /** Longest body that is read; texts of a token have one to two thousand bytes. */
  bodyBytes: 64 * 1024,
  /** Longest address, with everything behind the host. */
  urlCharacters: 2_048,
  redirects: 3,
  /** From the first question to a name server to the last byte, redirects included. */
  totalMs: 10_000,
  connectMs: 5_000,
} as const
/** Interim answers (1xx) before the real one; a server can send them without end. */
const INTERIM_MAX = 4

const REDIRECTS: readonly number[] = [301, 302, 303, 307, 308]
/** Of a path that may have something later: gateways answer 404 for what they have not found yet. */
const LATER: readonly number[] = [404, 408, 425]
/** Of a host that has too much to do. */
const TOO_MANY_REQUESTS = 429
const HTTPS_PORT = 443
export interface SafeFetchOptions {
  /** All addresses of a host name; rejects or gives none when it has none. */
  readonly resolve?: (host: string) => Promise<readonly string[]>
  /** Opens a TLS connection to this very address and wants the certificate of `host`. */
  readonly dial?: (address: string, host: string) => TLSSocket
  readonly totalMs?: number
}

/**
 * GET of addresses that strangers wrote. https on port 443 only; names are resolved here, every
 * address must be public, and the connection goes to the address that was checked, so an answer
 * that changes afterwards changes nothing. The same again for each redirect. Bounded in size, time
 * and redirects; never throws.
 */
export class SafeFetch {
  readonly #resolve: NonNullable<SafeFetchOptions['resolve']>
  readonly #dial: NonNullable<SafeFetchOptions['dial']>
  readonly #totalMs: number

  constructor(options: SafeFetchOptions = {}) {
    this.#resolve = options.resolve ?? dnsResolver()
    this.#dial = options.dial ?? dialPublic
    this.#totalMs = options.totalMs ?? FETCH_LIMITS.totalMs
  }

  /**
   * The body as text, or why there is none.
   * @param mayLeadTo whether a host that a redirect leads to may be asked now; its pace counts from a yes on
   */
  async text(
    url: string,
    stop: AbortSignal,
    mayLeadTo: (host: string) => boolean = () => true,
  ): Promise<string | Refusal> {
    const deadline = new AbortController()
    const end = () => deadline.abort()
    const timer = setTimeout(end, this.#totalMs)
    stop.addEventListener('abort', end)
    try {
      return await unlessAborted(this.#follow(url, deadline.signal, mayLeadTo), deadline.signal)
    } catch {
      return refusal(deadline.signal.aborted ? 'time' : 'network', false)
    } finally {
      clearTimeout(timer)
      stop.removeEventListener('abort', end)
    }
  }

  async #follow(
    first: string,
    signal: AbortSignal,
    mayLeadTo: (host: string) => boolean,
  ): Promise<string | Refusal> {
    const asked = URL.parse(first)?.host ?? ''
    let url = first
    for (let hop = 0; hop <= FETCH_LIMITS.redirects; hop++) {
      const target = targetOf(url)
      if ('refused' in target) return target
      // Gateways have a host for each content, which would each have a pace of its own.
      const host = target.host.endsWith(`.${asked}`) ? asked : target.host
      if (hop > 0 && !mayLeadTo(host)) return { ...refusal('pace', false), isOfPath: true }
      const address = await this.#addressOf(hostOf(target), signal)
      if (typeof address !== 'string') return address
      const answer = await this.#request(target, address, signal)
      if (typeof answer === 'string' || 'refused' in answer) return answer
      url = answer.location
    }
    return refusal('redirects', true)
  }

  /** The address to connect to; every address of the host has to be public. */
  async #addressOf(host: string, signal: AbortSignal): Promise<string | Refusal> {
    const addresses = isIP(host) === 0 ? await this.#resolve(host) : [host]
    signal.throwIfAborted()
    const [first] = addresses
    if (first === undefined) return refusal('dns', false)
    return addresses.every(isPublicAddress) ? first : refusal('address', true)
  }

  #request(
    target: URL,
    address: string,
    signal: AbortSignal,
  ): Promise<string | Refusal | { readonly location: string }> {
    const { promise, resolve, reject } = Promise.withResolvers<
      string | Refusal | { readonly location: string }
    >()
    const socket = this.#dial(address, hostOf(target))
    // The request has a listener of its own; this one is for errors after its end.
    socket.on('error', () => {})
    const slow = setTimeout(() => socket.destroy(), FETCH_LIMITS.connectMs)
    socket.once('secureConnect', () => clearTimeout(slow))
    const get = request(target, {
      port: HTTPS_PORT,
      createConnection: () => socket,
      headers: {
        host: target.host,
        accept: 'application/json',
        'accept-encoding': 'identity',
        'user-agent': 'mintfeed',
      },
      signal,
    })
    let interim = 0
    get.on('information', () => {
      interim += 1
      if (interim > INTERIM_MAX) get.destroy()
    })
    get.on('error', reject)
    // Without this Node ends the request silently: neither answer nor error would come.
    get.on('upgrade', () => reject(new Error('the server changes the protocol')))
    get.on('response', (response) => {
      answerOf(response, target).then(resolve, reject)
    })
    get.end()
    return promise.finally(() => {
      clearTimeout(slow)
      get.destroy()
      socket.destroy()
    })
  }
}

function targetOf(url: string): URL | Refusal {
  // Not by `canParse`: after some thousand calls that of Node 22 knows no host of other letters than ASCII.
  const target = url.length > FETCH_LIMITS.urlCharacters ? null : URL.parse(url)
  if (target === null) return refusal('url', true)
  if (target.protocol !== 'https:') return refusal('scheme', true)
  if (target.username !== '' || target.password !== '') return refusal('url', true)
  return target.port === '' ? target : refusal('port', true)
}

/** Without the brackets of IPv6. */
function hostOf(target: URL): string {
  return target.hostname.replace(/^\[(.*)\]$/, '$1')
}

async function answerOf(
  response: IncomingMessage,
  target: URL,
): Promise<string | Refusal | { readonly location: string }> {
  const { statusCode = 0, headers } = response
  if (REDIRECTS.includes(statusCode)) {
    const { location = '' } = headers
    const next = URL.parse(location, target.href)
    return next === null ? refusal('url', true) : { location: next.href }
  }
  if (statusCode !== 200) return refusedStatus(statusCode, headers)
  const coding = headers['content-encoding']?.trim().toLowerCase() ?? ''
  return coding === '' || coding === 'identity' ? bodyOf(response) : refusal('coding', true)
}

/** 4xx else is what it will be again. */
function refusedStatus(statusCode: number, headers: IncomingHttpHeaders): Refusal {
  const isOfPath = LATER.includes(statusCode)
  const isFinal = statusCode < 500 && !isOfPath && statusCode !== TOO_MANY_REQUESTS
  const waitMs = retryAfterMs(headers['retry-after'], headers.date)
  return {
    ...refusal('status', isFinal),
    ...(isOfPath && { isOfPath }),
    ...(waitMs > 0 && { retryAfterMs: waitMs }),
    ...(headers.sunset !== undefined && { isSunset: true }),
  }
}

/** Counts what comes: a Content-Length is only a promise. */
async function bodyOf(response: IncomingMessage): Promise<string | Refusal> {
  const chunks: Buffer[] = []
  let bytes = 0
  for await (const chunk of response) {
    if (!Buffer.isBuffer(chunk)) continue
    bytes += chunk.length
    if (bytes > FETCH_LIMITS.bodyBytes) return refusal('size', true)
    chunks.push(chunk)
  }
  const body = Buffer.concat(chunks)
  return isUtf8(body) ? body.toString('utf8') : refusal('json', true)
}

function unlessAborted<T>(promise: Promise<T>, signal: AbortSignal): Promise<T> {
  const { promise: aborted, reject } = Promise.withResolvers<never>()
  const end = () => reject(new Error('no time left'))
  if (signal.aborted) end()
  signal.addEventListener('abort', end)
  return Promise.race([promise, aborted]).finally(() => signal.removeEventListener('abort', end))
}

/** @throws Error when the address is not public, whoever asks */
export function dialPublic(address: string, host: string): TLSSocket {
  if (!isPublicAddress(address)) throw new Error(`${address} is not a public address`)
  return connect({
    host: address,
    port: HTTPS_PORT,
    // An address has no name to send; its certificate must then be for the address.
    servername: isIP(host) === 0 ? host : '',
    ALPNProtocols: ['http/1.1'],
  })
}
