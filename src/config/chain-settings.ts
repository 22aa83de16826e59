import { ConfigError, durationMs } from './setting-values.ts'

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
