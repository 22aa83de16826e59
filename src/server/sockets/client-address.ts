import type { HttpRequest, HttpResponse } from 'uWebSockets.js'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** Addresses of an X-Forwarded-For read from the right; no proxy chain is longer. */
const MAX_FORWARDED_HOPS = 32

const V4_BYTES = 4
/** Bytes of a /64: what one subscriber of an IPv6 provider holds at least. */
const V6_CLIENT_BYTES = 8
/** Where IPv6 holds the IPv4 addresses: twelve bytes in front of four. */
const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]
/** Keys of 127.0.0.0/8 and of the /64 of ::1: programs of this machine, a reverse proxy among them. */
const LOOPBACK = /^(?:127\.|0{16}$)/
const WITH_PORT = /^(?:\[([^\]]+)\](?::\d+)?|(\d+\.\d+\.\d+\.\d+):\d+)$/
const LOOPBACK_NET = 127
/** Headers of a proxy: a proxy on this machine stands for any client. */
const PROXY_HEADERS = ['x-forwarded-for', 'forwarded', 'x-real-ip'] as const

/** The four or sixteen bytes of a textual address, null when it is none; a zone (`%eth0`) is ignored. */
function parseAddress(text: string): Uint8Array | null {
  const [bare = ''] = text.split('%', 1)
  return isIP(bare) === 0 ? null : Uint8Array.from(ipaddr.process(bare).toByteArray())
}

/** An IPv4-mapped IPv6 address as the IPv4 address it is; others unchanged. */
function unmapped(bytes: Uint8Array): Uint8Array {
  if (bytes.length === V4_BYTES) return bytes
  const isMapped = MAPPED_PREFIX.every((byte, index) => bytes[index] === byte)
  return isMapped ? bytes.subarray(MAPPED_PREFIX.length) : bytes
}

/** The key a client is counted under: the IPv4 address, or the /64 of the IPv6 address. */
function clientKey(bytes: Uint8Array): string {
  if (bytes.length === V4_BYTES) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`
  return Buffer.from(bytes.subarray(0, V6_CLIENT_BYTES)).toString('hex')
}

/** Is it the key (`clientKey`) of programs of this machine? */
export function isLoopback(client: string): boolean {
  return LOOPBACK.test(client)
}

/** The client that a request is counted for (contract section 3; TRUST_PROXY of section 7). */
export class ClientAddresses {
  readonly #trusted: readonly ReturnType<typeof parseSubnet>[]

  /** Throws a one-sentence Error on an entry that is no address and no CIDR. */
  constructor(trustProxy: readonly string[]) {
    this.#trusted = trustProxy.map(parseSubnet)
  }

  /** False: X-Forwarded-For need not even be read. */
  get trustsProxies(): boolean {
    return this.#trusted.length > 0
  }

  /** `forwardedFor`: the X-Forwarded-For values joined by commas, empty when there was none. */
  keyOf(remote: ArrayBuffer, forwardedFor: string): string {
    const peer = unmapped(new Uint8Array(remote))
    if (forwardedFor === '' || !this.#trusts(peer)) return clientKey(peer)
    return clientKey(this.#rightmostUntrusted(peer, forwardedFor))
  }

  /** Is it a proxy whose X-Forwarded-For is believed? */
  isTrusted(remote: ArrayBuffer): boolean {
    return this.#trusts(unmapped(new Uint8Array(remote)))
  }

  /** A peer that has reset its connection has no bytes, and is nobody's proxy. */
  #trusts(bytes: Uint8Array): boolean {
    if (!this.trustsProxies || bytes.length === 0) return false
    const address = ipaddr.fromByteArray([...bytes])
    return this.#trusted.some(
      ([base, bits]) => address.kind() === base.kind() && address.match(base, bits),
    )
  }

  /** Walks the hops from the nearest on; a hop that is no address ends the chain of belief. */
  #rightmostUntrusted(peer: Uint8Array, forwardedFor: string): Uint8Array {
    let nearest = peer
    for (const hop of forwardedFor.split(',').slice(-MAX_FORWARDED_HOPS).reverse()) {
      const address = parseAddress(withoutPort(hop.trim()))
      if (address === null) return nearest
      if (!this.#trusts(address)) return address
      nearest = address
    }
    return nearest
  }
}

function withoutPort(hop: string): string {
  const match = WITH_PORT.exec(hop)
  return match?.[1] ?? match?.[2] ?? hop
}

/** A CIDR, or an address as the subnet of it alone. */
function parseSubnet(text: string): readonly [base: ipaddr.IPv4 | ipaddr.IPv6, prefixBits: number] {
  const [address = '', prefix, ...rest] = text.split('/')
  const base = parseAddress(address)
  const bits = prefix === undefined ? (base?.length ?? 0) * 8 : Number(prefix)
  const isPrefix = prefix === undefined || (/^\d+$/.test(prefix) && rest.length === 0)
  if (base === null || !isPrefix || bits > base.length * 8)
    throw new Error(`TRUST_PROXY came with "${text}", addresses and CIDRs are allowed.`)
  return [ipaddr.fromByteArray([...base]), bits]
}

/**
 * Does a request of a browser come from a page that may not read answers? `origin` and `host` are the request's headers,
 * `allowed` is CORS_ORIGIN. Browsers do not apply CORS to WebSockets: their server has to. Programs send
 * no origin, and the origin of the service's own page has the host of the request, whatever ends its TLS.
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
