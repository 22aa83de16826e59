import { PROGRAM_VERSION } from '../base/program-version.ts'
import { settingsHelp } from './settings-table.ts'

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
README.md, docs/operations.md, docs/feeds.md and docs/feeds-sources.md.

${settingsHelp()}
`
}
