import { readFileSync } from 'node:fs'
import { SETTING_NAMES } from '../base/config.ts'
import { programFile } from '../base/program-files.ts'

const LINE_CHARACTERS = 100

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
what each is stands in README.md, docs/operations.md, docs/feeds.md and docs/feeds-sources.md:

${inLines(SETTING_NAMES)}
`
}

/** Words side by side, in lines that fit a terminal. */
function inLines(words: readonly string[]): string {
  const lines = ['']
  for (const word of words) {
    const line = `${lines[lines.length - 1]}  ${word}`
    if (line.length <= LINE_CHARACTERS) lines[lines.length - 1] = line
    else lines.push(`  ${word}`)
  }
  return lines.join('\n')
}

/** As package.json has it. */
export function version(): string {
  const fields: unknown = JSON.parse(readFileSync(programFile('../package.json'), 'utf8'))
  const isNamed = typeof fields === 'object' && fields !== null && 'version' in fields
  return isNamed ? String(fields.version) : 'unknown'
}
