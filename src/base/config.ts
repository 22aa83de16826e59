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
  RATE_LIMIT: '120/60s',
  TRUST_PROXY: '',
  CORS_ORIGIN: '*',
  LOG_LEVEL: 'info',
  LATE_SLOTS: '32',
}

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']
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
  oneOf('FSYNC', settings.FSYNC, ['group', 'always', 'off'])
  durationMs('SNAPSHOT_EVERY', settings.SNAPSHOT_EVERY)
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

function oneOf(name: string, text: string, allowed: readonly string[]): string {
  if (allowed.includes(text)) return text
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
