/** Command line: node test/conformance/run.ts --url http://host:port [--ws ws://host:port/ws] */
import { parseArgs } from 'node:util'
import { type ConformanceOptions, runConformance } from './conformance.ts'

const say = (line: string): void => {
  process.stdout.write(`${line}\n`)
}

const usage = `usage: run.ts --url <http url> [--ws <ws url>] [--slow] [--skip-rate-limit]
              [--only <words>] [--live-seconds <n>] [--suffix <text>] [--quiet]`

function optionsOf(args: string[]): ConformanceOptions | null {
  const { values } = parseArgs({
    args,
    options: {
      url: { type: 'string', default: 'http://127.0.0.1:8080' },
      ws: { type: 'string' },
      only: { type: 'string' },
      suffix: { type: 'string' },
      'live-seconds': { type: 'string', default: '15' },
      slow: { type: 'boolean', default: false },
      'skip-rate-limit': { type: 'boolean', default: false },
      quiet: { type: 'boolean', default: false },
    },
  })
  const liveSeconds = Number(values['live-seconds'])
  if (!URL.canParse(values.url) || !(liveSeconds >= 0)) return null
  return {
    url: values.url,
    slow: values.slow,
    skipRateLimit: values['skip-rate-limit'],
    liveSeconds,
    print: (line) => {
      if (!values.quiet || !line.startsWith('pass')) say(line)
    },
    ...(values.ws === undefined ? {} : { ws: values.ws }),
    ...(values.only === undefined ? {} : { only: values.only }),
    ...(values.suffix === undefined ? {} : { suffix: values.suffix }),
  }
}

function readOptions(): ConformanceOptions | null {
  try {
    return optionsOf(process.argv.slice(2))
  } catch (error) {
    say(error instanceof Error ? error.message : String(error))
    return null
  }
}

const options = readOptions()
if (options === null) {
  say(usage)
  process.exit(1)
}
const { passed, failed, skipped } = await runConformance(options)
say(`${passed} passed, ${failed} failed, ${skipped} skipped`)
process.exit(failed === 0 ? 0 : 1)
