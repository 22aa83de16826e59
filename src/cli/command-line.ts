import { endFirst } from '../base/end-first.ts'
import { PROGRAM_VERSION } from '../base/program-version.ts'
import { Exit } from '../commands/command.ts'
import { type RecordedFeed, recordCommand } from '../commands/record-command.ts'
import { COMMANDS, runCommand } from '../commands/run-command.ts'
import { SETTING_NAMES } from '../config/config.ts'
import { mistypedSettings } from '../config/mistyped-settings.ts'
import { asksForVersion } from './command-words.ts'
import { usageText } from './usage.ts'

const DOCTOR_SUMMARY = 'what would stand in the way of a start with the same settings'

/** Feeds take longer to load than most commands to run. */
const recordedFeed: RecordedFeed = async (...given) => {
  const { recordedFeed } = await import('../app/feeds/live-sources.ts')
  return recordedFeed(...given)
}

/** Runs the command that the first argument names; the process ends with its exit code. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endUnlessHadEnough)
  // Set, not exited with: what was written to a pipe has to get there.
  process.exitCode = await codeOf(args)
}

/** Output fails as an event, after the command that wrote it went on or has ended. */
function endUnlessHadEnough(error: NodeJS.ErrnoException): void {
  // Who reads the output had enough of it.
  if (error.code === 'EPIPE') return
  process.stderr.write(`mintfeed: ${error.message}.\n`)
  process.exit(Exit.data)
}

async function codeOf(args: readonly string[]): Promise<number> {
  const { stdin, stdout, stderr, env: environment } = process
  const terminal = { stdin, stdout, stderr, environment }
  const more = new Map([['record', recordCommand(recordedFeed)]])
  const [name, ...rest] = args
  // `help export` asks what `export --help` does.
  if (name === 'help' && rest.length > 0) return codeOf([...rest, '--help'])
  if (name.startsWith('-') || name === 'help' || name === 'version') {
    const commands = [...COMMANDS, ...more].map(([word, { summary }]) => [word, summary] as const)
    const all = [...commands, ['doctor', DOCTOR_SUMMARY] as const]
    stdout.write(asksForVersion(args) ? `${PROGRAM_VERSION}\n` : usageText(all))
    return 0
  }
  // A recorder is all there is of what it records; the others can be run again.
  if (name !== 'record') endFirst()
  if (name !== 'doctor') {
    const read = name === 'record' ? SETTING_NAMES : ['DATA_DIR']
    for (const { sentence } of mistypedSettings(environment, read))
      stderr.write(`mintfeed: ${sentence}\n`)
    return runCommand(args, terminal, more, ['doctor', 'help'])
  }
  const { doctor } = await import('./doctor.ts')
  return doctor(
    rest.map((arg) => (arg === '-h' ? '--help' : arg)),
    terminal,
  )
}
