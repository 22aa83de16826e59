import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/setting-values.ts'

test('what is not set is at the default of docs/limits.md', () => {
  const { surface } = readConfig([], {})
  const limits = {
    sockets: 60_000,
    newSocketsPerAddress: 2_000,
    connections: 50_000,
    connectionsPerAddress: 1_000,
    messagesPerSecond: 2_000,
    messagesPerSecondPerAddress: 10_000,
    subscriptionsPerSecondPerAddress: 20_000,
    bodyDeadlineMs: 10_000,
    routeDeadlineMs: 10_000,
    answerCacheBytes: 32 * 2 ** 20,
    unreadBytes: 512 * 2 ** 20,
  }
  expect(surface).toEqual({ limits, tls: null, admin: null })
})

test('limits, TLS and the admin surface are set by variables or flags', () => {
  const { surface } = readConfig(['--connections-per-address', '5', '--admin-port', '9090'], {
    SOCKETS: '100',
    NEW_SOCKETS_PER_ADDRESS: '7',
    ANSWER_CACHE: '1mb',
    UNREAD_MEMORY: '64mb',
    BODY_TIMEOUT: '500ms',
    TLS_CERT: 'cert.pem',
    TLS_KEY: 'key.pem',
  })
  expect(surface.limits).toMatchObject({
    connectionsPerAddress: 5,
    sockets: 100,
    newSocketsPerAddress: 7,
    answerCacheBytes: 2 ** 20,
    unreadBytes: 2 ** 26,
    bodyDeadlineMs: 500,
  })
  expect(surface.tls).toEqual({ certFile: 'cert.pem', keyFile: 'key.pem' })
  expect(surface.admin).toEqual({ host: '127.0.0.1', port: 9090, token: null })
})

test.each([
  [{ SOCKETS: '0' }, 'SOCKETS'],
  [{ MESSAGES_PER_SECOND: 'many' }, 'MESSAGES_PER_SECOND'],
  [{ ANSWER_TIMEOUT: '10' }, 'ANSWER_TIMEOUT'],
  // What a timer cannot hold would come due at once.
  [{ ANSWER_TIMEOUT: '597h' }, 'ANSWER_TIMEOUT'],
  [{ SNAPSHOT_EVERY: '1000h' }, 'SNAPSHOT_EVERY'],
  [{ RATE_LIMIT: '120/99999999999999999999h' }, 'RATE_LIMIT'],
  [{ RATE_LIMIT: '1000000001/60s' }, 'RATE_LIMIT'],
  [{ RATE_LIMIT: '999999999999999999999999/60s' }, 'RATE_LIMIT'],
  [{ FEED: ',' }, 'FEED is ""; it must be'],
  [{ FEED: 'stdin, sim,stdin' }, 'FEED'],
  [{ FEED: 'replay:a,replay:a' }, 'FEED'],
  [{ TLS_CERT: 'cert.pem' }, 'TLS_KEY'],
  [{ TLS_KEY: 'key.pem' }, 'TLS_CERT'],
  [{ ADMIN_PORT: '70000' }, 'ADMIN_PORT'],
  [{ ADMIN_PORT: '9090', ADMIN_HOST: '0.0.0.0' }, 'ADMIN_TOKEN'],
  [{ ADMIN_PORT: '9090', ADMIN_TOKEN: 'short' }, 'ADMIN_TOKEN'],
  // What no client can send lets nobody in.
  [{ ADMIN_PORT: '9090', ADMIN_TOKEN: 'a-long-enough-token ' }, 'ADMIN_TOKEN'],
  [{ ADMIN_PORT: '9090', ADMIN_TOKEN: 'a-long-enough-tokén' }, 'ADMIN_TOKEN'],
])('%j stops the start with a sentence that names %s', (settings, name) => {
  expect(() => readConfig([], settings)).toThrow(ConfigError)
  expect(() => readConfig([], settings)).toThrow(new RegExp(`${name}.*\\.$`))
})

test('bound elsewhere than on loopback the admin surface has a token', () => {
  const settings = { ADMIN_PORT: '0', ADMIN_HOST: '0.0.0.0', ADMIN_TOKEN: 'a-long-enough-token' }
  expect(readConfig([], settings).surface.admin?.token).toBe('a-long-enough-token')
})

test('an instance to be filled from is an address with or without a token', () => {
  expect(readConfig([], {}).seed).toBeNull()
  expect(readConfig([], { SEED_TOKEN: 'alone' }).seed).toBeNull()
  for (const url of ['http://replica:9000', 'https://replica:9000/', 'http://[::1]:1/feed'])
    expect(readConfig([], { SEED_URL: url }).seed).toEqual({ url, token: null })
  const settings = { SEED_URL: 'http://replica:9000', SEED_TOKEN: 'a token' }
  expect(readConfig([], settings).seed?.token).toBe('a token')
})

test.each([
  ['replica:9000', {}, 'SEED_URL cannot be used'],
  ['//replica', {}, 'SEED_URL cannot be used'],
  ['ftp://replica', {}, 'SEED_URL cannot be used'],
  ['http://user:secret@replica', {}, 'SEED_URL cannot be used'],
  ['http://replica/?key=secret', {}, 'SEED_URL cannot be used'],
  ['http://replica/#secret', {}, 'SEED_URL cannot be used'],
  ['http://replica', { SEED_TOKEN: 'ends with a space ' }, 'SEED_TOKEN cannot be sent'],
  ['http://replica', { SEED_TOKEN: 'tokén' }, 'SEED_TOKEN cannot be sent'],
  ['http://replica', { DATA_DIR: 'none' }, 'DATA_DIR is none'],
])('SEED_URL %s with %j stops the start: %s', (SEED_URL, others, says) => {
  const read = () => readConfig([], { SEED_URL, ...others })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(says)
  expect(read).not.toThrow('secret')
})
