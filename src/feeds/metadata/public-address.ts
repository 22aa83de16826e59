import { isIP } from 'node:net'
import ipaddr from 'ipaddr.js'

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
  return address instanceof ipaddr.IPv4 || address.parts[0] >>> 13 === 1
}
