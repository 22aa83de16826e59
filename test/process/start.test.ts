import { fork } from 'node:child_process'
import { writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { programPath } from '../../bin/program-path.js'
import { hangUpMeaning } from '../../src/app/signals.ts'
import { get } from '../crash/http.ts'
import { newFolder } from '../new-folder.ts'
import { HAS_OPENSSL, makeCertificate } from '../server/certificates.ts'
import { ROOT } from '../tidy/source-files.ts'
import { listening } from './free-port.ts'
import { launch, runProgram, startProgram } from './program.ts'

const BIN = join(ROOT, 'bin/mintfeed.js')

/** One sentence, on one line, under the program's name. */
const ONE_SENTENCE = /^mintfeed: [^\n]+\.\n$/

test('an unknown flag stops the start with one sentence and exit code 2', async () => {
  const { code, errors } = await runProgram({}, ['--nonsense', '1'])
  expect(code).toBe(2)
  expect(errors).toMatch(ONE_SENTENCE)
  expect(errors).toContain(`Unknown option '--nonsense'; "mintfeed help" lists all flags and`)
})

test('a variable that is nearly a setting is a warning with the setting that may be meant, and the start goes on', async () => {
  const program = await startProgram({
    FEED: 'none',
    PORTT: '3',
    DATADIR: 'foo',
    npm_config_port: '7',
  })
  const warned = program.lines.filter((line) => line.includes('"level":40'))
  expect(warned).toEqual([
    expect.stringContaining('"The variable PORTT is no setting; PORT may be meant, '),
    expect.stringContaining('"The variable DATADIR is no setting; DATA_DIR may be meant, '),
  ])
  expect(await program.end('SIGTERM')).toBe(0)
})

test('a command behind flags stops the start with one sentence that it comes first', async () => {
  const { code, errors } = await runProgram({}, ['--port', '9134', 'doctor'])
  expect(code).toBe(2)
  expect(errors).toMatch(ONE_SENTENCE)
  expect(errors).toContain('the command comes first: mintfeed doctor [flags].')
})

test.each([
  ['PORT', '70000'],
  ['FEED', 'radio'],
  ['SPEED', '0'],
  ['CLOCK', 'sundial'],
  ['RATE_LIMIT', 'lots'],
  ['SIM_TOKENS', '-1'],
  ['SNAPSHOT_EVERY', 'soon'],
  ['FSYNC', 'maybe'],
  ['LOG_LEVEL', 'loud'],
  ['ALERTS_FILE', '/nowhere/alerts.json'],
])('%s=%s stops the start with one sentence that names it and exit code 2', async (name, value) => {
  const { code, errors } = await runProgram({ [name]: value })
  expect(code).toBe(2)
  expect(errors).toMatch(ONE_SENTENCE)
  expect(errors).toContain(name)
})

test('a missing replay file stops the start with one sentence that names FEED and exit code 2', async () => {
  const { code, errors } = await runProgram({ FEED: 'replay:/nowhere/at-all.jsonl' })
  expect(code).toBe(2)
  expect(errors).toMatch(ONE_SENTENCE)
  expect(errors).toContain('FEED')
  expect(errors).toContain('/nowhere/at-all.jsonl')
})

test('a port in use stops the start with one sentence and exit code 2', async () => {
  const other = createServer()
  const port = await listening(other)
  const { code, errors } = await runProgram({ FEED: 'none', PORT: String(port) })
  other.close()
  expect(code).toBe(2)
  expect(errors).toContain(String(port))
})

test('SIGTERM drains and ends with code 0', async () => {
  const program = await startProgram({ FEED: 'sim', SIM_TOKENS: '50' })
  expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
})

test('a service that drains is not ready, as its admin port tells', async () => {
  const DATA_DIR = newFolder()
  const settings = { SIM_TOKENS: '300', DATA_DIR, ADMIN_PORT: '0', LOG_LEVEL: 'info' }
  const program = await startProgram(settings)
  const line = await program.seen(/admin surface/)
  const url = `http://127.0.0.1:${/"port":(\d+)/.exec(line)?.[1]}`
  expect((await get(`${url}/readyz`)).status).toBe(200)
  program.child.kill('SIGTERM')
  await program.seen(/"msg":"draining"/)
  // Its last snapshot is being made.
  const { status, text } = await get(`${url}/readyz`)
  expect(status).toBe(503)
  expect(text).toContain('The service is being stopped.')
  expect(await program.ended).toBe(0)
})

test('the ready line with the url is told at every log level but silent', async () => {
  const program = await startProgram({ FEED: 'none', LOG_LEVEL: 'fatal' })
  expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
  expect(program.lines).toHaveLength(1)
})

test('SIGHUP without TLS is a line of the log, and the service goes on', async () => {
  const program = await startProgram({ FEED: 'none' })
  program.child.kill('SIGHUP')
  expect(await program.seen(/nothing to reload/)).toContain('SIGHUP')
  expect((await fetch(`${program.url}/healthz`)).status).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
})

test.skipIf(!HAS_OPENSSL)(
  'a certificate that cannot be used is refused in the log with its sentence alone',
  async () => {
    const { certFile, keyFile } = makeCertificate('refused')
    const tls = { TLS_CERT: certFile, TLS_KEY: keyFile }
    const program = await startProgram({ ...tls, FEED: 'none' })
    writeFileSync(certFile, 'no certificate')
    program.child.kill('SIGHUP')
    const line = await program.seen(/the certificate stays what it was/)
    expect(line).toContain('"reason":"TLS_CERT ')
    expect(await program.end('SIGTERM')).toBe(0)
  },
)

test('SIGUSR1 opens no debugger, by which everybody on the machine would own the service', async () => {
  const program = await startProgram({ FEED: 'none', LOG_LEVEL: 'info' })
  program.child.kill('SIGUSR1')
  await program.seen(/SIGUSR1|Debugger listening/)
  expect(await program.end('SIGTERM')).toBe(0)
  expect(program.lines.join('\n')).not.toContain('Debugger')
})

test('whoever starts bin/mintfeed.js can end it with any signal, and nothing is left behind', async () => {
  for (const signal of ['SIGTERM', 'SIGKILL'] as const) {
    const program = launch({ PORT: '0', DATA_DIR: 'none', FEED: 'none' }, [], ROOT, BIN)
    const url = /"url":"([^"]+)"/.exec(await program.seen(/"msg":"ready"/))?.[1]
    program.child.kill('SIGHUP')
    await program.seen(/nothing to reload/)
    expect(await program.end(signal)).toBe(signal === 'SIGTERM' ? 0 : null)
    await expect(fetch(`${url}/healthz`)).rejects.toThrow()
  }
})

test('the program ends in order when the process that started it over a channel is gone', async () => {
  const child = fork(programPath(), [], {
    env: { PATH: process.env.PATH, PORT: '0', DATA_DIR: 'none', FEED: 'none' },
    stdio: ['ignore', 'ignore', 'pipe', 'ipc'],
    execArgv: [],
  })
  const ended = new Promise<number | null>((resolve) => child.once('exit', resolve))
  await new Promise<void>((resolve) => {
    child.stderr?.on('data', (text) => String(text).includes('"ready"') && resolve())
  })
  child.disconnect()
  expect(await ended).toBe(0)
})

test('a hang-up stops what runs at a terminal, and never a service', () => {
  const meanings: string[] = []
  for (const wasAtTerminal of [true, false])
    for (const isAtTerminal of wasAtTerminal ? [true, false] : [false])
      for (const hasTls of [true, false])
        meanings.push(hangUpMeaning({ wasAtTerminal, isAtTerminal, hasTls }))
  expect(meanings).toEqual(['reload', 'stop', 'stop', 'stop', 'reload', 'nothing'])
})

test('events from standard input are served after it ended', async () => {
  const program = await startProgram({ FEED: 'stdin', CLOCK: 'event', RATE_LIMIT: 'off' })
  const mint = 'So1dGoodTokenMintAddress11111111111111111pump'
  program.child.stdin?.end(`not json\n${JSON.stringify(swapLine(mint))}\n`)
  const found = await until(async () => {
    const answer = await fetch(`${program.url}/api/v2/search/tokens/${mint}/swaps`)
    const page: unknown = await answer.json()
    return JSON.stringify(page).includes('"total":1') ? page : null
  })
  expect(found).toMatchObject({ total: 1, items: [{ slot: 77, quote_mint_amount: 1.5 }] })
  const figures: unknown = await (await fetch(`${program.url}/readyz`)).json()
  expect(figures).toMatchObject({ status: 'ready', feed_bad_lines_total: 1 })
  expect(await program.end('SIGTERM')).toBe(0)
})

test('a line that is skipped is told with the feed that it stood in', async () => {
  const folder = newFolder()
  const file = join(folder, 'recording.ndjson')
  writeFileSync(file, '\nnot a line\n')
  const program = await startProgram({ FEED: `stdin,replay:${file}` })
  program.child.stdin?.end('neither\n')
  expect(await program.seen(/the line is \\"neither/)).toContain('"feed":"stdin","line":1,')
  const recorded = await program.seen(/the line is \\"not a line/)
  expect(recorded).toContain(`"feed":"replay:${file}","line":2,`)
  expect(await program.end('SIGTERM')).toBe(0)
})

test('a feed whose swaps are all older than the folder is told so, with what it brought', async () => {
  const folder = newFolder()
  const mint = 'So1dGoodTokenMintAddress11111111111111111pump'
  const settings = { FEED: 'stdin', CLOCK: 'event', DATA_DIR: folder, SNAPSHOT_EVERY: '1h' }
  const feed = async (slot: number, count: number) => {
    const program = await startProgram(settings)
    const lines = Array.from({ length: count }, (_, i) =>
      JSON.stringify({ ...swapLine(mint), slot: slot + i, signature: `s${slot + i}` }),
    )
    program.child.stdin?.end(`${lines.join('\n')}\n`)
    const ended = await program.seen(/"msg":"feed ended"/)
    expect(await program.end('SIGTERM')).toBe(0)
    return { ended, warned: program.lines.filter((line) => line.includes('another DATA_DIR')) }
  }
  const newer = await feed(90_000, 30)
  expect(newer.ended).toContain('"swaps":30,')
  expect(newer.warned).toEqual([])
  const older = await feed(100, 20)
  expect(older.ended).toContain('"swaps":0,')
  expect(older.ended).toContain('"lateRefused":20,')
  expect(older.warned).toHaveLength(1)
  expect((await feed(90_000, 30)).warned).toEqual([])
})

function swapLine(mint: string): object {
  return {
    type: 'swap',
    slot: 77,
    tx_index: 1,
    ordinal: 0,
    signature: 'a-signature-of-no-chain',
    timestamp: 1_700_000_000,
    source: 'pump',
    mint,
    pool: 'some-curve',
    signer: 'some-wallet',
    direction: 'buy',
    base_raw: '9007199254740993',
    quote_raw: '1500000000',
    virtual_base_raw: '1000000000000000',
    virtual_quote_raw: '31500000000',
    real_base_raw: '700000000000000',
    real_quote_raw: '1500000000',
    platform_fee_raw: '0',
    creator_fee_raw: '0',
  }
}

async function until<T>(look: () => Promise<T | null>): Promise<T | null> {
  for (let i = 0; i < 200; i++) {
    const found = await look()
    if (found !== null) return found
    await new Promise((resolve) => setTimeout(resolve, 25))
  }
  return null
}
