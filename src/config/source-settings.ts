import { basename } from 'node:path'
import { decodeBase58 } from '../base/base58.ts'
import { isSolPrice, SOL_PRICE_USD } from '../base/thresholds.ts'
import { ConfigError, durationMs, integer, oneOf } from './setting-values.ts'

/** The feeds, and where they get prices and texts. */
export interface Sources {
  readonly feeds: readonly FeedName[]
  readonly solPrice:
    | { readonly kind: 'off' }
    | { readonly kind: 'venues'; readonly names: readonly string[] }
    | { readonly kind: 'fixed'; readonly usd: number }
    | { readonly kind: 'file'; readonly file: string }
  /** The IPFS gateways that texts of tokens are fetched from, https origins, best first; null: none are fetched. */
  readonly metadata: { readonly gateways: readonly string[] } | null
  readonly pumpPortal: PumpPortalSetting
  /** Null: not in FEED. */
  readonly yellowstone: YellowstoneSetting | null
  readonly solana: SolanaSetting | null
  /** The RPC server, which fills gaps and is asked for old tokens also where FEED has no solana; null: none is given. */
  readonly rpcUrl: string | null
  /** Where and how often the chain is asked for tokens whose creation was not seen; null: it is not. */
  readonly hydration: { readonly rpcUrl: string; readonly perSecond: number } | null
  /** Slots of an outage that are back-filled at most. */
  readonly backfillSlotsMax: number
  /** The same as a time, which counts in place of the slots; null: not set. */
  readonly backfillMs: number | null
  /** How long a gap holds what is behind it. */
  readonly gapWaitMs: number
  /** What is fetched of the time before a market's first slot. */
  readonly history: {
    /** How far back; `replayed`: as far as a server delivers all again at once, at most 24 h; null: not at all. */
    readonly span: { readonly ms: number } | 'replayed' | null
    /** Questions a second to the RPC server. */
    readonly rps: number
  }
}

type SourceSetting =
  | 'FEED'
  | 'SOL_PRICE'
  | `PUMPPORTAL_${'URL' | 'KEY' | 'MINTS'}`
  | `YELLOWSTONE_${'URL' | 'TOKEN'}`
  | `SOLANA_${'RPC_URL' | 'WS_URL' | 'BLOCKS'}`
  | 'BACKFILL_SLOTS'
  | 'BACKFILL'
  | 'GAP_WAIT'
  | 'HISTORY'
  | 'HISTORY_RPS'
  | 'HYDRATE_RPS'
  | 'METADATA'
  | 'IPFS_GATEWAYS'

/** A day of the chain at 200 ms a slot; no provider serves more. */
const BACKFILL_SLOTS_MAX = 432_000

/** One question at a time comes to no more with any server. */
const HYDRATE_RPS_MAX = 100

/** @throws ConfigError on a bad value */
export function readSources(settings: Readonly<Record<SourceSetting, string>>): Sources {
  const feeds = feedSetting(settings.FEED)
  const has = (kind: LiveKind) => feeds.some((feed) => feed.kind === kind)
  const rpcUrl = feeds.some(isLiveFeed) ? rpcUrlSetting(settings.SOLANA_RPC_URL) : null
  return {
    feeds,
    rpcUrl,
    solPrice: solPriceSetting(settings.SOL_PRICE, feeds.some(isLiveFeed)),
    pumpPortal: pumpPortalSetting(
      settings.PUMPPORTAL_URL,
      settings.PUMPPORTAL_KEY,
      settings.PUMPPORTAL_MINTS,
    ),
    yellowstone: has('yellowstone')
      ? yellowstoneSetting(settings.YELLOWSTONE_URL, settings.YELLOWSTONE_TOKEN)
      : null,
    solana: has('solana')
      ? solanaSetting(
          settings.SOLANA_RPC_URL,
          settings.SOLANA_WS_URL,
          oneOf('SOLANA_BLOCKS', settings.SOLANA_BLOCKS, ['gaps', 'all']),
        )
      : null,
    hydration: hydrationSetting(settings.HYDRATE_RPS, rpcUrl),
    backfillSlotsMax: integer('BACKFILL_SLOTS', settings.BACKFILL_SLOTS, 0, BACKFILL_SLOTS_MAX),
    backfillMs: backfillMs(settings.BACKFILL),
    gapWaitMs: durationMs('GAP_WAIT', settings.GAP_WAIT),
    history: {
      span: historySpan(settings.HISTORY),
      rps: integer('HISTORY_RPS', settings.HISTORY_RPS, 1, HISTORY_RPS_MAX),
    },
    metadata: metadataSetting(
      oneOf('METADATA', settings.METADATA, ['on', 'off']),
      settings.IPFS_GATEWAYS,
    ),
  }
}

/** Feeds of the chain as it happens. */
type LiveKind = 'yellowstone' | 'solana' | 'pumpportal'

/** One part of FEED. */
export type FeedName =
  | { readonly kind: 'sim' | 'stdin' | 'none' | 'nats' | LiveKind }
  | { readonly kind: 'replay'; readonly file: string }

const OTHER_KINDS = ['sim', 'stdin', 'none', 'nats'] as const
const LIVE_KINDS: readonly LiveKind[] = ['yellowstone', 'solana', 'pumpportal']

/** FEED: one feed or several with commas. */
function feedSetting(text: string): FeedName[] {
  const parts = text.split(',').map((part) => part.trim())
  const names = parts.map(feedName)
  const twice = parts.find((part, i) => parts.indexOf(part) < i)
  // Two readers of one input would each get half of it.
  if (twice !== undefined) throw new ConfigError(`FEED has "${twice}" twice; once is enough.`)
  return names
}

function feedName(text: string): FeedName {
  for (const kind of [...OTHER_KINDS, ...LIVE_KINDS]) if (text === kind) return { kind }
  if (text.startsWith('replay:') && text.length > 'replay:'.length)
    return { kind: 'replay', file: text.slice('replay:'.length) }
  throw new ConfigError(
    `FEED is "${text}"; it must be sim, replay:<file>, stdin, yellowstone, solana, pumpportal, nats or none, or several of them with commas.`,
  )
}

/** Whether a feed is the chain as it happens: no prices, no texts behind links. */
export function isLiveFeed(feed: FeedName): boolean {
  return LIVE_KINDS.some((kind) => kind === feed.kind)
}

/** Where the tokens of a feed come from: a simulation or the chain. */
export type Market = 'simulated' | 'chain'

/** How the name of a recording begins that is of a simulated market: nothing in its lines says so. */
const SIMULATED_PREFIX = 'simulated-'

/** Whether a feed tells of a market that nobody made but the simulator. */
export function isSimulatedFeed(feed: FeedName): boolean {
  return (
    feed.kind === 'sim' ||
    (feed.kind === 'replay' && basename(feed.file).startsWith(SIMULATED_PREFIX))
  )
}

/** The market of a FEED; null: unknown (recordings, stdin, none) or both. */
export function marketOf(feeds: readonly FeedName[]): Market | null {
  const isSimulated = feeds.some(isSimulatedFeed)
  const isOfTheChain = feeds.some(isLiveFeed)
  if (isSimulated === isOfTheChain) return null
  return isSimulated ? 'simulated' : 'chain'
}

/** How PumpPortal is asked. */
export interface PumpPortalSetting {
  readonly url: string
  /** Funded key; null: none, then there are no trades. */
  readonly key: string | null
  /** Mints whose trades are asked for. */
  readonly mints: readonly string[]
  /** Also those of tokens that are created while the feed runs: every trade costs the key's owner. */
  readonly followsNew: boolean
}

/** Mints that PUMPPORTAL_MINTS can name. */
const MINTS_MAX = 10_000

const VENUES: readonly string[] = ['coinbase', 'binance', 'kraken']

/** SOL_PRICE. Empty: the venues when a feed of the chain runs, which has no prices of its own. */
function solPriceSetting(text: string, hasLiveFeed: boolean): Sources['solPrice'] {
  if (text === '') return hasLiveFeed ? { kind: 'venues', names: VENUES } : { kind: 'off' }
  if (text === 'off') return { kind: 'off' }
  if (text.startsWith('fixed:')) {
    const price = text.slice('fixed:'.length)
    const usd = /^\d+(\.\d+)?$/.test(price) ? Number(price) : 0
    if (isSolPrice(usd)) return { kind: 'fixed', usd }
  } else if (text.startsWith('file:') && text.length > 'file:'.length) {
    return { kind: 'file', file: text.slice('file:'.length) }
  } else {
    const names = text.split(',').map((name) => name.trim())
    if (names.every((name) => VENUES.includes(name)))
      return { kind: 'venues', names: [...new Set(names)] }
  }
  throw new ConfigError(
    `SOL_PRICE is "${text}"; it must be one or more of ${VENUES.join(', ')} with commas, ` +
      `fixed:<usd> (${SOL_PRICE_USD.range}), file:<path> or off.`,
  )
}

function metadataSetting(onOff: 'on' | 'off', gateways: string): Sources['metadata'] {
  const origins = gateways.split(',').map((text) => text.trim().replace(/\/+$/, ''))
  for (const [i, origin] of origins.entries())
    if (
      !URL.canParse(origin) ||
      !origin.startsWith('https://') ||
      new URL(origin).origin !== origin
    )
      // Not repeated, as all addresses are: behind a `?` there may be a key.
      throw new ConfigError(
        `IPFS_GATEWAYS cannot be used (number ${i + 1}); each must be an https origin like https://ipfs.filebase.io.`,
      )
  return onOff === 'on' ? { gateways: origins } : null
}

/** PUMPPORTAL_MINTS: mints with commas; `new` among them stands for those that are created. */
function pumpPortalSetting(url: string, key: string, mints: string): PumpPortalSetting {
  if (!URL.canParse(url) || !/^wss?:$/.test(new URL(url).protocol))
    throw new ConfigError('PUMPPORTAL_URL cannot be used; it must be a wss:// address.')
  const words = mints.split(',').flatMap((word) => word.trim() || [])
  const named = words.filter((word) => word !== 'new')
  const wrong = named.find((word) => decodeBase58(word)?.length !== 32)
  if (wrong !== undefined)
    throw new ConfigError(`PUMPPORTAL_MINTS has "${wrong}"; each must be a mint's address, or new.`)
  if (named.length > MINTS_MAX)
    throw new ConfigError(
      `PUMPPORTAL_MINTS has ${named.length} mints; at most ${MINTS_MAX} can be.`,
    )
  return {
    url,
    key: key === '' ? null : key,
    mints: named,
    followsNew: named.length < words.length,
  }
}

/** The Yellowstone gRPC server. */
export interface YellowstoneSetting {
  /** `https://host:port`, or `http://` without TLS. */
  readonly url: string
  /** Sent as `x-token`; empty: none. */
  readonly token: string
}

/** The Solana RPC server. */
export interface SolanaSetting {
  readonly rpcUrl: string
  readonly wsUrl: string
  /**
   * `gaps`: the content of the logs, at once; index of arrival, no fee. `all`: each slot is read from its
   * block, so index, fee and balances are there and nothing the node drops is lost; it costs a
   * `getBlock` a slot and its time.
   */
  readonly blocks: 'gaps' | 'all'
}

/** No provider serves older slots. */
const BACKFILL_HOURS_MAX = 24

/** BACKFILL, in milliseconds; null: it is not given, and BACKFILL_SLOTS counts. */
function backfillMs(text: string): number | null {
  if (text === '') return null
  const ms = durationMs('BACKFILL', text)
  if (ms <= BACKFILL_HOURS_MAX * 3_600_000) return ms
  throw new ConfigError(`BACKFILL is "${text}"; it must be at most ${BACKFILL_HOURS_MAX}h.`)
}

/** No provider lets one client ask more. */
const HISTORY_RPS_MAX = 1_000

function historySpan(text: string): Sources['history']['span'] {
  if (text === 'replayed') return text
  return text === 'off' ? null : { ms: durationMs('HISTORY', text) }
}

/** Addresses are never repeated in a sentence, here and below: many hold a key, and the sentence goes to the log. */
function yellowstoneSetting(url: string, token: string): YellowstoneSetting {
  if (url === '')
    throw new ConfigError(
      'FEED has yellowstone, but YELLOWSTONE_URL is empty; it must be like https://host:443.',
    )
  if (!hasProtocol(url, ['https:', 'http:']))
    throw new ConfigError(
      'YELLOWSTONE_URL cannot be used; it must be https://host:port, or http:// without TLS.',
    )
  // A header of gRPC carries printable ASCII only.
  if (!/^[\x20-\x7e]*$/.test(token))
    throw new ConfigError('YELLOWSTONE_TOKEN has characters that no header can carry.')
  return { url, token }
}

/**
 * The WebSocket address is the HTTP one by default, with ws in front and the next port where one is given, as
 * Solana's nodes have it.
 */
function solanaSetting(
  rpcUrl: string,
  wsUrl: string,
  blocks: SolanaSetting['blocks'],
): SolanaSetting {
  if (rpcUrl === '')
    throw new ConfigError(
      'FEED has solana, but SOLANA_RPC_URL is empty; it must be like https://host/?api-key=….',
    )
  checkRpcUrl(rpcUrl)
  const socketUrl = wsUrl === '' ? socketOf(rpcUrl) : wsUrl
  if (!hasProtocol(socketUrl, ['wss:', 'ws:']))
    throw new ConfigError('SOLANA_WS_URL cannot be used; it must be a wss:// or ws:// address.')
  return { rpcUrl, wsUrl: socketUrl, blocks }
}

function checkRpcUrl(rpcUrl: string): void {
  if (!hasProtocol(rpcUrl, ['https:', 'http:']))
    throw new ConfigError(
      'SOLANA_RPC_URL cannot be used; it must be an https:// or http:// address.',
    )
  const { username, password } = new URL(rpcUrl)
  // `fetch` refuses such an address, and repeats it in its message.
  if (username !== '' || password !== '')
    throw new ConfigError(
      'SOLANA_RPC_URL has a login in it, which cannot be used; it must be an address whose key stands in its path or query.',
    )
}

/** HYDRATE_RPS, which needs an RPC server: `rpcUrl` is null where there is none. */
function hydrationSetting(text: string, rpcUrl: string | null): Sources['hydration'] {
  const perSecond = text === 'off' ? 0 : integer('HYDRATE_RPS', text, 0, HYDRATE_RPS_MAX)
  return perSecond === 0 || rpcUrl === null ? null : { rpcUrl, perSecond }
}

function rpcUrlSetting(text: string): string | null {
  if (text === '') return null
  checkRpcUrl(text)
  return text
}

function hasProtocol(text: string, protocols: readonly string[]): boolean {
  return URL.canParse(text) && protocols.includes(new URL(text).protocol)
}

function socketOf(rpcUrl: string): string {
  const url = new URL(rpcUrl)
  const isSecure = url.protocol === 'https:'
  const port = url.port === '' ? '' : `:${Number(url.port) + 1}`
  return `${isSecure ? 'wss' : 'ws'}://${url.hostname}${port}${url.pathname}${url.search}`
}
