import { existsSync, readdirSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { PassThrough } from 'node:stream'
import { zstdDecompressSync } from 'node:zlib'
import { afterEach, beforeEach, expect, onTestFinished, test, vi } from 'vitest'
import { recordedFeed } from '../../src/app/feeds/live-sources.ts'
import { recordCommand } from '../../src/commands/record-command.ts'
import { runCommand } from '../../src/commands/run-command.ts'
import { MockSocketServer } from '../feeds/mock-socket-server.ts'
import { portalMarket } from '../feeds/pumpportal/portal-market.ts'
import { SeededRandom } from '../feeds/seeded-random.ts'
import { newFolder } from '../new-folder.ts'
import { launch } from '../process/program.ts'

let folder: string
let server: MockSocketServer

beforeEach(async () => {
  folder = newFolder()
  server = await MockSocketServer.listen()
})

afterEach(() => server.close())

function recorded(): unknown[] {
  const files = readdirSync(folder).sort()
  const text = files.map((name) => zstdDecompressSync(readFileSync(join(folder, name))).toString())
  return text
    .flatMap((lines) => lines.split('\n').filter((line) => line !== ''))
    .map((line) => JSON.parse(line).raw)
}

/** Runs the command in this process; its exit code and what it wrote. */
async function run(args: readonly string[], environment: Record<string, string> = {}) {
  const stderr = new PassThrough()
  const stdout = new PassThrough()
  const more = new Map([['record', recordCommand(async (...given) => recordedFeed(...given))]])
  const terminal = { stdin: new PassThrough(), stdout, stderr, environment }
  const code = await runCommand(['record', ...args], terminal, more)
  return { code, said: String(stderr.read() ?? '') + String(stdout.read() ?? '') }
}

test('records every frame of a feed until Ctrl-C, and ends the file', async () => {
  const settings = { FEED: 'pumpportal', PUMPPORTAL_URL: server.url, PUMPPORTAL_KEY: 'secret' }
  const program = launch(settings, ['record', '--out', folder])
  await server.until(() => server.received.length === 2)
  const frames = portalMarket(new SeededRandom(8)).map(({ text }) => text)
  const sent = ['{"message":"Successfully subscribed"}', ...frames, 'not json at all']
  for (const frame of sent) server.say(frame)
  await server.heard()
  // A loss of the connection does not end the recording.
  server.cut()
  await server.until(() => server.received.length === 4)
  server.say('last')
  await server.heard()
  expect(await program.end('SIGINT')).toBe(0)
  expect(recorded()).toEqual([...sent, 'last'])
  expect(program.lines.join('\n')).toContain(`${sent.length + 1} frames recorded`)
  expect(program.lines.join('\n')).not.toContain('secret')
})

test('a key that a server repeats in its answers is not recorded, and no event is touched', async () => {
  const frames = portalMarket(new SeededRandom(9)).map(({ text }) => text)
  // A short key, as anybody may have set: it stands in the events too.
  const asked = { PUMPPORTAL_URL: `${server.url}/?v=true`, PUMPPORTAL_KEY: 'key-of-somebody' }
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  onTestFinished(() => void vi.useRealTimers())
  const recording = run(['--feed', 'pumpportal', '--out', folder, '--for', '2s'], asked)
  await server.until(() => server.received.length === 2)
  const event = '{"txType":"create","is_mayhem_mode":true}'
  for (const frame of ['{"errors":"key-of-somebody has no funds"}', event, ...frames])
    server.say(frame)
  await server.heard()
  vi.advanceTimersByTime(2_000)
  expect((await recording).code).toBe(0)
  expect(recorded()).toEqual(['{"errors":"… has no funds"}', event, ...frames])
})

test('ends by itself after the time asked for', async () => {
  const args = ['--feed', 'pumpportal', '--out', folder, '--for', '200ms']
  const { code, said } = await run(args, { PUMPPORTAL_URL: server.url })
  expect(code).toBe(0)
  expect(said).toContain('0 frames recorded')
})

test('so many files of such a size are kept as were asked for, and those that went are told', async () => {
  const args = ['--feed', 'pumpportal', '--out', folder, '--for', '3s']
  const kept = ['--file-size', '64kb', '--files', '2']
  const recording = run([...args, ...kept], { PUMPPORTAL_URL: server.url })
  await server.until(() => server.received.length === 2)
  const random = new SeededRandom(10)
  for (let frame = 0; frame < 8; frame += 1) {
    server.say(Buffer.from(random.bytes(30_000)).toString('base64'))
    await server.heard()
  }
  const { code, said } = await recording
  expect(code).toBe(0)
  const files = readdirSync(folder).sort()
  expect(files).toHaveLength(2)
  for (const name of files) expect(statSync(join(folder, name)).size).toBeLessThanOrEqual(65_536)
  const paths = files.map((name) => join(folder, name))
  expect(said).toContain(
    ['8 frames recorded', '6 older files were removed', ...paths, ''].join('\n'),
  )
})

test('a folder that cannot be written to is told in one sentence, before anything is recorded and after', async () => {
  const file = join(folder, 'file')
  writeFileSync(file, '')
  const notMade = await run(['--out', file], { FEED: 'pumpportal', PUMPPORTAL_URL: server.url })
  expect(notMade.code).toBe(3)
  expect(notMade.said).toMatch(/^mintfeed: --out is "[^"]+", which cannot be written: [^\n]+\.\n$/)

  const out = join(folder, 'out')
  const recording = run(['--out', out], { FEED: 'pumpportal', PUMPPORTAL_URL: server.url })
  await server.until(() => server.received.length > 0)
  rmSync(out, { recursive: true })
  server.say('first')
  const { code, said } = await recording
  expect(code).toBe(3)
  expect(said).toMatch(/\nmintfeed: --out is "[^"]+", which cannot be written: ENOENT[^\n]+\.\n$/)
})

test('a command line that cannot be used is told in one sentence', async () => {
  for (const [args, sentence] of [
    [['--feed', 'sim'], 'FEED names no live feed'],
    [['--feed', 'nothing'], 'FEED is "nothing"'],
    [['--files', '0'], '--files is "0"'],
    [['--file-size', 'big'], '--file-size is "big"'],
    [['--for', 'ever'], '--for has the duration "ever"'],
    [['--data-dir', 'x'], '--data-dir'],
  ] as const) {
    const { code, said } = await run([...args], { FEED: 'pumpportal' })
    expect(code, said).toBe(2)
    expect(said).toContain(sentence)
    expect(said.trim().split('\n')).toHaveLength(1)
  }
  const out = join(folder, 'never-made')
  expect((await run(['--out', out], { FEED: 'sim' })).code).toBe(2)
  expect(existsSync(out)).toBe(false)
  const { code, said } = await run(['--help'])
  expect(code).toBe(0)
  expect(said).toContain('mintfeed record: raw frames')
  expect(said).not.toContain('--data-dir')
})
