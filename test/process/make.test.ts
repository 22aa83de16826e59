import { spawnSync } from 'node:child_process'
import { cpSync, existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'

const hasMake = spawnSync('make', ['--version']).error === undefined
if (!hasMake) console.log('There is no make here: the test of its first installation is skipped.')

/** Does what npm does that runs no scripts: all packages are there, their Node is not. */
const NPM = `#!/bin/sh
[ "$1" = ci ] || exit 1
mkdir -p node_modules/.bin
ln -sf ../node/bin/node node_modules/.bin/node
touch node_modules/.package-lock.json
`

test.skipIf(!hasMake)('make says in one sentence that npm left out the Node it brings', () => {
  const folder = newFolder()
  for (const file of ['Makefile', 'package.json', 'package-lock.json'])
    cpSync(join(ROOT, file), join(folder, file))
  mkdirSync(join(folder, 'tools'))
  writeFileSync(join(folder, 'tools/npm'), NPM, { mode: 0o755 })
  const env = { PATH: `${join(folder, 'tools')}:/usr/bin:/bin` }
  const make = () => spawnSync('make', ['check'], { cwd: folder, env, encoding: 'utf8' })
  const { status, stderr } = make()
  expect(status).not.toBe(0)
  expect(stderr).toMatch(/^mintfeed: The Node of the packages does not run here: [^\n]+\.$/m)
  // Who asks again is not told that all is installed.
  expect(existsSync(join(folder, 'node_modules/.package-lock.json'))).toBe(false)
  expect(make().stderr).toContain('mintfeed: The Node of the packages')
})

/** A folder in which all is built, and whose Node ends with a code at once. */
function builtFolder(code: number): string {
  const folder = newFolder()
  for (const file of ['Makefile', 'package.json', 'package-lock.json'])
    cpSync(join(ROOT, file), join(folder, file))
  for (const path of ['node_modules/.bin', 'web/dist', 'dist', 'packaging', 'src'])
    mkdirSync(join(folder, path), { recursive: true })
  writeFileSync(join(folder, 'packaging/bundle.ts'), '')
  for (const path of ['node_modules/.package-lock.json', 'web/dist/index.html', 'dist/main.js'])
    writeFileSync(join(folder, path), '')
  const node = `#!/bin/sh\nexit ${code}\n`
  writeFileSync(join(folder, 'node_modules/.bin/node'), node, { mode: 0o755 })
  return folder
}

test.skipIf(!hasMake)(
  'make run ends well where the program does, and else tells its exit code',
  () => {
    const run = (code: number) => {
      const cwd = builtFolder(code)
      return spawnSync('make', ['run'], { cwd, env: { PATH: '/usr/bin:/bin' }, encoding: 'utf8' })
    }
    expect(run(0)).toMatchObject({ status: 0, stderr: '' })
    const { status, stderr } = run(3)
    expect(status).not.toBe(0)
    expect(stderr).toMatch(/\bError 3$/m)
  },
)
