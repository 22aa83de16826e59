import { spawn } from 'node:child_process'
import { createServer } from 'node:http'
import { Client } from '@modelcontextprotocol/client'
import { StdioClientTransport } from '@modelcontextprotocol/client/stdio'
import { afterAll, beforeAll, expect, onTestFinished, test } from 'vitest'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { programPath } from '../../bin/program-path.js'
import { jsonOf } from '../../src/base/json-access.ts'
import { freePort } from '../process/free-port.ts'
import type { EngineServer } from '../server/engine-server.ts'
import { agentAt, call, rpc } from './agent.ts'
import { marketServer, named } from './market.ts'

const [MINT = ''] = named('mint')
const COMMAND = [...NODE_FLAGS, programPath(), 'mcp']

let service: EngineServer
beforeAll(async () => {
  service = await marketServer()
})
afterAll(() => service.server.stop())

/** The SDK's client with `mintfeed mcp` as its child; what the child wrote to standard error. */
async function child(args: readonly string[], mode: 'auto' | 'legacy' = 'legacy') {
  const transport = new StdioClientTransport({
    ...{ command: process.execPath, args: [...COMMAND, ...args] },
    stderr: 'pipe',
  })
  const errors: string[] = []
  transport.stderr?.on('data', (bytes: Buffer) => errors.push(bytes.toString()))
  const client = new Client({ name: 'test', version: '1' }, { versionNegotiation: { mode } })
  await client.connect(transport)
  onTestFinished(() => client.close())
  return { client, errors, pid: transport.pid }
}

test.each(['auto', 'legacy'] as const)(
  'mintfeed mcp answers as /mcp does, in every tool and resource (%s)',
  async (mode) => {
    const { client, errors } = await child(['--url', service.server.url], mode)
    const other = await agentAt(service.server.url, mode)
    expect(client.getInstructions()).toBe(other.getInstructions())
    expect((await client.listTools()).tools).toEqual((await other.listTools()).tools)
    const [wallet = ''] = named('signer')
    for (const [name, given] of [
      ['search_tokens', { query: 'a', limit: 2 }],
      ['get_token', { mint: MINT }],
      ['get_table', { type: 'graduated', filters: { holders: { min: 1 } } }],
      ['get_chart', { mint: MINT, resolution: '15' }],
      ['get_traders', { mint: MINT, limit: 2 }],
      ['get_wallet', { wallet }],
      ['get_swaps', { mint: MINT, limit: 2 }],
      ['get_swaps', { mint: 'x' }],
    ] as const)
      expect(await call(client, name, given)).toEqual(await call(other, name, given))
    const uri = `mintfeed://token/${MINT}`
    expect((await client.readResource({ uri })).contents).toEqual(
      (await other.readResource({ uri })).contents,
    )
    await other.close()
    expect(errors).toEqual([])
  },
)

test('it ends when its client does, with exit code 0', async () => {
  const program = spawn(process.execPath, [...COMMAND, '--url', service.server.url])
  const ended = new Promise((resolve) => program.once('close', resolve))
  program.stdin.write('{"jsonrpc":"2.0","id":1,"method":"ping"}\n')
  const line = await new Promise((resolve) => program.stdout.once('data', resolve))
  expect(JSON.parse(String(line))).toEqual({ jsonrpc: '2.0', id: 1, result: {} })
  program.stdin.end()
  expect(await ended).toBe(0)
})

test('a call whose client ends the stream right behind it is answered, then it ends', async () => {
  const slow = createServer((_, response) => {
    setTimeout(() => response.end('{"items":[]}'), 300)
  })
  await new Promise<void>((resolve) => slow.listen(0, '127.0.0.1', resolve))
  onTestFinished(() => void slow.close())
  const address = slow.address()
  const port = typeof address === 'object' ? address?.port : 0
  const program = spawn(process.execPath, [...COMMAND, '--url', `http://127.0.0.1:${port}`])
  let output = ''
  program.stdout.on('data', (bytes) => {
    output += String(bytes)
  })
  const ended = new Promise((resolve) => program.once('close', resolve))
  const calls = [1, 2].map((id) => rpc('tools/call', { name: 'get_trending' }, id))
  program.stdin.end(calls.map((one) => `${JSON.stringify(one)}\n`).join(''))
  expect(await ended).toBe(0)
  const answers = output.trim().split('\n').map(jsonOf)
  expect(answers).toMatchObject(
    [1, 2].map((id) => ({ id, result: { structuredContent: { items: [] } } })),
  )
})

test('lines that are no messages are told on standard error, and nothing else ends', async () => {
  const program = spawn(process.execPath, [...COMMAND, '--url', service.server.url])
  let errors = ''
  program.stderr.on('data', (bytes) => {
    errors += String(bytes)
  })
  program.stdin.write('{"nonsense":1}\n{"jsonrpc":"2.0","id":2,"method":"ping"}\n')
  const line = await new Promise((resolve) => program.stdout.once('data', resolve))
  expect(JSON.parse(String(line))).toMatchObject({ id: 2, result: {} })
  expect(errors).toMatch(/^mintfeed: /)
  program.kill()
})

test('where no service runs, a tool says so and what to do, and later finds the one that came', async () => {
  const port = await freePort()
  const { client } = await child(['--url', `http://127.0.0.1:${port}/`])
  const { text, isError } = await call(client, 'get_token', { mint: MINT })
  expect([isError, text]).toEqual([
    true,
    `No service answers at http://127.0.0.1:${port} (ECONNREFUSED); start one with "mintfeed", or name it with --url.`,
  ])
  const late = await marketServer({ port })
  expect((await call(client, 'get_token', { mint: MINT })).typed).toMatchObject({ mint: MINT })
  await late.server.stop()
})

test.each([
  ['ftp://host', 2],
  ['http://user:secret@host', 2],
  ['nonsense', 2],
])('--url %s is refused with one sentence, which does not repeat it', async (url, code) => {
  const program = spawn(process.execPath, [...COMMAND, '--url', url])
  let errors = ''
  program.stderr.on('data', (bytes) => {
    errors += String(bytes)
  })
  expect(await new Promise((resolve) => program.once('close', resolve))).toBe(code)
  expect(errors).toMatch(
    /^mintfeed: --url cannot be used; it must be like http:\S+ without a login/,
  )
  expect(errors).not.toContain('secret')
})
