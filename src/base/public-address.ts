/**
 * Which hosts the program may ask when somebody else names them: texts of tokens are fetched from, and webhooks sent to,
 * public addresses alone, and names are resolved here, so that the address that was checked is the one that is dialled.
 */
import { Resolver } from 'node:dns/promises'
import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

/** One question to a name server, and how often it is asked again. */
const QUESTION_MS = 2_000
const TRIES = 2

/**
 * Asks the name servers itself, outside of the thread pool that files use: slow servers of others
 * hold nothing up. Knows no hosts file, so a name cannot mean this machine by it.
 * @param servers `address:port` each, instead of the system's
 */
export function dnsResolver(
  servers: readonly string[] = [],
): (host: string) => Promise<readonly string[]> {
  const resolver = new Resolver({ timeout: QUESTION_MS, tries: TRIES })
  if (servers.length > 0) resolver.setServers(servers)
  return async (host) => {
    const answers = await Promise.allSettled([resolver.resolve4(host), resolver.resolve6(host)])
    return answers.flatMap((answer) => (answer.status === 'fulfilled' ? answer.value : []))
  }
}

/**
 * Whether an IP address belongs to a host on the public internet. Everything that stands for this
 * machine, its networks or its cloud is none: loopback, private, link-local (169.254.169.254),
 * carrier NAT, multicast, reserved, IPv4 in any IPv6 dress (mapped, compatible, 6to4, Teredo, NAT64).
 */
export function isPublicAddress(text: string): boolean {
  // Short forms like 127.1 are no address to a socket, only to some parsers.
  if (isIP(text) === 0) return false
  const address = ipaddr.parse(text)
  if (address.range() !== 'unicast') return false
  // Only 2000::/3 is given out as global unicast (RFC 4291); what lies outside is routed nowhere.
  return address instanceof ipaddr.IPv4 || (address.parts[0] ?? 0) >>> 13 === 1
}

/** A network that may be reached though it is not public: its address, and the bits of it that count. */
export type Network = ReturnType<typeof ipaddr.parseCIDR>

/** An address, or a network as CIDR; null: it is neither. */
export function parseNetwork(text: string): Network | null {
  try {
    if (text.includes('/')) return ipaddr.parseCIDR(text)
    const address = ipaddr.process(text)
    return isIP(text) === 0 ? null : [address, address.kind() === 'ipv4' ? 32 : 128]
  } catch {
    return null
  }
}

/** Is it an address of one of these networks? IPv4 in the dress of IPv6 is IPv4. */
export function isInNetworks(text: string, networks: readonly Network[]): boolean {
  if (isIP(text) === 0) return false
  const address = ipaddr.process(text)
  return networks.some(
    ([network, bits]) => network.kind() === address.kind() && address.match(network, bits),
  )
}
