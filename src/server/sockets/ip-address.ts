import { isIP, isIPv4 } from 'node:net'

/** Four bytes of IPv4, or sixteen of IPv6. */
export type AddressBytes = Uint8Array

const V4_BYTES = 4
const V6_BYTES = 16
/** Bytes of a /64: what one subscriber of an IPv6 provider holds at least. */
const V6_CLIENT_BYTES = 8
const MAPPED_PREFIX = [0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xff]

/** Bytes of a textual address, null when it is none; a zone (`%eth0`) is ignored. */
export function parseAddress(text: string): AddressBytes | null {
  const bare = text.split('%', 1)[0]
  if (isIP(bare) === 0) return null
  return unmapped(isIPv4(bare) ? v4Bytes(bare) : v6Bytes(bare))
}

/** An IPv4-mapped IPv6 address as the IPv4 address it is; others unchanged. */
export function unmapped(bytes: AddressBytes): AddressBytes {
  if (bytes.length !== V6_BYTES) return bytes
  const mapped = MAPPED_PREFIX.every((byte, index) => bytes[index] === byte)
  return mapped ? bytes.subarray(V6_BYTES - V4_BYTES) : bytes
}

/** The key a client is counted under: the IPv4 address, or the /64 of the IPv6 address. */
export function clientKey(bytes: AddressBytes): string {
  if (bytes.length === V4_BYTES) return `${bytes[0]}.${bytes[1]}.${bytes[2]}.${bytes[3]}`
  return Buffer.from(bytes.subarray(0, V6_CLIENT_BYTES)).toString('hex')
}

/** Keys of 127.0.0.0/8 and of the /64 of ::1: programs of this machine, a reverse proxy among them. */
const LOOPBACK = /^(?:127\.|0{16}$)/

/** Is it the key (`clientKey`) of programs of this machine? */
export function isLoopback(client: string): boolean {
  return LOOPBACK.test(client)
}

function v4Bytes(text: string): AddressBytes {
  return Uint8Array.from(text.split('.'), Number)
}

/** Expands a valid IPv6 text; `::` stands for as many zero groups as are missing. */
function v6Bytes(text: string): AddressBytes {
  const [head, tail] = text.split('::')
  const front = groupBytes(head)
  const back = groupBytes(tail ?? '')
  const bytes = new Uint8Array(V6_BYTES)
  bytes.set(front, 0)
  bytes.set(back, V6_BYTES - back.length)
  return bytes
}

function groupBytes(groups: string): readonly number[] {
  if (groups === '') return []
  return groups.split(':').flatMap((group) => {
    if (group.includes('.')) return [...v4Bytes(group)]
    const value = Number.parseInt(group, 16)
    return [value >> 8, value & 0xff]
  })
}
