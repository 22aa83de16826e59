import { spawn } from 'node:child_process'
import { existsSync, mkdtempSync, readFileSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { basename, join } from 'node:path'
import { createInterface } from 'node:readline'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { startProgram } from '../process/program.ts'
import { ROOT } from '../tidy/source-files.ts'

const TSC = join(ROOT, 'node_modules/typescript/bin/tsc')

/** Runs a command to its end; its output, or a test that fails with it. */
async function run(command: string, args: readonly string[], cwd: string): Promise<string> {
  const child = spawn(command, args, { cwd, stdio: ['ignore', 'pipe', 'pipe'] })
  let output = ''
  for (const stream of [child.stdout, child.stderr]) stream.on('data', (text) => (output += text))
  const code = await new Promise((resolve) => child.once('close', resolve))
  expect(code, `${command} ${args.join(' ')}: ${output}`).toBe(0)
  return output
}

let packed: Promise<string> | null = null

/** Path of what `npm pack` makes of the client. */
function tarball(): Promise<string> {
  packed ??= (async () => {
    // That of one test would go with it.
    const folder = mkdtempSync(join(tmpdir(), 'mintfeed-client-'))
    const args = ['pack', '--json', '--pack-destination', folder]
    const told = await run('npm', args, join(ROOT, 'client'))
    return join(folder, /mintfeed-client-[\d.]+\.tgz/.exec(told)?.[0] ?? '')
  })()
  return packed
}

/** An empty project of this type in which the packed client is installed. */
async function project(type: 'module' | 'commonjs'): Promise<string> {
  const folder = newFolder()
  writeFileSync(join(folder, 'package.json'), JSON.stringify({ private: true, type }))
  const args = ['install', '--offline', '--no-audit', '--no-fund', await tarball()]
  await run('npm', args, folder)
  return folder
}

const STRICT = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
const compile = (folder: string, module: string, file: string) =>
  run(
    process.execPath,
    [TSC, ...STRICT, '--target', 'es2022', '--module', module, '--types', '', file],
    folder,
  )

const SMALL_BOT = `
import { type Answer, Mintfeed, timestampMs, type TokenDetail } from 'mintfeed-client'
const mintfeed = new Mintfeed('http://127.0.0.1:1', { rateWaitMs: 0 })
const token: Promise<Answer<TokenDetail>> = mintfeed.read.token('A')
declare const console: { log(...what: unknown[]): void }
void token.then(({ ok }) => console.log(ok, timestampMs('1970-01-01 00:00:01')))
mintfeed.close()
`

test.each(['node16', 'nodenext'])(
  'a CommonJS project with module %s compiles against the packed client, and runs',
  async (module) => {
    const folder = await project('commonjs')
    writeFileSync(join(folder, 'bot.ts'), SMALL_BOT)
    await compile(folder, module, 'bot.ts')
    expect(readFileSync(join(folder, 'bot.js'), 'utf8')).toContain('require("mintfeed-client")')
    // As on a Node that cannot load ES modules this way.
    const old = ['--no-experimental-require-module', 'bot.js']
    expect(await run(process.execPath, old, folder)).toBe('false 1000\n')
  },
)

test('on a Node without WebSocket a stream ends at once with a sentence that says what to give', async () => {
  const folder = await project('module')
  const bot = `
    import { Mintfeed } from 'mintfeed-client'
    const mintfeed = new Mintfeed('http://127.0.0.1:1')
    mintfeed.live.onProblem(({ code, message }) => console.log(code, message))
    for await (const { kind, problem } of mintfeed.live.launches()) console.log(kind, problem.message)
  `
  writeFileSync(join(folder, 'bot.mjs'), bot)
  const told = await run(process.execPath, ['--no-experimental-websocket', 'bot.mjs'], folder)
  const sentence =
    'This platform has no WebSocket, as Node 20 has none: give openSocket, for example that of the package ws, as (url) => new WebSocket(url).'
  expect(told).toBe(`no_socket ${sentence}\nrefused ${sentence}\n`)
})

// A package, a compiler and a whole program are started: a busy machine needs a while.
test('the packed client is typed in an empty project, and the bot of its README runs', async () => {
  const name = basename(await tarball())
  expect(name).not.toBe('')
  const folder = await project('module')

  const inside = join(folder, 'node_modules/mintfeed-client')
  const { exports, main, types } = JSON.parse(readFileSync(join(inside, 'package.json'), 'utf8'))
  // Compilers that look at no `exports` (`moduleResolution` node10, as `tsc --init` had it) find it too.
  expect({ default: main, types }).toEqual(exports['.'].require)
  for (const { default: code, types: typed } of Object.values<Record<string, string>>(exports['.']))
    for (const path of [code, typed]) expect(existsSync(join(inside, path)), path).toBe(true)
  const old = "console.log(typeof require('mintfeed-client').Mintfeed)"
  expect(await run(process.execPath, ['--input-type=commonjs', '-e', old], folder)).toBe(
    'function\n',
  )

  const readme = readFileSync(join(inside, 'README.md'), 'utf8')
  expect(readme).toContain(`client/${name}`)
  const bot = /```ts\n([\s\S]*?)```/.exec(readme)?.[1] ?? ''
  expect(bot.split('\n').filter((line) => line.trim() !== '').length).toBeLessThanOrEqual(15)
  const program = await startProgram({
    ...{ PORT: '0', DATA_DIR: 'none', FEED: 'sim', LOG_LEVEL: 'info' },
    ...{ SIM_TOKENS: '60', SIM_RATE: '100', SIM_SEED: '7' },
  })
  onTestFinished(() => void program.end('SIGKILL'))
  writeFileSync(join(folder, 'bot.ts'), bot.replace('http://127.0.0.1:8080', program.url))

  await compile(folder, 'nodenext', 'bot.ts')
  const child = spawn(process.execPath, ['bot.js'], { cwd: folder })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told: string[] = []
  for await (const line of createInterface({ input: child.stdout }))
    if (told.push(line) === 5) break
  for (const line of told) expect(line).toMatch(/^\S+ \d+ (buy|sell) [\d.]+ -?\d+$/)
  expect(told.length).toBe(5)
})
