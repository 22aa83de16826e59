import { LINK_CHARACTERS_MAX } from '../../events/text.ts'
import { ipfsContentOf } from './ipfs.ts'

/** How fast one host is asked. */
export interface Pace {
  /** Requests a second. */
  readonly perSecond: number
  /** Requests that may come at once. */
  readonly burst: number
}

/** Of a host that said nothing of its own limit. */
export const DEFAULT_PACE: Pace = { perSecond: 10, burst: 20 }

/**
 * What the public gateways let an address ask. ipfs.filebase.io allows 200 requests a minute; the others name no
 * figure, so they get less than hosts in general: a gateway that is asked too fast refuses everybody's content.
 */
const PACES: ReadonlyMap<string, Pace> = new Map([
  ['ipfs.filebase.io', { perSecond: 3, burst: 3 }],
  ['pump.mypinata.cloud', { perSecond: 5, burst: 10 }],
  ['gateway.pinata.cloud', { perSecond: 2, burst: 4 }],
  ['4everland.io', { perSecond: 2, burst: 4 }],
])

/** Gateways that were switched off: in 2024 the two of Cloudflare, on 2026-09-21 the others. */
const RETIRED: readonly string[] = [
  'ipfs.io',
  'dweb.link',
  'w3s.link',
  'cf-ipfs.com',
  'cloudflare-ipfs.com',
]

/** The pace of a host. */
export function paceOf(host: string): Pace {
  return PACES.get(host) ?? DEFAULT_PACE
}

/** Whether a host is, or lies below, a gateway that was switched off. */
export function isRetired(host: string): boolean {
  return RETIRED.some((name) => host === name || host.endsWith(`.${name}`))
}

/**
 * A link to content of IPFS, by whatever gateway or scheme it is named, as one to `gateway`; any other link as it is.
 * One that would be too long to be kept stays as it is too.
 */
export function linkThrough(gateway: string, link: string): string {
  const content = ipfsContentOf(link)
  if (content === null) return link
  const through = `${gateway}/ipfs/${content}`
  return through.length > LINK_CHARACTERS_MAX ? link : through
}
