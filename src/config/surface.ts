import { ConfigError, durationMs, integer, sizeBytes } from './setting-values.ts'

/** Limits that a user sets (docs/limits.md). */
export interface AdjustableLimits {
  /** Open sockets of any kind at most; one more is closed as soon as it is accepted. */
  readonly sockets: number
  /**
   * Sockets of one address that may begin in ten seconds, loopback and trusted proxies not
   * counted; one more is closed as soon as it is accepted.
   */
  readonly newSocketsPerAddress: number
  /** Live connections at most; the next handshake is answered 503. */
  readonly connections: number
  /** Live connections of one client address at most; then 429. Loopback has nine tenths of `connections`. */
  readonly connectionsPerAddress: number
  /** Messages a second of one live connection at most; past it the connection closes with 4010. */
  readonly messagesPerSecond: number
  /**
   * Messages a second of all live connections of one address at most, loopback not counted; past
   * it those close with 4010 that have sent more than an equal part.
   */
  readonly messagesPerSecondPerAddress: number
  /** Mints, wallets, tables and candles an address may subscribe to or leave in a second; the same. */
  readonly subscriptionsPerSecondPerAddress: number
  /** A body that is not complete after this time is answered 408 and the socket closed. */
  readonly bodyDeadlineMs: number
  /** A route that has not answered after this time is answered for: 503. */
  readonly routeDeadlineMs: number
  /** Bytes of encoded answers that are cached, because pollers ask for the same text again and again. */
  readonly answerCacheBytes: number
  /** Bytes that all live connections together leave unread at most; past it those close that have most. */
  readonly unreadBytes: number
}

/** What faces the network beside the API: limits, TLS, the admin surface. */
export interface Surface {
  readonly limits: AdjustableLimits
  /** A chain of certificates and its key, both PEM; null: plain HTTP. */
  readonly tls: { readonly certFile: string; readonly keyFile: string } | null
  /** Null: no admin surface. */
  readonly admin: {
    readonly host: string
    /** 0 takes a free port. */
    readonly port: number
    /** Null: none is asked for, which only loopback may do. */
    readonly token: string | null
  } | null
}

export const SURFACE_DEFAULTS = {
  SOCKETS: '60000',
  NEW_SOCKETS_PER_ADDRESS: '2000',
  CONNECTIONS: '50000',
  CONNECTIONS_PER_ADDRESS: '1000',
  MESSAGES_PER_SECOND: '2000',
  MESSAGES_PER_SECOND_PER_ADDRESS: '10000',
  SUBSCRIPTIONS_PER_SECOND_PER_ADDRESS: '20000',
  BODY_TIMEOUT: '10s',
  ANSWER_TIMEOUT: '10s',
  ANSWER_CACHE: '32mb',
  UNREAD_MEMORY: '512mb',
  TLS_CERT: '',
  TLS_KEY: '',
  ADMIN_HOST: '127.0.0.1',
  ADMIN_PORT: '',
  ADMIN_TOKEN: '',
} as const

const MOST_SOCKETS = 1_000_000
const MOST_MESSAGES = 1_000_000
const MOST_SUBSCRIPTIONS = 1_000_000_000
/** A token that could be guessed is none. */
const MIN_TOKEN_CHARACTERS = 16
/** A header that comes has no spaces at its end and is read as latin1. */
const SENDABLE = /^[\x20-\x7e]*[\x21-\x7e]$/
const LOOPBACK_HOSTS = ['127.0.0.1', '::1', 'localhost']

/** Can nobody but this machine reach a port there? */
export function isLoopback(host: string): boolean {
  return LOOPBACK_HOSTS.includes(host)
}

/** @throws ConfigError on a bad value */
export function readSurface(
  settings: Readonly<Record<keyof typeof SURFACE_DEFAULTS, string>>,
): Surface {
  const count = (name: keyof typeof SURFACE_DEFAULTS, most: number) =>
    integer(name, settings[name], 1, most)
  return {
    limits: {
      sockets: count('SOCKETS', MOST_SOCKETS),
      newSocketsPerAddress: count('NEW_SOCKETS_PER_ADDRESS', MOST_SOCKETS),
      connections: count('CONNECTIONS', MOST_SOCKETS),
      connectionsPerAddress: count('CONNECTIONS_PER_ADDRESS', MOST_SOCKETS),
      messagesPerSecond: count('MESSAGES_PER_SECOND', MOST_MESSAGES),
      messagesPerSecondPerAddress: count('MESSAGES_PER_SECOND_PER_ADDRESS', MOST_MESSAGES),
      subscriptionsPerSecondPerAddress: count(
        'SUBSCRIPTIONS_PER_SECOND_PER_ADDRESS',
        MOST_SUBSCRIPTIONS,
      ),
      bodyDeadlineMs: durationMs('BODY_TIMEOUT', settings.BODY_TIMEOUT),
      routeDeadlineMs: durationMs('ANSWER_TIMEOUT', settings.ANSWER_TIMEOUT),
      answerCacheBytes: sizeBytes('ANSWER_CACHE', settings.ANSWER_CACHE),
      unreadBytes: sizeBytes('UNREAD_MEMORY', settings.UNREAD_MEMORY),
    },
    tls: tls(settings.TLS_CERT, settings.TLS_KEY),
    admin: admin(settings.ADMIN_HOST, settings.ADMIN_PORT, settings.ADMIN_TOKEN),
  }
}

function tls(certFile: string, keyFile: string): Surface['tls'] {
  if (certFile === '' && keyFile === '') return null
  if (certFile !== '' && keyFile !== '') return { certFile, keyFile }
  const [there, missing] = certFile === '' ? ['TLS_KEY', 'TLS_CERT'] : ['TLS_CERT', 'TLS_KEY']
  throw new ConfigError(`${there} is set without ${missing}; TLS needs both, plain HTTP neither.`)
}

function admin(host: string, port: string, token: string): Surface['admin'] {
  if (port === '') return null
  if (token !== '' && token.length < MIN_TOKEN_CHARACTERS)
    throw new ConfigError(
      `ADMIN_TOKEN is too short; it must have ${MIN_TOKEN_CHARACTERS} characters.`,
    )
  const sent = sendable('ADMIN_TOKEN', token)
  if (token === '' && !isLoopback(host))
    throw new ConfigError(`ADMIN_HOST is "${host}", which is not loopback; set ADMIN_TOKEN too.`)
  return { host, port: integer('ADMIN_PORT', port, 0, 65_535), token: sent }
}

/** A token that a header can carry, so that it lets somebody in; null: none. */
function sendable(name: string, token: string): string | null {
  if (token === '' || SENDABLE.test(token)) return token === '' ? null : token
  throw new ConfigError(
    `${name} cannot be sent; it must be of printable ASCII without a space at its end.`,
  )
}

/** SEED_URL with its token: the admin surface of an instance that an empty folder is filled from. */
export interface SeedSetting {
  readonly url: string
  readonly token: string | null
}

/** The address is not repeated in a sentence, as all addresses are not: it may hold a key. */
export function seedSetting(url: string, token: string, dataDir: string): SeedSetting | null {
  if (url === '') return null
  const { protocol, username, password, search, hash } = URL.parse(url) ?? NO_URL
  if (!['http:', 'https:'].includes(protocol) || username + password + search + hash !== '')
    throw new ConfigError(
      'SEED_URL cannot be used; it must be like http://host:9000, without a login, a query or a hash.',
    )
  if (dataDir === 'none')
    throw new ConfigError('SEED_URL is set and DATA_DIR is none; give a folder that it can fill.')
  return { url, token: sendable('SEED_TOKEN', token) }
}

const NO_URL = { protocol: '', username: '', password: '', search: '', hash: '' }
