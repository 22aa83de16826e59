import { decodeBase58 } from '../base/base58.ts'
import { isSolPrice, SOL_PRICE_RANGE } from '../base/sol-price-range.ts'
import { ConfigError } from './setting-values.ts'

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
      `fixed:<usd> (${SOL_PRICE_RANGE}), file:<path> or off.`,
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
