import { expect, test } from 'vitest'
import { readConfig } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/setting-values.ts'

test.each([
  '*',
  'https://desk.example',
  'http://desk.example:8080',
  'http://localhost:3000',
  'http://127.0.0.1',
  'https://[2001:db8::1]:8443',
  'https://xn--bcher-kva.example',
])('CORS_ORIGIN may be %s', (origin) => {
  expect(readConfig([], { CORS_ORIGIN: origin }).corsOrigin).toBe(origin)
})

test.each([
  'https://desk.example/',
  'https://desk.example/path',
  'https://desk.example?query',
  'https://desk.example#part',
  'https://me@desk.example',
  'https://a.example, https://b.example',
  'https://a.example https://b.example',
  'https://*.desk.example',
  'https://desk.example:443',
  'https://Desk.example',
  'https://bücher.example',
  'ftp://desk.example',
  'ws://desk.example',
  'desk.example',
  'https://',
  'null',
  ' *',
  '**',
  'https://desk.example\r\nSet-Cookie: a=b',
  'https://desk.example\n',
])('CORS_ORIGIN as %j stops the start with one sentence', (origin) => {
  const read = () => readConfig([], { CORS_ORIGIN: origin })
  expect(read).toThrow(ConfigError)
  expect(read).toThrow(/^CORS_ORIGIN is "[^\n\r]+\.$/)
})
