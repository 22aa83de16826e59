import { parseArgs } from 'node:util'

/** One part of FEED. */
export type FeedName =
  | { readonly kind: 'sim' | 'stdin' | 'none' }
  | { readonly kind: 'replay'; readonly file: string }

/** How the program runs (contract section 7): environment variables, or flags of the same meaning. */
export interface Config {
  readonly host: string
  readonly port: number
  readonly feeds: readonly FeedName[]
  /** Pace of a replay: a factor of real time, or as fast as it goes. */
  readonly speed: number | 'max'
  readonly clock: 'wall' | 'event'
  readonly simSeed: number
  readonly simTokens: number
  /** Swaps per second. */
  readonly simRate: number
  readonly rateLimit: { readonly limit: number; readonly windowMs: number } | null
  readonly trustProxy: readonly string[]
  readonly corsOrigin: string
  readonly logLevel: string
  readonly lateSlots: number
  /** Folder of journal, snapshots and tape; null keeps nothing. */
  readonly dataDir: string | null
  readonly snapshotEveryMs: number
  /** When what was written is made to last (contract section 6). */
  readonly fsync: 'group' | 'always' | 'off'
  /** Bytes of swap history kept in memory; older history is read back from the disk. */
  readonly tapeMemoryBytes: number
  /** Keep journal segments that no snapshot needs any more, so that all can be exported. */
  readonly keepsJournal: boolean
  /** The page people look at is served at `/`. */
  readonly hasDashboard: boolean
}

/** A setting that cannot be used; the message is one sentence for the user. */
export class ConfigError extends Error {}

const DEFAULTS: Readonly<Record<string, string>> = {
  HOST: '127.0.0.1',
  PORT: '8080',
  FEED: 'sim',
  SPEED: '1',
  CLOCK: '',
  SIM_SEED: '1',
  SIM_TOKENS: '2000',
  SIM_RATE: '50',
  DATA_DIR: 'snapshots',
  SNAPSHOT_EVERY: '5m',
  FSYNC: 'group',
  TAPE_MEMORY: '1gb',
  JOURNAL_KEEP: 'needed',
  RATE_LIMIT: '120/60s',
  TRUST_PROXY: '',
  CORS_ORIGIN: '*',
  DASHBOARD: 'on',
  LOG_LEVEL: 'info',
  LATE_SLOTS: '32',
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
const UNITS_BYTES: Readonly<Record<string, number>> = { kb: 2 ** 10, mb: 2 ** 20, gb: 2 ** 30 }
const UNITS_MS: Readonly<Record<string, number>> = { ms: 1, s: 1_000, m: 60_000, h: 3_600_000 }

/** Most tokens and swaps a second the simulator is asked for. */
const SIM_TOKENS_MAX = 1_000_000
const SIM_RATE_MAX = 1_000_000

type Settings = Readonly<Record<string, string>>

/** @throws ConfigError on an unknown flag or a bad value */
export function readConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Config {
  const settings = settle(args, environment)
  const feeds = settings.FEED.split(',').map((part) => feedName(part.trim()))
  return {
    host: settings.HOST,
    port: integer('PORT', settings.PORT, 0, 65_535),
    feeds,
    speed: speed(settings.SPEED),
    clock: clock(settings.CLOCK, feeds),
    simSeed: integer('SIM_SEED', settings.SIM_SEED, 0, 2 ** 32 - 1),
    simTokens: integer('SIM_TOKENS', settings.SIM_TOKENS, 0, SIM_TOKENS_MAX),
    simRate: integer('SIM_RATE', settings.SIM_RATE, 0, SIM_RATE_MAX),
    rateLimit: rateLimit(settings.RATE_LIMIT),
    trustProxy: settings.TRUST_PROXY.split(',').flatMap((part) => part.trim() || []),
    corsOrigin: settings.CORS_ORIGIN,
    logLevel: oneOf('LOG_LEVEL', settings.LOG_LEVEL, LOG_LEVELS),
    lateSlots: integer('LATE_SLOTS', settings.LATE_SLOTS, 0, 10_000),
    dataDir: settings.DATA_DIR === 'none' ? null : settings.DATA_DIR,
    snapshotEveryMs: durationMs('SNAPSHOT_EVERY', settings.SNAPSHOT_EVERY),
    fsync: oneOf('FSYNC', settings.FSYNC, ['group', 'always', 'off']),
    tapeMemoryBytes: sizeBytes('TAPE_MEMORY', settings.TAPE_MEMORY),
    keepsJournal: oneOf('JOURNAL_KEEP', settings.JOURNAL_KEEP, ['needed', 'all']) === 'all',
    hasDashboard: oneOf('DASHBOARD', settings.DASHBOARD, ['on', 'off']) === 'on',
  }
}

function settle(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const flags = parseFlags(args)
  const settings: Record<string, string> = {}
  for (const [name, fallback] of Object.entries(DEFAULTS)) {
    const given = flags[name.toLowerCase().replaceAll('_', '-')] ?? environment[name]
    settings[name] = given === undefined || given === '' ? fallback : given
  }
  return settings
}

function parseFlags(args: readonly string[]): Readonly<Record<string, string | undefined>> {
  const names = Object.keys(DEFAULTS).map((name) => name.toLowerCase().replaceAll('_', '-'))
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
    throw new ConfigError(`${reason} Known flags: ${names.map((name) => `--${name}`).join(', ')}.`)
  }
}

function feedName(text: string): FeedName {
  if (text === 'sim' || text === 'stdin' || text === 'none') return { kind: text }
  if (text.startsWith('replay:') && text.length > 'replay:'.length)
    return { kind: 'replay', file: text.slice('replay:'.length) }
  throw new ConfigError(
    `FEED is "${text}"; it must be sim, replay:<file>, stdin or none, or several of them with commas.`,
  )
}

function clock(text: string, feeds: readonly FeedName[]): 'wall' | 'event' {
  if (text === '') return feeds.some((feed) => feed.kind === 'replay') ? 'event' : 'wall'
  if (text === 'wall' || text === 'event') return text
  throw new ConfigError(`CLOCK is "${text}"; it must be wall or event.`)
}

function speed(text: string): number | 'max' {
  if (text === 'max') return 'max'
  const factor = Number(text)
  if (Number.isFinite(factor) && factor > 0) return factor
  throw new ConfigError(`SPEED is "${text}"; it must be a factor above 0, or max.`)
}

function integer(name: string, text: string, min: number, max: number): number {
  const value = /^\d+$/.test(text) ? Number(text) : Number.NaN
  if (value >= min && value <= max) return value
  throw new ConfigError(`${name} is "${text}"; it must be an integer from ${min} to ${max}.`)
}

function oneOf<T extends string>(name: string, text: string, allowed: readonly T[]): T {
  for (const word of allowed) if (word === text) return word
  throw new ConfigError(`${name} is "${text}"; it must be one of ${allowed.join(', ')}.`)
}

function rateLimit(text: string): Config['rateLimit'] {
  if (text === 'off') return null
  const parts = /^(\d+)\/(\w+)$/.exec(text)
  const limit = parts === null ? 0 : Number(parts[1])
  if (parts === null || limit < 1)
    throw new ConfigError(`RATE_LIMIT is "${text}"; it must be like 120/60s, or off.`)
  return { limit, windowMs: durationMs('RATE_LIMIT', parts[2]) }
}

function durationMs(name: string, text: string): number {
  const parts = /^(\d+)(ms|s|m|h)$/.exec(text)
  const ms = parts === null ? 0 : Number(parts[1]) * UNITS_MS[parts[2]]
  if (ms > 0) return ms
  throw new ConfigError(`${name} has the duration "${text}"; it must be like 500ms, 60s, 5m or 1h.`)
}

function sizeBytes(name: string, text: string): number {
  const parts = /^(\d+)(kb|mb|gb)$/i.exec(text)
  const bytes = parts === null ? 0 : Number(parts[1]) * UNITS_BYTES[parts[2].toLowerCase()]
  if (bytes > 0 && Number.isSafeInteger(bytes)) return bytes
  throw new ConfigError(`${name} is "${text}"; it must be a size like 512mb or 2gb.`)
}
