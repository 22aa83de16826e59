import { pino } from 'pino'
import type { Config } from '../config/config.ts'

/** Bytes of log that wait while a pipe is full; further lines are dropped. */
const WAITING_LOG_BYTES_MAX = 1 << 20

/** Clears the line of the cursor, as of the bar of a replay, which is drawn anew below. */
const CLEAR_LINE = '\r\u001b[K'

/** pino's levels from which a text line names them before its message. */
const LEVELS: readonly (readonly [from: number, name: string, colour: string])[] = [
  [60, 'fatal', '31;1'],
  [50, 'error', '31;1'],
  [40, 'warning', '33'],
]

const FAINT = '2'
const STANDING_OUT = '1;4;36'
const INDENT = '         '
/** Keys that pino writes, and those that are shown apart. */
const OWN_KEYS: ReadonlySet<string> = new Set(['level', 'time', 'msg', 'stack'])
/** Where no terminal says how wide it is. */
const COLUMNS_UNKNOWN = 160

/** The log of the service: a line of JSON each for programs, one or two of text for eyes (LOG_FORMAT). */
export function makeLog(
  { logLevel: level, logFormat }: Pick<Config, 'logLevel' | 'logFormat'>,
  stream: { readonly fd: number; readonly isTTY?: boolean; readonly columns?: number },
  environment: Readonly<Record<string, string | undefined>>,
) {
  const options = { level, base: null, timestamp: pino.stdTimeFunctions.isoTime }
  const lines = pino.destination({
    dest: stream.fd,
    sync: true,
    maxLength: WAITING_LOG_BYTES_MAX,
    // By default a full pipe blocks the event loop until somebody reads it. What waits goes with the next line.
    retryEAGAIN: () => false,
  })
  // On a full disk the log loses lines, and the service goes on.
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

interface TextOptions {
  readonly hasColours: boolean
  /** How wide the terminal is; undefined: it does not say. */
  readonly columns?: number | undefined
}

type Facts = Readonly<Record<string, unknown>>

/**
 * A line of JSON as one or two lines of text: the message, and below it the facts, as many as fit into the terminal's
 * width, or all of them for a warning. The stack of a fault of the program follows whole. Text of strangers cannot move
 * the cursor. A line that is not JSON is returned as it is.
 */
export function logText(line: string, options: TextOptions): string {
  const facts = factsOf(line)
  if (facts === null) return line
  const { hasColours, columns } = options
  const paint = (code: string, text: string) =>
    hasColours && text !== '' ? `\u001b[${code}m${text}\u001b[0m` : text
  const [, name = '', colour = ''] = LEVELS.find(([from]) => Number(facts.level) >= from) ?? []
  const message = harmless(messageOf(facts))
  const head = `${paint(FAINT, clockOf(facts.time))} ${paint(colour, name)}${name === '' ? '' : ': '}${message}`
  const stack = typeof facts.stack === 'string' ? stackLines(facts.stack) : []
  return [head, ...below(message, facts, name !== '', columns ?? COLUMNS_UNKNOWN, paint), ...stack]
    .map((one) => `${one}\n`)
    .join('')
}

function below(
  message: string,
  facts: Facts,
  isWhole: boolean,
  columns: number,
  paint: (code: string, text: string) => string,
): readonly string[] {
  if (message === 'ready' && typeof facts.url === 'string')
    return [
      `${INDENT}${paint(STANDING_OUT, harmless(facts.url))}  ${paint(FAINT, liveFeed(facts))}`,
    ]
  if (typeof facts.kept === 'string') return []
  const all = Object.entries(facts)
    .filter(([key, value]) => !OWN_KEYS.has(key) && value !== null && value !== undefined)
    .map(([key, value]) => `${key}=${shown(value)}`)
    .join(' ')
  if (all === '') return []
  const room = columns - INDENT.length
  const text = isWhole || all.length <= room ? all : `${all.slice(0, Math.max(room - 1, 0))}…`
  return [`${INDENT}${paint(FAINT, text)}`]
}

/** The line `stopped` also says what DATA_DIR holds. */
function messageOf({ msg, kept }: Facts): string {
  return typeof kept === 'string' ? `${msg}: ${kept}` : String(msg ?? '')
}

function liveFeed({ ws }: Facts): string {
  return typeof ws === 'string' ? `live feed: ${harmless(ws)}` : ''
}

function factsOf(line: string): Facts | null {
  try {
    const value: unknown = JSON.parse(line)
    return typeof value === 'object' && value !== null ? { ...value } : null
  } catch {
    return null
  }
}

/** Hours, minutes and seconds of the local time. */
function clockOf(time: unknown): string {
  const date = new Date(String(time))
  return Number.isNaN(date.getTime()) ? '--:--:--' : date.toTimeString().slice(0, 8)
}

function shown(value: unknown): string {
  if (typeof value === 'string')
    return /^[\x21-\x7e]+$/.test(value) ? value : harmless(JSON.stringify(value))
  return harmless(JSON.stringify(value))
}

function stackLines(stack: string): readonly string[] {
  return stack.split('\n').map((line) => `${INDENT}${harmless(line)}`)
}

/** With escapes for the characters that a terminal would not show but obey. */
function harmless(text: string): string {
  return text.replaceAll(/[\p{Cc}\p{Cf}\p{Zl}\p{Zp}]/gu, (character) => {
    return `\\u{${character.codePointAt(0)?.toString(16)}}`
  })
}
