import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { NODE_FLAGS } from '../../bin/node-flags.js'
import { ROOT } from '../tidy/source-files.ts'
import { launch } from './program.ts'

const HAS_PROC = existsSync('/proc/self/cmdline')
if (!HAS_PROC) console.log('There is no /proc here: the test of a command line is skipped.')

test.skipIf(!HAS_PROC)('the command starts the program with the flags of Node', async () => {
  const settings = { PORT: '0', DATA_DIR: 'none', FEED: 'none' }
  const program = launch(settings, [], ROOT, join(ROOT, 'bin/mintfeed.js'))
  await program.seen(/"msg":"ready"/)
  const words = readFileSync(`/proc/${program.child.pid}/cmdline`, 'utf8').split('\0')
  expect(words.slice(1, 1 + NODE_FLAGS.length)).toEqual(NODE_FLAGS)
  expect(words[1 + NODE_FLAGS.length]).toMatch(/main\.(js|ts)$/)
  expect(await program.end('SIGTERM')).toBe(0)
})

test('the unit and the image start it with the same', () => {
  const flags = NODE_FLAGS.join(' ')
  const unit = readFileSync(join(ROOT, 'packaging/mintfeed.service'), 'utf8')
  expect(unit).toContain(`\nExecStart=/opt/mintfeed/node_modules/.bin/node ${flags} dist/main.js\n`)
  const image = readFileSync(join(ROOT, 'packaging/Dockerfile'), 'utf8')
  const words = ['./node_modules/.bin/node', ...NODE_FLAGS, 'dist/main.js']
  expect(image).toContain(`\nENTRYPOINT ${JSON.stringify(words).replaceAll(',', ', ')}\n`)
})
