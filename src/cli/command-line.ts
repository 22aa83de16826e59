/**
 * The command line. Arguments that begin with a command, or ask for help or the version, come here; all others start the
 * service (main.ts). Commands on a data folder are in src/commands, `doctor` is here, because it looks at what a start of
 * the service would meet. Exit codes are those of commands/command.ts; output that cannot be written ends the process.
 */
import { PROGRAM_VERSION } from '../base/program-files.ts'
import { preferOomKill } from '../base/this-process.ts'
import { alertsCommand } from '../commands/alerts-command.ts'
import { backfillCommand } from '../commands/backfill-command.ts'
import { Exit } from '../commands/command.ts'
import { MCP_COMMAND } from '../commands/mcp-command.ts'
import { recordCommand } from '../commands/record-command.ts'
import { folderCommands, runCommand } from '../commands/run-command.ts'
import type { Streams } from '../commands/streams.ts'
import { SETTING_NAMES } from '../config/config.ts'
import { settingsHelp } from '../config/setting-texts.ts'
import { mistypedSettings } from '../config/typos.ts'

const SEQUENCE_SUMMARY =
  'runs the feeds and publishes their events to a stream that replicas follow'
const DOCTOR_SUMMARY = 'what would stand in the way of a start with the same settings'

/** `mintfeed record`. Feeds are loaded on demand: that takes longer than most commands run. */
const RECORD = recordCommand(async (...given) => {
  const { recordedFeed } = await import('../app/feeds/live-sources.ts')
  return recordedFeed(...given)
})

const HELP_WORDS: readonly string[] = ['help', '--help', '-h']
const VERSION_WORDS: readonly string[] = ['version', '--version', '-V']

/** Runs the command that the first argument names, `backfill` by what is given; the process ends with its exit code. */
export async function runCommandLine(
  args: readonly string[],
  backfill: Parameters<typeof backfillCommand>[0],
  streams: Streams,
): Promise<void> {
  for (const stream of [process.stdout, process.stderr]) stream.on('error', endUnlessClosed)
  // Not by process.exit: what was written to a pipe must arrive.
  process.exitCode = await codeOf(args, backfill, streams)
}

/** Errors of output come as events, after the command that wrote went on or ended. */
function endUnlessClosed(error: NodeJS.ErrnoException): void {
  // The reader closed the pipe: it wants no more.
  if (error.code === 'EPIPE') return
  process.stderr.write(`mintfeed: ${error.message}.\n`)
  process.exit(Exit.data)
}

async function codeOf(
  args: readonly string[],
  backfill: Parameters<typeof backfillCommand>[0],
  streams: Streams,
): Promise<number> {
  const { stdin, stdout, stderr, env: environment } = process
  const terminal = { stdin, stdout, stderr, environment }
  const more = new Map([
    ...folderCommands(streams),
    ['record', RECORD],
    ['backfill', backfillCommand(backfill)],
    ['mcp', MCP_COMMAND],
    ['alerts', alertsCommand],
  ])
  const [name = 'help', ...rest] = args
  // `help export` asks what `export --help` does.
  if (name === 'help' && rest.length > 0) return codeOf([...rest, '--help'], backfill, streams)
  if (name.startsWith('-') || name === 'help' || name === 'version') {
    const commands = [...more].map(([word, { summary }]) => [word, summary] as const)
    const all = [
      ...commands,
      ['doctor', DOCTOR_SUMMARY] as const,
      ['sequence', SEQUENCE_SUMMARY] as const,
    ]
    stdout.write(asksForVersion(args) ? `${PROGRAM_VERSION}\n` : usageText(all))
    return 0
  }
  if (name === 'sequence') {
    stdout.write(SEQUENCE_HELP)
    return 0
  }
  // A recorder holds the only copy of what it records; other commands can be run again.
  if (name !== 'record') preferOomKill()
  if (name !== 'doctor') {
    const readsAll = ['record', 'backfill'].includes(name) || rest.includes('--stream')
    const read = readsAll ? SETTING_NAMES : ['DATA_DIR']
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

const SEQUENCE_HELP = `mintfeed sequence: ${SEQUENCE_SUMMARY}.

Takes the settings of the service, as variables and flags: FEED and those of its feeds, NATS_URL, NATS_STREAM,
DATA_DIR, ADMIN_PORT. Several may run: one publishes, the others stand by. Replicas are services with FEED=nats.
docs/scale-out.md tells how to set them up; mintfeed help prints all settings.
`

/** How the program is called, with a sentence for each command. */
export function usageText(summaries: Iterable<readonly [string, string]>): string {
  const rows = [...summaries].map(([name, summary]) => `  ${name.padEnd(10)} ${summary}`)
  return `mintfeed ${PROGRAM_VERSION}: self-hosted, real-time market data for launch-platform tokens

  mintfeed [flags]              runs the service
  mintfeed <command> [flags]    runs a command; mintfeed <command> --help tells its flags

Commands:
${rows.join('\n')}
  help       this text; also --help and -h
  --version  the version

Settings of the service are environment variables, each also a flag: PORT=9000 is --port 9000. Below each has
its default and, in brackets, its unit or values; docs/settings.md is the same table. More on them is in
README.md, docs/install.md, docs/data-folder.md, docs/monitoring.md, docs/limits.md and docs/feeds.md.

${settingsHelp()}
`
}

/** Whether help is asked for. */
export function isHelp(args: readonly string[]): boolean {
  return asks(HELP_WORDS, args)
}

/** Whether the arguments ask for something else than the service. */
export function isCommandLine(args: readonly string[]): boolean {
  const [first] = args
  if (first === undefined) return false
  return !first.startsWith('-') || asks(HELP_WORDS, args) || asksForVersion(args)
}

function asksForVersion(args: readonly string[]): boolean {
  return asks(VERSION_WORDS, args)
}

/** Behind the first argument only flags count: a word without a dash is a value. */
function asks(names: readonly string[], args: readonly string[]): boolean {
  return args.some((arg, i) => names.includes(arg) && (i === 0 || arg.startsWith('-')))
}
