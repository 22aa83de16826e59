import { spawnSync } from 'node:child_process'
import { chmodSync, cpSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeEach, expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { ROOT } from '../tidy/source-files.ts'

/** One sentence, on one line, under the program's name. */
const ONE_SENTENCE = /^mintfeed: [^\n]+\.\n$/
const NODE = 'node_modules/node/bin/node'

let folder = ''
beforeEach(() => {
  folder = newFolder()
  cpSync(join(ROOT, 'bin'), join(folder, 'bin'), { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"type":"module"}')
  mkdirSync(join(folder, 'dist'))
  writeFileSync(join(folder, 'dist/main.js'), 'console.log("runs", process.argv[2])')
  mkdirSync(join(folder, 'node_modules/node/bin'), { recursive: true })
})

test('the command runs the program on the Node of the packages', () => {
  put(`#!/bin/sh\nexec '${process.execPath}' "$@"\n`)
  expect(command()).toEqual({ status: 0, stdout: 'runs doctor\n', stderr: '' })
})

test('where npm ran no scripts that Node is not there: one sentence says how to get it', () => {
  const { status, stderr } = command()
  expect(status).toBe(1)
  expect(stderr).toMatch(ONE_SENTENCE)
  expect(stderr).toContain('npm rebuild node')
})

test.each([
  ['its loader is not there, as that of glibc on Alpine', '#!/nowhere/ld-linux.so\n', 'ENOENT'],
  ['it is of another kind of processor', `\x7fELF${'\0'.repeat(96)}`, 'does not run here'],
  ['it may not be run, as on a disk without programs', null, 'EACCES'],
  [
    'the system has too old a library',
    '#!/bin/sh\necho GLIBC_2.28 not found >&2\nexit 1\n',
    'GLIBC',
  ],
])('that Node does not run: one sentence says why when %s', (_, text, reason) => {
  put(text ?? '')
  if (text === null) chmodSync(join(folder, NODE), 0o644)
  const { status, stderr } = command()
  expect(status).toBe(1)
  expect(stderr).toMatch(ONE_SENTENCE)
  expect(stderr).toContain(NODE)
  expect(stderr).toContain(reason)
})

function put(text: string): void {
  writeFileSync(join(folder, NODE), text, { mode: 0o755 })
}

/** What `mintfeed doctor` of that folder comes to. */
function command() {
  const args = [join(folder, 'bin/mintfeed.js'), 'doctor']
  const { status, stdout, stderr } = spawnSync(process.execPath, args, { encoding: 'utf8' })
  return { status, stdout, stderr }
}
