import { execFileSync, spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdirSync, readFileSync, symlinkSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { expect, onTestFinished, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'

const START_MS = 60_000
const CTRL_C = '\x03'
/** Runs a program at a terminal of its own. */
const hasScript = spawnSync('script', ['--version']).error === undefined
if (!hasScript) console.log('There is no script here: the test at a terminal is skipped.')

/** Path of what `npm pack` makes; the bundle in it is that of the last build. */
function tarball(): string {
  const folder = newFolder()
  const args = ['pack', '--ignore-scripts', '--silent', '--pack-destination', folder]
  return join(folder, execFileSync('npm', args, { cwd: ROOT, encoding: 'utf8' }).trim())
}

function packedFiles(): readonly string[] {
  const list = execFileSync('tar', ['-tzf', tarball()], { encoding: 'utf8' })
  return list.trim().split('\n')
}

/** Packages that npm installs with the program, of those that are here for its development too. */
function ownPackages(): readonly string[] {
  const { packages }: { packages: Readonly<Record<string, { dev?: boolean }>> } = JSON.parse(
    readFileSync(join(ROOT, 'package-lock.json'), 'utf8'),
  )
  const paths = Object.keys(packages).filter((path) => packages[path].dev !== true)
  return paths.flatMap((path) => /^node_modules\/((?:@[^/]+\/)?[^/]+)$/.exec(path)?.[1] ?? [])
}

/** The program as npm installs it somewhere else; path of its command. */
function installed(): string {
  const packed = tarball()
  const modules = join(dirname(packed), 'node_modules')
  for (const name of ownPackages()) {
    mkdirSync(dirname(join(modules, name)), { recursive: true })
    const from = join(ROOT, 'node_modules', name)
    if (existsSync(from)) symlinkSync(from, join(modules, name))
  }
  mkdirSync(join(modules, 'mintfeed'))
  execFileSync('tar', ['-xzf', packed, '-C', join(modules, 'mintfeed'), '--strip-components=1'])
  return join(modules, 'mintfeed/bin/mintfeed.js')
}

test('npm pack takes what a start needs, and no sources: Node runs none below node_modules', () => {
  const files = packedFiles()
  for (const file of [
    'bin/mintfeed.js',
    'bin/node-flags.js',
    'bin/program-path.js',
    'dist/main.js',
    'web/dist/index.html',
  ])
    expect(files).toContain(`package/${file}`)
  expect(files.filter((file) => file.endsWith('.ts') && !file.endsWith('.d.ts'))).toEqual([])
})

test.skipIf(!hasScript)(
  'what npm installs elsewhere starts at a terminal, and ends by Ctrl-C',
  async () => {
    const command = `exec '${process.execPath}' '${installed()}'`
    const child = spawn('script', ['-qec', command, '/dev/null'], {
      env: { PATH: process.env.PATH ?? '', PORT: '0', DATA_DIR: 'none', FEED: 'none' },
      stdio: ['pipe', 'pipe', 'ignore'],
    })
    onTestFinished(() => void child.kill('SIGKILL'))
    const ended = once(child, 'close')
    let text = ''
    let isReady = false
    child.stdout.on('data', (bytes: Buffer) => {
      text += bytes.toString('latin1')
      // Once: a second one ends it at once.
      if (text.includes('ready') && !isReady) {
        isReady = true
        child.stdin.write(CTRL_C)
      }
    })
    const [code] = await ended
    expect(text).toMatch(/ ready\r*\n/)
    expect(text).toContain('http://127.0.0.1:')
    expect(code).toBe(0)
  },
  START_MS,
)
