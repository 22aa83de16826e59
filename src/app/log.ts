import { pino } from 'pino'
import type { Config } from '../config/config.ts'
import { logText } from './log-text.ts'
import type { Logger } from './program.ts'

/** Bytes of log that wait for room, as in a pipe that nobody reads; lines on top are left out. */
const WAITING_LOG_BYTES_MAX = 1 << 20

/** Takes away what stands in the line of the cursor, as the bar of a replay: it is drawn anew below. */
const CLEAR_LINE = '\r\u001b[K'

/** Where the log goes, and who may look at it. */
export interface LogStream {
  readonly fd: number
  readonly isTTY?: boolean
  readonly columns?: number
}

/** The log of the service: a line of JSON each for programs, one or two of text for eyes (LOG_FORMAT). */
export function makeLog(
  { logLevel: level, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  stream: LogStream,
  environment: Readonly<Record<string, string | undefined>>,
): Logger {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const lines = pino.destination({
    dest: stream.fd,
    sync: true,
    maxLength: WAITING_LOG_BYTES_MAX,
    // Else a pipe that is full holds the loop until somebody reads it; what waits goes with the next line.
    retryEAGAIN: () => false,
  })
  // A log on a disk that is full loses lines: the service goes on without them.
  lines.on('error', () => {})
  const isTerminal = stream.isTTY === true
  const isText = logFormat === 'auto' ? isTerminal : logFormat === 'text'
  if (!isText) return pino(options, lines)
  const isDumb = !isTerminal || environment.TERM === 'dumb'
  const before = isDumb ? '' : CLEAR_LINE
  // https://no-color.org
  const hasColours = !isDumb && (environment.NO_COLOR ?? '') === ''
  const columns = isTerminal ? stream.columns : undefined
  const write = (line: string) => void lines.write(before + logText(line, { hasColours, columns }))
  return pino(options, { write })
}
