import { expect, test } from 'vitest'
import { folderCommands } from '../../src/commands/run-command.ts'
import { readConfig, SETTING_NAMES } from '../../src/config/config.ts'
import { ConfigError } from '../../src/config/setting-values.ts'

/** What a start with these arguments ends with. */
function refusalOf(...args: readonly string[]): string {
  try {
    readConfig(args, {})
  } catch (error) {
    if (error instanceof ConfigError) return error.message
    throw error
  }
  throw new Error('the arguments were taken')
}

test.each([
  ['--prot', '--port'],
  ['--PORT', '--port'],
  ['--sim_rate', '--sim-rate'],
  ['--snapshots-every', '--snapshot-every'],
  ['--tokens', '--sim-tokens or --max-tokens or --sold-all-tokens'],
  ['--data', '--data-dir'],
  ['--rpc-url', '--solana-rpc-url'],
])('a flag that is none, %s, is told with what may be meant: %s', (flag, meant) => {
  const sentence = `Unknown option '${flag}'; ${meant} may be meant, "mintfeed help" lists all.`
  expect(refusalOf(flag, '1')).toBe(sentence)
})

test('a flag that is like no other is told with where all are listed', () => {
  const where = '"mintfeed help" lists all flags and commands.'
  expect(refusalOf('--verbose')).toBe(`Unknown option '--verbose'; ${where}`)
  expect(refusalOf('-x')).toBe(`Unknown option '-x'; ${where}`)
  expect(refusalOf('--port', '1', 'explode')).toBe(`Unexpected argument 'explode'; ${where}`)
})

test('a command behind flags is told to come first', () => {
  for (const command of [...folderCommands(null).keys(), 'record', 'doctor', 'help', 'version'])
    expect(refusalOf('--port', '9134', command)).toBe(
      `Unexpected argument '${command}'; the command comes first: mintfeed ${command} [flags].`,
    )
  // The value of a flag is none.
  expect(readConfig(['--data-dir', 'doctor'], {}).dataDir).toBe('doctor')
})

test('a flag without its value is told by itself', () => {
  expect(refusalOf('--port')).toBe("Option '--port' has no value.")
  expect(refusalOf('--port', '--host', '::1')).toBe(
    "Option '--port' has no value; one that begins with a dash is written --port=<value>.",
  )
})

test('whatever is no flag is refused with one short sentence', () => {
  for (const name of SETTING_NAMES)
    for (const text of [`--x-${name}-x`, `--${name.slice(2)}`, `--no\n${name}`, name])
      expect(refusalOf(text)).toMatch(/^.{1,200}\.$/)
})
