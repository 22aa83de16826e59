import { spawn, spawnSync } from 'node:child_process'
import { cpSync, existsSync, readdirSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { isRecord } from '../../src/base/json-access.ts'
import { eventLineText } from '../../src/events/event.ts'
import { newFolder } from '../new-folder.ts'
import { created, price, swap } from '../oracle/fixtures.ts'
import { freePort } from '../process/free-port.ts'
import { until } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'
import {
  documentText,
  fencedCommands,
  fencedJson,
  makeCommands,
  tableCommands,
  typedLines,
} from './readme.ts'

const README = documentText('README.md')
const QUICK_START = documentText('docs/live-quickstart.md')
const LINES = 'events.ndjson'
const [QUERY = '', FETCH = '', FOLLOW = ''] = fencedCommands(README).filter((command) =>
  /\bcurl\b/.test(command),
)

/** Commands that this file runs as they are printed, but for port and place of the data. */
const RUN: readonly string[] = [
  'make run',
  QUERY,
  FETCH,
  FOLLOW,
  'DATA_DIR=recorded SOL_PRICE=fixed:150 FEED=replay:<file> SPEED=max make run',
  `DATA_DIR=mine SOL_PRICE=fixed:150 FEED=stdin make run < ${LINES}`,
]
/** Why the others are not run. */
const NOT_RUN: Readonly<Record<string, string>> = {
  'make test': 'it is what runs this',
  'make run-recorded': 'test/process/recording.test.ts runs it',
  "npx wscat -c 'ws://127.0.0.1:8080/ws?id=me'": 'npx asks a registry; what one types is sent',
  'DATA_DIR=chain FEED=yellowstone YELLOWSTONE_URL=… make run': 'it wants a server of the chain',
  'DATA_DIR=chain FEED=solana SOLANA_RPC_URL=… make run': 'it wants a server of the chain',
  'DATA_DIR=chain FEED=yellowstone,solana … make run': 'it wants servers of the chain',
  'DATA_DIR=chain FEED=pumpportal make run': 'it asks a service of others',
}

const missing = ['make', 'curl'].filter(
  (name) => spawnSync(name, ['--version']).error !== undefined,
)
for (const name of missing)
  console.log(`There is no ${name} here: the tests that run commands of the README are skipped.`)

test('every command of the README and of the quick start is run by a test, or it is said why not', () => {
  const documents = [README, QUICK_START].flatMap(fencedCommands)
  const printed = [...documents, ...tableCommands(README, 'Feeds')]
  expect(new Set(printed)).toEqual(new Set([...RUN, ...Object.keys(NOT_RUN)]))
})

test('the recipes start the program as the repository has it, where no path leads to it', () => {
  const [commands = ''] = /^```sh\n[\s\S]*?\n```$/m.exec(documentText('docs/recipes.md')) ?? []
  expect(commands.match(/(?<!\S)mintfeed\b/g)?.length).toBe(2)
  expect(commands.match(/(?<!\S)npx mintfeed\b/g)?.length).toBe(2)
})

test.skipIf(missing.length > 0)('make knows every make command that a document names', () => {
  const documents = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'client/README.md']
  const inDocs = readdirSync(join(ROOT, 'docs'))
  documents.push(...inDocs.filter((name) => name.endsWith('.md')).map((name) => `docs/${name}`))
  const commands = new Set(documents.flatMap((path) => makeCommands(documentText(path))))
  expect(commands.size).toBeGreaterThan(15)
  const words = [...commands].flatMap((command) => command.split(' ').slice(1))
  const { status, stderr } = spawnSync('make', ['-n', ...words], { cwd: ROOT, encoding: 'utf8' })
  expect([status, stderr]).toEqual([0, ''])
})

test.skipIf(missing.length > 0)(
  'make run of the README serves a market that answers its first query and streams its trades',
  async () => {
    const { port, url } = await made('make run')
    // The day before the start is folded while the service is ready already.
    const answer = await until('a token near completion', async () => {
      const given = answerOf(QUERY, port)
      return rowsOf(given).length > 0 ? given : null
    })
    const expected = fencedJson(README)
    expect(Object.keys(answer)).toEqual(Object.keys(isRecord(expected) ? expected : {}))
    const [token] = rowsOf(answer)
    expect(Object.keys(token).filter((key) => !OPTIONAL.includes(key))).toEqual(
      Object.keys(rowsOf(expected)[0]),
    )
    expect(await firstMessages(port)).toMatchObject([
      { type: 'subscribed', event: 'update_mint_info' },
      { type: 'snapshot', channel: 'update_mint_info', data: { pool: expect.any(String) } },
    ])
    const [subscription, pong, ...others] = typedLines(QUICK_START)
    expect([pong, others]).toEqual(['{"type":"pong"}', []])
    // One token alone may not trade for minutes.
    const mints = await tokensOf(url)
    expect(mints.length).toBeGreaterThan(50)
    const socket = new WebSocket(`${url.replace('http', 'ws')}/ws?id=me`)
    onTestFinished(() => socket.terminate())
    const told: string[] = []
    socket.on('message', (data) => told.push(String(data)))
    socket.on('open', () => {
      for (const mint of mints) socket.send(subscription.replace('<mint>', mint))
      socket.send(pong)
    })
    const isTrade = (text: string) => mints.some((mint) => text.includes(mint))
    await until('a trade', async () => told.find(isTrade) ?? null)
    expect(told.filter((text) => text.includes('error'))).toEqual([])
  },
)

test.skipIf(missing.length > 0)(
  'commands of the feeds table serve what their feed tells',
  async () => {
    for (const command of RUN.filter((each) => each.includes('FEED='))) {
      const { port, folder } = await made(command.replace('<file>', LINES))
      const search = `curl -s 'http://127.0.0.1:8080/api/v2/search/tokens/mint/market-data'`
      await until(`the token of ${command}`, async () => {
        const { stdout } = spawnSync('sh', ['-c', atPort(search, port)], { encoding: 'utf8' })
        return stdout.includes('"mint":"mint"') ? true : null
      })
      const [, name = ''] = /DATA_DIR=(\S+)/.exec(command) ?? []
      expect(existsSync(join(folder, name, 'lock')), name).toBe(true)
    }
  },
)

/** Keys that a token has where there is something to say. */
const OPTIONAL: readonly string[] = [
  ...['image', 'video', 'description', 'twitter', 'discord', 'telegram', 'website'],
]

const atPort = (command: string, port: number) =>
  command.replaceAll('127.0.0.1:8080', `127.0.0.1:${port}`)

/** What a curl of the README prints, as JSON. */
function answerOf(command: string, port: number): Record<string, unknown> {
  const { stdout } = spawnSync('sh', ['-c', atPort(command, port)], { encoding: 'utf8' })
  const answer: unknown = JSON.parse(stdout)
  if (!isRecord(answer)) throw new Error(`it is no object: ${stdout}`)
  return answer
}

/** The first two messages of the README's stream, each an object of JSON. */
async function firstMessages(port: number): Promise<readonly unknown[]> {
  const child = spawn('sh', ['-c', atPort(`${FETCH}\n${FOLLOW}`, port)], { detached: true })
  onTestFinished(() => {
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGKILL')
  })
  let text = ''
  child.stdout.on('data', (data) => {
    text += String(data)
  })
  return await until('two messages', async () => {
    const messages = [...text.matchAll(/^data: (.*)\n/gm)].map(([, json]) => JSON.parse(json))
    return messages.length < 2 ? null : messages.slice(0, 2)
  })
}

function rowsOf(answer: unknown): Record<string, unknown>[] {
  const rows: unknown = isRecord(answer) ? answer.completing : []
  return Array.isArray(rows) ? rows.filter(isRecord) : []
}

/** Mints of what is new and nearest to completion. */
async function tokensOf(url: string): Promise<string[]> {
  const answer = await fetch(`${url}/api/v2/meme`, {
    method: 'POST',
    headers: { 'Content-Type': 'application/json' },
    body: JSON.stringify({ type: 'all', limit: 50 }),
  })
  return [...(await answer.text()).matchAll(/"mint":"([^"]+)"/g)].map(([, mint]) => mint)
}

/** A command in a new clone until it says that it is ready, and to the end of the test. */
async function made(command: string): Promise<{ port: number; url: string; folder: string }> {
  const folder = newClone()
  writeFileSync(join(folder, LINES), lines())
  const port = await freePort()
  const env = { PATH: process.env.PATH, HOME: folder, PORT: String(port) }
  const options = { cwd: folder, env, detached: true } as const
  const child = spawn('sh', ['-c', command], { ...options, stdio: ['ignore', 'pipe', 'pipe'] })
  const told: string[] = []
  child.stdout.on('data', (data) => told.push(String(data)))
  child.stderr.on('data', (data) => told.push(String(data)))
  const ended = new Promise((resolve) => child.once('close', resolve))
  onTestFinished(async () => {
    // As Ctrl-C does: make, npm and the program are told.
    if (child.pid !== undefined && child.exitCode === null) process.kill(-child.pid, 'SIGINT')
    await ended
  })
  await until(`${command} is ready`, async () => {
    if (child.exitCode !== null) throw new Error(told.join(''))
    return await fetch(`http://127.0.0.1:${port}/readyz`).then(
      ({ ok }) => ok || null,
      () => null,
    )
  })
  return { port, url: `http://127.0.0.1:${port}`, folder }
}

/** What git and a first `npm ci` leave: the packages are those of this folder. */
function newClone(): string {
  const folder = newFolder()
  const parts = ['Makefile', 'package.json', 'package-lock.json', '.npmrc', 'tsconfig.json']
  for (const name of [...parts, 'bin', 'client', 'packaging', 'src', 'web', 'dist'])
    if (existsSync(join(ROOT, name)))
      cpSync(join(ROOT, name), join(folder, name), { recursive: true, preserveTimestamps: true })
  symlinkSync(join(ROOT, 'node_modules'), join(folder, 'node_modules'))
  // Older than the packages, which make would otherwise install anew, here and there.
  for (const name of ['package.json', 'package-lock.json']) utimesSync(join(folder, name), 0, 0)
  return folder
}

function lines(): string {
  const events = [price(150), created(), swap(), swap({ slot: 105 })]
  return events.map((event) => `${eventLineText(event)}\n`).join('')
}
