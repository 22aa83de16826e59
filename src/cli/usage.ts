import { SETTING_NAMES } from '../base/config.ts'
import { PROGRAM_VERSION } from '../base/program-version.ts'

const LINE_CHARACTERS = 100

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
