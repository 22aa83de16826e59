import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { startProgram } from '../process/program.ts'
import { INITIALIZE, post } from './agent.ts'

test('a service that no agent asks loads nothing of the SDK, and all of it with the first message', async () => {
  const folder = newFolder()
  const [hook, list] = [join(folder, 'hook.mjs'), join(folder, 'loaded')]
  writeFileSync(list, '')
  writeFileSync(
    hook,
    `import { appendFileSync } from 'node:fs'
     import { registerHooks } from 'node:module'
     registerHooks({
       load(url, context, next) {
         appendFileSync(${JSON.stringify(list)}, url + '\\n')
         return next(url, context)
       },
     })`,
  )
  const program = await startProgram({ FEED: 'none', NODE_OPTIONS: `--import=${hook}` })
  const ofSdk = () => readFileSync(list, 'utf8').match(/\/(@modelcontextprotocol|zod)\//g) ?? []
  for (const path of ['/readyz', '/openapi.json', '/api/v2/search/tokens/detailed?query=a'])
    await (await fetch(program.url + path)).text()
  expect(readFileSync(list, 'utf8')).toMatch(/main\.[jt]s/)
  expect(ofSdk()).toEqual([])
  expect((await post(program.url, INITIALIZE)).status).toBe(200)
  expect(ofSdk().length).toBeGreaterThan(5)
  expect(await program.end('SIGTERM')).toBe(0)
})

test('MCP=off takes the path away', async () => {
  const program = await startProgram({ FEED: 'none', MCP: 'off' })
  const { status, json } = await post(program.url, INITIALIZE)
  expect([status, json]).toMatchObject([404, { error: { data: { code: 'not_found' } } }])
  expect(await program.end('SIGTERM')).toBe(0)
})
