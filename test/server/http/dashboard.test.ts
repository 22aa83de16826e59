import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { brotliCompressSync, gzipSync } from 'node:zlib'
import { expect, test } from 'vitest'
import { type Dashboard, readDashboard } from '../../../src/server/routes/dashboard-routes.ts'
import { newFolder } from '../../new-folder.ts'
import { EngineServer } from '../engine-server.ts'

/** Limits of the server, private to their files. */
const MAX_DASHBOARD_FILES = 64

const SCRIPT = 'export const answer = 42\n'.repeat(100)
const SCRIPT_PATH = '/assets/page-1a2b3c.js'

/** A folder as the build leaves it. */
function builtFolder(): string {
  const folder = newFolder()
  mkdirSync(join(folder, 'assets'))
  writeFileSync(join(folder, 'index.html'), '<!doctype html><title>page</title>')
  writeFileSync(join(folder, 'assets/page-1a2b3c.js'), SCRIPT)
  writeFileSync(join(folder, 'assets/page-1a2b3c.js.br'), brotliCompressSync(SCRIPT))
  writeFileSync(join(folder, 'assets/page-1a2b3c.js.gz'), gzipSync(SCRIPT))
  writeFileSync(join(folder, 'assets/notes.txt'), 'not of the page')
  return folder
}

async function serving(
  dashboard: { readonly dashboard?: Dashboard | null },
  check: (url: string) => Promise<void>,
): Promise<void> {
  const { server } = await EngineServer.start('e1', undefined, dashboard)
  await check(server.url)
  await server.stop()
}

test('the page is at each of its addresses, under a policy that allows this origin alone', () =>
  serving({ dashboard: readDashboard(builtFolder()) }, async (url) => {
    const written = ['/', '/trending', '/engine', '/token/abc', '/wallet/%20']
    // Half written: the page says so in words.
    const halves = ['/token', '/token/', '/wallet', '/wallet/']
    const withSlash = ['/trending/', '/engine/', '/token/abc/', '/wallet/abc/']
    for (const path of [...written, ...halves, ...withSlash]) {
      const answer = await fetch(url + path)
      expect([path, answer.status, await answer.text()]).toEqual([
        path,
        200,
        '<!doctype html><title>page</title>',
      ])
      const policy = answer.headers.get('content-security-policy') ?? ''
      expect(policy).toContain("default-src 'none'")
      expect(policy).not.toMatch(/unsafe|https?:|\*/)
      expect(answer.headers.get('cache-control')).toBe('no-cache')
    }
    const first = await fetch(url)
    const headers = { 'if-none-match': first.headers.get('etag') ?? '' }
    const unchanged = await fetch(url, { headers })
    expect([unchanged.status, unchanged.headers.get('cache-control')]).toEqual([304, 'no-cache'])
    expect((await fetch(url, { method: 'POST' })).status).toBe(405)
  }))

test('the policy and an attribute of the page allow pictures of tokens only where they were asked for', async () => {
  const folder = builtFolder()
  writeFileSync(join(folder, 'index.html'), '<!doctype html><html lang="en"><title>page</title>')
  await serving({ dashboard: readDashboard(folder, { hasImages: true }) }, async (url) => {
    const answer = await fetch(url)
    expect(await answer.text()).toContain('<html data-images="on" lang="en">')
    const policy = answer.headers.get('content-security-policy') ?? ''
    expect(policy).toContain("img-src 'self' data: https:;")
    expect(policy.replace(/img-src [^;]*;/, '')).not.toMatch(/unsafe|https?:|\*/)
  })
  await serving({ dashboard: readDashboard(folder) }, async (url) => {
    const answer = await fetch(url)
    expect(await answer.text()).not.toContain('data-images')
    expect(answer.headers.get('content-security-policy')).toContain("img-src 'self' data:;")
  })
})

test('an attribute tells the page that the market is simulated, which else looks like the real one', async () => {
  const folder = builtFolder()
  writeFileSync(join(folder, 'index.html'), '<!doctype html><html lang="en"><title>page</title>')
  const facts = { isSimulated: true, hasImages: true }
  await serving({ dashboard: readDashboard(folder, facts) }, async (url) => {
    const text = await (await fetch(url)).text()
    expect(text).toContain('<html data-images="on" data-market="simulated" lang="en">')
  })
  await serving({ dashboard: readDashboard(folder) }, async (url) => {
    expect(await (await fetch(url)).text()).not.toContain('data-market')
  })
})

test.each(['br', 'gzip', 'identity'])('an asset comes as it was prepared in %s', (coding) =>
  serving({ dashboard: readDashboard(builtFolder()) }, async (url) => {
    const answer = await fetch(url + SCRIPT_PATH, { headers: { 'accept-encoding': coding } })
    expect(answer.headers.get('content-encoding')).toBe(coding === 'identity' ? null : coding)
    expect(await answer.text()).toBe(SCRIPT)
    expect(answer.headers.get('content-type')).toBe('text/javascript; charset=utf-8')
    expect(answer.headers.get('cache-control')).toBe('public, max-age=31536000, immutable')
    expect((await fetch(`${url}/assets/notes.txt`)).status).toBe(404)
    expect((await fetch(`${url}/assets/..%2f..%2fpackage.json`)).status).toBe(404)
  }),
)

test('a page that is not built is a sentence that says how', () => {
  const empty = newFolder()
  return serving({ dashboard: readDashboard(empty) }, async (url) => {
    const answer = await fetch(url)
    expect(answer.status).toBe(404)
    expect(await answer.text()).toContain('make build')
  })
})

test('a page that is switched off leaves its addresses unknown', () =>
  serving({}, async (url) => {
    const answer = await fetch(url)
    expect(answer.status).toBe(404)
    expect(await answer.json()).toMatchObject({ code: 'not_found' })
  }))

test('a folder that is larger than a page can be stops the start with a sentence', () => {
  const folder = builtFolder()
  for (let i = 0; i <= MAX_DASHBOARD_FILES; i++) writeFileSync(join(folder, `assets/${i}.js`), '')
  expect(() => readDashboard(folder)).toThrow(/remove the folder and build it anew/)
})
