/**
 * Commands on a data folder: `inspect`, `verify`, `export`, `repair`; `record` of live feeds; the checks of `doctor`.
 * In: words of the command line. Out: text or JSON on stdout, a sentence on stderr, an exit code (command.ts).
 *
 * - All but `repair` open files for reading only (read-only-disk.ts), take no lock, and show the folder as the next start
 *   would find it, the ring's tail included.
 * - They read through the store's own code, so that they report what a start does.
 */
import fs from 'node:fs'
import { parseArgs } from 'node:util'
import { codeOf, messageOf, TapeDamage } from '../base/errors.ts'
import { ConfigError } from '../config/setting-values.ts'
import { flagSentence } from '../config/typos.ts'
import { StoreError } from '../store/disk/failure.ts'
import { isFolder } from '../store/disk/node-disk.ts'
import { type Asked, type Command, Exit, type Terminal, UsageError } from './command.ts'
import { exportCommand } from './export.ts'
import { inspectCommand } from './inspect.ts'
import { repairCommand } from './repair.ts'
import type { Streams } from './streams.ts'
import { verifyCommand } from './verify.ts'

/** Those that work on a data folder; with `streams` they know the replicated stream. */
export function folderCommands(streams: Streams | null): ReadonlyMap<string, Command> {
  return new Map([
    ['inspect', inspectCommand(streams)],
    ['verify', verifyCommand(streams)],
    ['export', exportCommand(streams)],
    ['repair', repairCommand],
  ])
}

/**
 * Runs the command that the first argument names; returns the exit code.
 * @param more commands that need what only the composition root has
 * @param others words that the caller knows, for the list of commands
 */
export async function runCommand(
  args: readonly string[],
  terminal: Terminal,
  more: ReadonlyMap<string, Command> = new Map(),
  others: readonly string[] = [],
): Promise<number> {
  try {
    const [name = '', ...words] = args
    const commands = new Map([...folderCommands(null), ...more])
    const command = commands.get(name)
    if (command === undefined)
      throw new UsageError(
        `There is no command "${name}": there are ${[...commands.keys(), ...others].join(', ')}, and ` +
          'without one the service runs.',
      )
    const asked = askedOf(name, command, words, terminal)
    if (asked.flags.help === true) {
      terminal.stdout.write(helpOf(name, command))
      return Exit.good
    }
    return await command.run(asked, terminal)
  } catch (error) {
    return exitCodeOfError(error, terminal)
  }
}

/** Writes the sentence of an error; throws what is a fault of the program. */
function exitCodeOfError(error: unknown, { stderr }: Terminal): number {
  const code = codeOf(error)
  // The reader of the output has closed it.
  if (code === 'EPIPE') return Exit.good
  if (error instanceof UsageError || error instanceof ConfigError)
    return sentence(stderr, error.message, Exit.usage)
  if (error instanceof StoreError || error instanceof TapeDamage)
    return sentence(stderr, error.message, Exit.data)
  if (code === '') throw error
  const running = code === 'ENOENT' ? ' A running service removes files: run it again.' : ''
  return sentence(stderr, `${messageOf(error)}.${running}`, Exit.data)
}

function sentence(stderr: Terminal['stderr'], text: string, code: number): number {
  stderr.write(`mintfeed: ${text}\n`)
  return code
}

/** @throws UsageError on an unknown flag, StoreError on a folder that is none */
function askedOf(
  name: string,
  command: Command,
  args: readonly string[],
  { environment }: Terminal,
): Asked {
  const given = Object.entries(command.flags).map(([flag, { type }]) => [flag, { type }])
  const needsFolder = command.needsFolder !== false
  const options = {
    ...Object.fromEntries(given),
    ...(needsFolder && { 'data-dir': { type: 'string' as const } }),
    help: { type: 'boolean' as const, short: 'h' },
  }
  const flags: Record<string, string | boolean | undefined> = {}
  let words: readonly string[] = []
  try {
    const { values, positionals } = parseArgs({
      ...{ args: [...args], options, strict: true },
      allowPositionals: command.words === true,
    })
    words = positionals
    for (const [flag, value] of Object.entries(values))
      if (!Array.isArray(value)) flags[flag] = value
  } catch (error) {
    const known = Object.keys(options).map((flag) => `--${flag}`)
    throw new UsageError(flagSentence(error, `flags of ${name} are ${known.join(', ')}`))
  }
  if (!needsFolder) return { folder: '', flags, words }
  // As the service takes them: a flag before a variable, and an empty one for its default.
  const folder = String((flags['data-dir'] ?? environment.DATA_DIR) || 'snapshots')
  const isUsed = flags.help !== true && flags.stream !== true
  if (isUsed && !isFolder(folder)) throw new StoreError('missing', noFolder(folder))
  return { folder, flags }
}

function noFolder(folder: string): string {
  if (folder === 'none')
    return 'The data folder is none, so that nothing outlives a stop of the service: name one with --data-dir.'
  if (fs.existsSync(folder))
    return `"${folder}" is a file and no folder: name the data folder with --data-dir.`
  return `There is no folder "${folder}": name the data folder with --data-dir.`
}

function helpOf(name: string, { summary, help, flags, needsFolder }: Command): string {
  const shapes = {
    ...(needsFolder !== false && {
      'data-dir': { meaning: 'the data folder; default DATA_DIR, else snapshots' },
    }),
    ...flags,
    help: { meaning: 'this text' },
  }
  const lines = Object.entries(shapes).map(
    ([flag, { meaning }]) => `  ${`--${flag}`.padEnd(12)} ${meaning}`,
  )
  return `mintfeed ${name}: ${summary}\n\n${lines.join('\n')}\n\n${help}\n`
}
