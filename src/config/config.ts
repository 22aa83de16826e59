/**
 * The settings of the service. In come flags and environment variables, out comes one `Config`, or a ConfigError whose
 * sentence goes to the user (exit code 2). A flag goes before the variable of the same name; an empty value is the
 * default. What a value may be is checked here and nowhere else. setting-texts.ts explains each setting, and
 * docs/settings.md is made of it; typos.ts names the setting that a misspelt variable or flag may mean.
 */
import { parseArgs } from 'node:util'
import { THRESHOLDS, type Thresholds } from '../base/thresholds.ts'
import { ALERT_DEFAULTS, type AlertSetting, alertSetting } from './alert-settings.ts'
import { ConfigError, durationMs, integer, oneOf, sizeBytes } from './setting-values.ts'
import { type FeedName, readSources, type Sources } from './source-settings.ts'
import { STREAM_DEFAULTS, type StreamSetting, streamSetting } from './stream-settings.ts'
import {
  readSurface,
  type SeedSetting,
  SURFACE_DEFAULTS,
  type Surface,
  seedSetting,
} from './surface.ts'
import { flagOf, flagSentence } from './typos.ts'

/** How the program runs (contract section 7): environment variables, or flags of the same meaning. */
export interface Config extends Sources {
  readonly host: string
  readonly port: number
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
  /** `text` for eyes, `json` for programs; `auto`: by whether a terminal shows it. */
  readonly logFormat: 'auto' | 'text' | 'json'
  readonly lateSlots: number
  readonly rules: Thresholds
  /** Folder of journal, snapshots and tape; null: nothing is stored. */
  readonly dataDir: string | null
  /** The instance that an empty folder is filled from; null: none. */
  readonly seed: SeedSetting | null
  /** The replicated stream that is followed (FEED=nats) or written (`mintfeed sequence`); null: neither. */
  readonly stream: StreamSetting | null
  readonly snapshotEveryMs: number
  /** When writes are synced to the disk (contract section 6). */
  readonly fsync: 'group' | 'always' | 'off'
  /** Bytes of swap history in memory; older history is read back from the disk. */
  readonly tapeMemoryBytes: number
  /** Bytes of positions in memory; past it those of the tokens that were quiet longest go to the disk. */
  readonly positionsMemoryBytes: number
  /** Tokens at most; further ones are refused. */
  readonly maxTokens: number
  /** Keep journal segments that no snapshot needs any more, so that every event can be exported. */
  readonly keepsJournal: boolean
  /** Compare every cached answer with one made anew; a difference is a defect, answered 500. */
  readonly checksCache: boolean
  /** Keep the event loop from sleeping: lower latency for the price of a core. */
  readonly spins: boolean
  /** Limits, TLS and the admin surface. */
  readonly surface: Surface
  /** The file of the user's labels of wallets; null: none. */
  readonly walletLabels: string | null
  readonly alerts: AlertSetting
  /** The page at `/`; `images`: it may ask other servers for pictures of tokens. */
  readonly dashboard: 'on' | 'off' | 'images'
  /** `/mcp` answers agents. */
  readonly hasMcp: boolean
}

const LAMPORTS_PER_SOL = 1e9
const MOST_SLOTS = 1_000_000
const MOST_SECONDS = 1_000_000_000
const MOST_COUNTED = 1_000_000_000
const MOST_WHOLE = 1_000_000

/** The contract's thresholds as settings. */
const THRESHOLD_DEFAULTS = {
  COMPLETING_PERCENT: String(THRESHOLDS.completingPercent),
  SNIPER_SLOTS: String(THRESHOLDS.sniperSlots),
  SNIPER_SECONDS: String(THRESHOLDS.sniperSeconds),
  BUNDLE_SLOTS: String(THRESHOLDS.bundleSlots),
  BUNDLE_SOL: String(THRESHOLDS.bundleLamports / LAMPORTS_PER_SOL),
  FRESH_SECONDS: String(THRESHOLDS.freshSeconds),
  FRESH_TRADES: String(THRESHOLDS.freshTrades),
  PRO_TRADES: String(THRESHOLDS.proTrades),
  PRO_MINTS: String(THRESHOLDS.proMints),
  SOLD_ALL_TOKENS: String(THRESHOLDS.soldAllWhole),
  MINT_SUFFIX: THRESHOLDS.mintSuffix,
}

/** The default of every setting; empty: none, or it depends on another setting. */
export const SETTING_DEFAULTS = {
  HOST: '127.0.0.1',
  PORT: '8080',
  FEED: 'sim',
  SPEED: '1',
  CLOCK: '',
  SIM_SEED: '1',
  SIM_TOKENS: '2000',
  SIM_RATE: '50',
  DATA_DIR: 'snapshots',
  SEED_URL: '',
  SEED_TOKEN: '',
  ...STREAM_DEFAULTS,
  SNAPSHOT_EVERY: '5m',
  FSYNC: 'group',
  TAPE_MEMORY: '1gb',
  POSITIONS_MEMORY: '4gb',
  MAX_TOKENS: '5000000',
  JOURNAL_KEEP: 'needed',
  RATE_LIMIT: '120/60s',
  TRUST_PROXY: '',
  CORS_ORIGIN: '*',
  DASHBOARD: 'on',
  MCP: 'on',
  WALLET_LABELS: '',
  LOG_LEVEL: 'info',
  LOG_FORMAT: 'auto',
  LATE_SLOTS: '32',
  ...THRESHOLD_DEFAULTS,
  CHECK_CACHE: '0',
  SPIN: 'off',
  ...SURFACE_DEFAULTS,
  ...ALERT_DEFAULTS,
  SOL_PRICE: '',
  METADATA: 'off',
  PUMPPORTAL_URL: 'wss://pumpportal.fun/api/data',
  PUMPPORTAL_KEY: '',
  PUMPPORTAL_MINTS: '',
  YELLOWSTONE_URL: '',
  YELLOWSTONE_TOKEN: '',
  SOLANA_RPC_URL: '',
  SOLANA_WS_URL: '',
  SOLANA_BLOCKS: 'gaps',
  HYDRATE_RPS: '5',
  BACKFILL_SLOTS: '9000',
  BACKFILL: '',
  GAP_WAIT: '3s',
  HISTORY: 'replayed',
  HISTORY_RPS: '10',
  IPFS_GATEWAYS:
    'https://ipfs.filebase.io,https://pump.mypinata.cloud,https://gateway.pinata.cloud,https://4everland.io',
} as const satisfies Readonly<Record<string, string>>

export type SettingName = keyof typeof SETTING_DEFAULTS

/** Environment variables of the service, each also a flag. */
export const SETTING_NAMES: readonly string[] = Object.keys(SETTING_DEFAULTS)

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent']

/** Most tokens and swaps a second the simulator is asked for. */
const SIM_TOKENS_MAX = 1_000_000
const SIM_RATE_MAX = 1_000_000

type Settings = Readonly<Record<SettingName, string>>
/** Requests of a window: far above what one process serves, far below where counting grows inexact. */
const RATE_MAX = 1_000_000_000

/** @throws ConfigError on an unknown flag or a bad value */
export function readConfig(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
  role: 'service' | 'sequencer' = 'service',
): Config {
  const settings = settle(args, environment)
  const sources = readSources(settings)
  const isFollower = sources.feeds.some(({ kind }) => kind === 'nats')
  if (isFollower && (role === 'sequencer' || sources.feeds.length > 1))
    throw new ConfigError(
      `FEED is "${settings.FEED}"; nats stands alone, and a sequencer takes what it publishes from other feeds.`,
    )
  return {
    ...sources,
    host: settings.HOST,
    port: integer('PORT', settings.PORT, 0, 65_535),
    speed: speed(settings.SPEED),
    clock: clock(settings.CLOCK, sources.feeds),
    simSeed: integer('SIM_SEED', settings.SIM_SEED, 0, 2 ** 32 - 1),
    simTokens: integer('SIM_TOKENS', settings.SIM_TOKENS, 0, SIM_TOKENS_MAX),
    simRate: integer('SIM_RATE', settings.SIM_RATE, 0, SIM_RATE_MAX),
    rateLimit: rateLimit(settings.RATE_LIMIT),
    trustProxy: settings.TRUST_PROXY.split(',').flatMap((part) => part.trim() || []),
    corsOrigin: corsOrigin(settings.CORS_ORIGIN),
    logLevel: oneOf('LOG_LEVEL', settings.LOG_LEVEL, LOG_LEVELS),
    logFormat: oneOf('LOG_FORMAT', settings.LOG_FORMAT, ['auto', 'text', 'json']),
    lateSlots: integer('LATE_SLOTS', settings.LATE_SLOTS, 0, 10_000),
    rules: readThresholds(settings),
    dataDir: settings.DATA_DIR === 'none' ? null : settings.DATA_DIR,
    seed: seedSetting(settings.SEED_URL, settings.SEED_TOKEN, settings.DATA_DIR),
    stream: isFollower || role === 'sequencer' ? streamSetting(settings) : null,
    snapshotEveryMs: durationMs('SNAPSHOT_EVERY', settings.SNAPSHOT_EVERY),
    fsync: oneOf('FSYNC', settings.FSYNC, ['group', 'always', 'off']),
    tapeMemoryBytes: sizeBytes('TAPE_MEMORY', settings.TAPE_MEMORY),
    positionsMemoryBytes: sizeBytes('POSITIONS_MEMORY', settings.POSITIONS_MEMORY),
    maxTokens: integer('MAX_TOKENS', settings.MAX_TOKENS, 1, 100_000_000),
    keepsJournal: oneOf('JOURNAL_KEEP', settings.JOURNAL_KEEP, ['needed', 'all']) === 'all',
    spins: oneOf('SPIN', settings.SPIN, ['on', 'off']) === 'on',
    checksCache: oneOf('CHECK_CACHE', settings.CHECK_CACHE, ['0', '1']) === '1',
    surface: readSurface(settings),
    walletLabels: settings.WALLET_LABELS || null,
    alerts: alertSetting(settings),
    dashboard: oneOf('DASHBOARD', settings.DASHBOARD, ['on', 'off', 'images']),
    hasMcp: oneOf('MCP', settings.MCP, ['on', 'off']) === 'on',
  }
}

/** Every setting as text: its flag, else its variable, else the default. */
function settle(
  args: readonly string[],
  environment: Readonly<Record<string, string | undefined>>,
): Settings {
  const flags = parseFlags(args)
  const given = SETTING_NAMES.flatMap((name) => {
    const text = flags[flagOf(name)] ?? environment[name] ?? ''
    return text === '' ? [] : [[name, text] as const]
  })
  return { ...SETTING_DEFAULTS, ...Object.fromEntries(given) }
}

function parseFlags(args: readonly string[]): Readonly<Record<string, string | undefined>> {
  const names = SETTING_NAMES.map(flagOf)
  const options = Object.fromEntries(names.map((name) => [name, { type: 'string' as const }]))
  try {
    return parseArgs({ args: [...args], options, strict: true, allowPositionals: false }).values
  } catch (error) {
    throw new ConfigError(flagSentence(error, names))
  }
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

function readThresholds(settings: Settings): Thresholds {
  const whole = (name: keyof typeof THRESHOLD_DEFAULTS, max: number) =>
    integer(name, settings[name], 0, max)
  return {
    completingPercent: whole('COMPLETING_PERCENT', 100),
    sniperSlots: whole('SNIPER_SLOTS', MOST_SLOTS),
    sniperSeconds: whole('SNIPER_SECONDS', MOST_SECONDS),
    bundleSlots: whole('BUNDLE_SLOTS', MOST_SLOTS),
    bundleLamports: Math.round(
      decimal('BUNDLE_SOL', settings.BUNDLE_SOL, MOST_WHOLE) * LAMPORTS_PER_SOL,
    ),
    freshSeconds: whole('FRESH_SECONDS', MOST_SECONDS),
    freshTrades: whole('FRESH_TRADES', MOST_COUNTED),
    proTrades: whole('PRO_TRADES', MOST_COUNTED),
    proMints: whole('PRO_MINTS', MOST_COUNTED),
    soldAllWhole: decimal('SOLD_ALL_TOKENS', settings.SOLD_ALL_TOKENS, MOST_WHOLE),
    mintSuffix: mintSuffix(settings.MINT_SUFFIX),
  }
}

function mintSuffix(text: string): string {
  if (/^[1-9A-HJ-NP-Za-km-z]{1,44}$/.test(text)) return text
  throw new ConfigError(`MINT_SUFFIX is "${text}"; it must be 1 to 44 characters of base58.`)
}

/** A decimal number from 0 on with at most nine digits behind the point, as SOL has them. */
function decimal(name: string, text: string, max: number): number {
  const value = /^\d+(\.\d{1,9})?$/.test(text) ? Number(text) : Number.NaN
  if (value <= max) return value
  const form = `a number from 0 to ${max} with at most nine digits behind the point`
  throw new ConfigError(`${name} is "${text}"; it must be ${form}.`)
}

/** `120/60s`, or null for `off`. */
function rateLimit(text: string): Config['rateLimit'] {
  if (text === 'off') return null
  const [, requests, window] = /^(\d+)\/(\w+)$/.exec(text) ?? []
  const limit = Number(requests)
  if (window === undefined || limit < 1 || limit > RATE_MAX)
    throw new ConfigError(
      `RATE_LIMIT is "${text}"; it must be like 120/60s, with at most ${RATE_MAX} requests, or off.`,
    )
  return { limit, windowMs: durationMs('RATE_LIMIT', window) }
}

/**
 * `*`, or one origin as browsers write it: only then are their `Origin` and the answer's header the
 * same text. Anything else would be sent as it stands and allow nobody.
 */
function corsOrigin(text: string): string {
  if (text === '*' || isOrigin(text)) return text
  const form = '* or one origin as browsers write it, like https://desk.example'
  throw new ConfigError(`CORS_ORIGIN is ${JSON.stringify(text)}; it must be ${form}.`)
}

function isOrigin(text: string): boolean {
  if (!/^https?:\/\/[a-z0-9.:[\]-]+$/.test(text) || !URL.canParse(text)) return false
  return new URL(text).origin === text
}
