import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { MAX_FORWARDED_HOPS } from '../load/limits.ts'
import { type AddressBytes, clientKey, parseAddress, unmapped } from './ip-address.ts'

const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/
const LOOPBACK_NET = 127
const V4_BYTES = 4
/** Headers of a proxy: behind one on this machine may be anybody. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

interface Subnet {
  readonly base: AddressBytes
  readonly prefixBits: number
}

/** Tells who a request is counted for (contract section 3; TRUST_PROXY of section 7). */
export interface ClientAddresses {
  /** False: X-Forwarded-For need not even be read. */
  readonly trustsProxies: boolean
  /** `forwardedFor`: the X-Forwarded-For values joined by commas, empty when there was none. */
  keyOf(remote: ArrayBuffer, forwardedFor: string): string
  /** Is it a proxy whose X-Forwarded-For is believed? */
  isTrusted(remote: ArrayBuffer): boolean
}

/** Throws a one-sentence Error on an entry that is no address and no CIDR. */
export function clientAddresses(trustProxy: readonly string[]): ClientAddresses {
  const trusted = trustProxy.map(parseSubnet)
  const isTrusted = (address: AddressBytes): boolean =>
    trusted.some((subnet) => contains(subnet, address))
  return {
    trustsProxies: trusted.length > 0,
    keyOf(remote, forwardedFor) {
      const peer = unmapped(new Uint8Array(remote))
      if (forwardedFor === '' || !isTrusted(peer)) return clientKey(peer)
      return clientKey(rightmostUntrusted(peer, forwardedFor, isTrusted))
    },
    isTrusted: (remote) => isTrusted(unmapped(new Uint8Array(remote))),
  }
}

/** Walks the hops from the nearest on; a hop that is no address ends the chain of belief. */
function rightmostUntrusted(
  peer: AddressBytes,
  forwardedFor: string,
  isTrusted: (address: AddressBytes) => boolean,
): AddressBytes {
  let nearest = peer
  for (const hop of forwardedFor.split(',').slice(-MAX_FORWARDED_HOPS).reverse()) {
    const address = parseAddress(withoutPort(hop.trim()))
    if (address === null) return nearest
    if (!isTrusted(address)) return address
    nearest = address
  }
  return nearest
}

function withoutPort(hop: string): string {
  const match = WITH_PORT.exec(hop)
  return match?.[1] ?? match?.[2] ?? hop
}

function parseSubnet(text: string): Subnet {
  const [address, prefix, ...rest] = text.split('/')
  const base = parseAddress(address)
  const prefixBits = prefix === undefined ? Number.NaN : Number(prefix)
  if (base !== null && prefix === undefined) return { base, prefixBits: base.length * 8 }
  const digits = prefix !== undefined && /^\d+$/.test(prefix) && rest.length === 0
  if (base === null || !digits || prefixBits > base.length * 8) {
    throw new Error(`TRUST_PROXY came with "${text}", addresses and CIDRs are allowed.`)
  }
  return { base, prefixBits }
}

function contains(subnet: Subnet, address: AddressBytes): boolean {
  if (subnet.base.length !== address.length) return false
  const wholeBytes = subnet.prefixBits >> 3
  for (let index = 0; index < wholeBytes; index++) {
    if (subnet.base[index] !== address[index]) return false
  }
  const restBits = subnet.prefixBits & 7
  if (restBits === 0) return true
  const mask = 0xff00 >> restBits
  return ((subnet.base[wholeBytes] ^ address[wholeBytes]) & mask & 0xff) === 0
}

/**
 * Does a browser say that a page asks which may not read answers? `origin` and `host` are the request's headers,
 * `allowed` is CORS_ORIGIN. Browsers hold CORS against no WebSocket: who serves one has to look. Programs send
 * no origin, and the page of the service itself has the host that it was asked by, whatever ends its TLS.
 */
export function isForeignPage(origin: string, host: string, allowed: string): boolean {
  if (allowed === '*' || origin === '' || origin === allowed) return false
  const page = URL.parse(origin)
  if (page === null || !/^https?:$/.test(page.protocol)) return true
  return URL.parse(`${page.protocol}//${host}`)?.origin !== page.origin
}

/** Does a request come from a program on this machine, and not through a proxy on it? */
export function isLocalPeer(res: HttpResponse, req: HttpRequest): boolean {
  const peer = unmapped(new Uint8Array(res.getRemoteAddress()))
  const isLoopback =
    peer.length === V4_BYTES
      ? peer[0] === LOOPBACK_NET
      : peer.at(-1) === 1 && peer.subarray(0, -1).every((byte) => byte === 0)
  return isLoopback && PROXY_HEADERS.every((name) => req.getHeader(name) === '')
}
