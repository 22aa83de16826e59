import { spawn } from 'node:child_process'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
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

// A package, a compiler and a whole program are started: a busy machine needs a while.
test('the packed client is typed in an empty project, and the bot of its README runs', async () => {
  const folder = newFolder()
  const packed = await run(
    'npm',
    ['pack', '--json', '--pack-destination', folder],
    join(ROOT, 'client'),
  )
  const name = /mintfeed-client-[\d.]+\.tgz/.exec(packed)?.[0]
  expect(name).toBeDefined()
  const settings = { private: true, type: 'module' }
  writeFileSync(join(folder, 'package.json'), JSON.stringify(settings))
  await run('npm', ['install', '--offline', '--no-audit', '--no-fund', `./${name}`], folder)

  const inside = join(folder, 'node_modules/mintfeed-client')
  const { exports, main, types } = JSON.parse(readFileSync(join(inside, 'package.json'), 'utf8'))
  // Compilers that look at no `exports` (`moduleResolution` node10, as `tsc --init` had it) find it too.
  expect({ default: main, types }).toEqual(exports['.'])
  for (const path of [main, types]) expect(existsSync(join(inside, path)), path).toBe(true)
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

  const strict = ['--strict', '--exactOptionalPropertyTypes', '--noUncheckedIndexedAccess']
  const target = ['--target', 'es2022', '--module', 'nodenext', '--types', '']
  await run(process.execPath, [TSC, ...strict, ...target, 'bot.ts'], folder)
  const child = spawn(process.execPath, ['bot.js'], { cwd: folder })
  onTestFinished(() => void child.kill('SIGKILL'))
  const told: string[] = []
  for await (const line of createInterface({ input: child.stdout }))
    if (told.push(line) === 5) break
  for (const line of told) expect(line).toMatch(/^\S+ \d+ (buy|sell) [\d.]+ -?\d+$/)
  expect(told.length).toBe(5)
})
