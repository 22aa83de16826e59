import { mkdirSync, writeFileSync } from 'node:fs'
import { dirname, join } from 'node:path'
import { fileURLToPath } from 'node:url'
import { expect, test } from 'vitest'
import { newFolder } from '../new-folder.ts'
import { launch, startProgram } from './program.ts'

const SETTINGS = { FEED: 'none', DATA_DIR: 'none' }

/** A package as the official one is: CommonJS, with the build of this machine. */
function packageFolder(code: string): string {
  const folder = newFolder()
  mkdirSync(folder, { recursive: true })
  writeFileSync(join(folder, 'package.json'), '{"name":"uWebSockets.js","main":"uws.js"}')
  writeFileSync(join(folder, 'uws.js'), code)
  return folder
}

function buildOfThisMachine(): string {
  const { platform, arch, versions } = process
  const packaged = dirname(fileURLToPath(import.meta.resolve('uWebSockets.js')))
  return join(packaged, 'bin', `uws_${platform}_${arch}_${versions.modules}.node`)
}

test('the library of UWS_PATH serves in place of that of the packages', async () => {
  const code = `process.stderr.write('the library in the folder\\n')
    module.exports = require(${JSON.stringify(buildOfThisMachine())})`
  const program = await startProgram({ ...SETTINGS, UWS_PATH: packageFolder(code) })
  expect(program.lines).toContain('the library in the folder')
  expect((await fetch(`${program.url}/readyz`)).status).toBe(200)
  expect(await program.end('SIGTERM')).toBe(0)
})

test.each([
  ['is not there', () => join(newFolder(), 'nowhere'), 'Cannot find module'],
  ['is another package', () => packageFolder('module.exports = {}'), 'it has no App'],
  [
    'has no build for this Node',
    () => packageFolder("throw new Error('no build for this Node\\nand more')"),
    'no build for this Node',
  ],
])('a UWS_PATH that %s ends the start with one sentence', async (_, folder, reason) => {
  const program = launch({ ...SETTINGS, UWS_PATH: folder() })
  expect(await program.ended).toBe(2)
  expect(program.lines).toHaveLength(1)
  expect(program.lines[0]).toMatch(/^mintfeed: UWS_PATH must be the folder of a uWebSockets\.js /)
  expect(program.lines[0]).toContain(reason)
})
