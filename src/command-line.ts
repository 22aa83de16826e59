import { recordCommand } from './commands/record-command.ts'
import { runCommand } from './commands/run-command.ts'
import { doctor } from './doctor.ts'
import { recordedFeed } from './live-sources.ts'

/** Runs the command that the first argument names; the process ends with its exit code. */
export async function runCommandLine(args: readonly string[]): Promise<void> {
  const { stdin, stdout, stderr, env: environment } = process
  const terminal = { stdin, stdout, stderr, environment }
  const [name, ...rest] = args
  const more = new Map([['record', recordCommand(recordedFeed)]])
  // Set, not exited with: what was written to a pipe has to get there.
  process.exitCode = await (name === 'doctor'
    ? doctor(rest, terminal)
    : runCommand(args, terminal, more))
}
