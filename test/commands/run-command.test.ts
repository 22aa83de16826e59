import { Writable } from 'node:stream'
import { expect, test } from 'vitest'
import { TapeDamage } from '../../src/base/errors.ts'
import { runCommand } from '../../src/commands/run-command.ts'

test('history that cannot be read ends a command with a sentence', async () => {
  let errors = ''
  const stream = new Writable({
    write(text, _, done) {
      errors += String(text)
      done()
    },
  })
  const meets = {
    ...{ summary: '', help: '', flags: {}, needsFolder: false },
    run: () => {
      throw new TapeDamage('tape-7.mft cannot be read at block 3.')
    },
  }
  const terminal = { stdin: process.stdin, stdout: stream, stderr: stream, environment: {} }
  expect(await runCommand(['meet'], terminal, new Map([['meet', meets]]))).toBe(3)
  expect(errors).toBe('mintfeed: tape-7.mft cannot be read at block 3.\n')
})
