import { decodeBase58 } from '../base/base58.ts'
import { isSolPrice, SOL_PRICE_USD } from '../base/thresholds.ts'
import { ConfigError, durationMs } from './setting-values.ts'

/** Where the price of SOL comes from. */
export type SolPriceSetting =
  | { readonly kind: 'off' }
  | { readonly kind: 'venues'; readonly names: readonly string[] }
  | { readonly kind: 'fixed'; readonly usd: number }
  | { readonly kind: 'file'; readonly file: string }

/** Which texts are fetched for tokens; null: none. */
export interface MetadataSetting {
  /** https origins of IPFS gateways, in order of preference. */
  readonly gateways: readonly string[]
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

/**
 * SOL_PRICE. Empty: the venues when a feed of the chain runs, which has no prices of its own.
 * @throws ConfigError
 */
export function solPriceSetting(text: string, hasLiveFeed: boolean): SolPriceSetting {
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

/**
 * METADATA and IPFS_GATEWAYS.
 * @throws ConfigError
 */
export function metadataSetting(onOff: 'on' | 'off', gateways: string): MetadataSetting | null {
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

/**
 * PUMPPORTAL_URL, PUMPPORTAL_KEY and PUMPPORTAL_MINTS: mints with commas, `new` among them for those
 * that are created.
 * @throws ConfigError
 */
export function pumpPortalSetting(url: string, key: string, mints: string): PumpPortalSetting {
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

const HOUR_MS = 3_600_000

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
   * `gaps`: what the logs say, at once; index of arrival, no fee. `all`: each slot is read from its
   * block, so index, fee and balances are there and nothing the node drops is lost; it costs a
   * `getBlock` a slot and its time.
   */
  readonly blocks: 'gaps' | 'all'
}

/** As long as any provider tells again. */
const BACKFILL_HOURS_MAX = 24

/**
 * BACKFILL, in milliseconds; null: it is not given, and BACKFILL_SLOTS counts.
 * @throws ConfigError
 */
export function backfillMs(text: string): number | null {
  if (text === '') return null
  const ms = durationMs('BACKFILL', text)
  if (ms <= BACKFILL_HOURS_MAX * HOUR_MS) return ms
  throw new ConfigError(`BACKFILL is "${text}"; it must be at most ${BACKFILL_HOURS_MAX}h.`)
}

/**
 * YELLOWSTONE_URL and YELLOWSTONE_TOKEN. Addresses are never repeated in a sentence, here and below:
 * many hold a key, and the sentence goes to the log.
 * @throws ConfigError
 */
export function yellowstoneSetting(url: string, token: string): YellowstoneSetting {
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
 * SOLANA_RPC_URL, SOLANA_WS_URL and SOLANA_BLOCKS. Without a WebSocket address it is the HTTP one
 * with ws in front, and the next port where one is given, as Solana's nodes have it.
 * @throws ConfigError
 */
export function solanaSetting(
  rpcUrl: string,
  wsUrl: string,
  blocks: 'gaps' | 'all',
): SolanaSetting {
  if (rpcUrl === '')
    throw new ConfigError(
      'FEED has solana, but SOLANA_RPC_URL is empty; it must be like https://host/?api-key=….',
    )
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
  const socketUrl = wsUrl === '' ? socketOf(rpcUrl) : wsUrl
  if (!hasProtocol(socketUrl, ['wss:', 'ws:']))
    throw new ConfigError('SOLANA_WS_URL cannot be used; it must be a wss:// or ws:// address.')
  return { rpcUrl, wsUrl: socketUrl, blocks }
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
