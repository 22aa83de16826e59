import { readFileSync } from 'node:fs'
import { programFile } from '../base/program-files.ts'

/** How the program is called, with a sentence for each command. */
export function usageText(summaries: Iterable<readonly [string, string]>): string {
  const rows = [...summaries].map(([name, summary]) => `  ${name.padEnd(10)} ${summary}`)
  return `mintfeed ${version()}: self-hosted, real-time market data for launch-platform tokens

  mintfeed [flags]              runs the service
  mintfeed <command> [flags]    runs a command; mintfeed <command> --help tells its flags

Commands:
${rows.join('\n')}
  help       this text; also --help and -h
  --version  the version

Settings of the service are environment variables, each also a flag: PORT=9000 is --port 9000. The
first ones are FEED (sim), HOST (127.0.0.1), PORT (8080), DATA_DIR (snapshots) and LOG_LEVEL (info);
all are in README.md, docs/operations.md, docs/feeds.md and docs/feeds-sources.md.
`
}

/** As package.json has it. */
export function version(): string {
  const fields: unknown = JSON.parse(readFileSync(programFile('../package.json'), 'utf8'))
  const isNamed = typeof fields === 'object' && fields !== null && 'version' in fields
  return isNamed ? String(fields.version) : 'unknown'
}
