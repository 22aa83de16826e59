import { copyFileSync, mkdtempSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { expect, test } from 'vitest'
import {
  checkClock,
  checkDescriptors,
  checkMemory,
  checkNode,
} from '../../src/commands/machine-checks.ts'
import { doctor } from '../../src/doctor.ts'
import { HAS_OPENSSL, makeCertificate } from '../server/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'doctor-'))

async function examine(environment: Record<string, string>, args: readonly string[] = []) {
  const stdout = new PassThrough()
  const terminal = { stdin: new PassThrough(), stdout, stderr: new PassThrough() }
  const settings = { PORT: '0', DATA_DIR: folder, ...environment }
  const code = await doctor(args, { ...terminal, environment: settings })
  return { code, text: String(stdout.read()) }
}

test('where nothing stands in the way it says so, line by line', async () => {
  const { code, text } = await examine({})
  expect(code).toBe(0)
  expect(text).toMatch(/^good {2}PORT/m)
  expect(text).toMatch(/^good {2}data folder/m)
  expect(text).toContain('nothing stands in the way')
})

test('a port in use is bad, with what to do', async () => {
  const other = createServer()
  await new Promise<void>((resolve) => other.listen(0, '127.0.0.1', resolve))
  const address = other.address()
  const port = typeof address === 'object' && address !== null ? String(address.port) : ''
  const { code, text } = await examine({}, ['--port', port])
  other.close()
  expect(code).toBe(1)
  expect(text).toMatch(/^bad {3}PORT .+ stop what uses it, or give another PORT\.$/m)
})

test.skipIf(!HAS_OPENSSL)(
  'settings, feeds, TLS files and folders that cannot be used are bad',
  async () => {
    expect((await examine({ SPEED: '0' })).text).toMatch(/^bad {3}settings .*SPEED/m)
    expect((await examine({ FEED: 'replay:/nowhere' })).text).toMatch(/^bad {3}feeds .*\/nowhere/m)
    const files = makeCertificate('doctor')
    copyFileSync(makeCertificate('other').keyFile, files.keyFile)
    const tls = { TLS_CERT: files.certFile, TLS_KEY: files.keyFile }
    expect((await examine(tls)).text).toMatch(/^bad {3}TLS/m)
    expect((await examine({ DATA_DIR: '/proc/nowhere/data' })).code).toBe(1)
  },
)

test('what is only unwise is a warning and no hindrance', async () => {
  const { code, text } = await examine({ DATA_DIR: 'none', HOST: '0.0.0.0', RATE_LIMIT: 'off' })
  expect(code).toBe(0)
  expect(text).toMatch(/^warn {2}data folder/m)
  expect(text).toMatch(/^warn {2}rate limit/m)
  expect((await examine({ TRUST_PROXY: '0.0.0.0/0' })).text).toMatch(/^bad {3}proxies/m)
})

test('the machine is judged by what it has', () => {
  expect(checkDescriptors(65_536, 60_000, 256).level).toBe('good')
  expect(checkDescriptors(20_000, 60_000, 256).level).toBe('warn')
  expect(checkDescriptors(512, 60_000, 256).level).toBe('bad')
  expect(checkMemory(0).level).toBe('good')
  expect(checkMemory(2 ** 50).level).toBe('warn')
  expect(checkNode('v22.1.0').level).toBe('good')
  expect(checkNode('v24.0.0').level).toBe('bad')
  expect(checkClock(Date.UTC(1970, 0, 1), null).level).toBe('bad')
  expect(checkClock(Date.UTC(2026, 0, 1), Date.UTC(2026, 0, 2)).level).toBe('warn')
  expect(checkClock(Date.UTC(2026, 0, 1), Date.UTC(2025, 11, 30)).level).toBe('good')
})
