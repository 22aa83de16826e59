/** Content id (base58 or base32 and the like) and the path below it, as far as a URL may hold. */
const CONTENT = /^([A-Za-z0-9]{46,100})((?:\/[\w.~%!$&'()*+,;=:@-]*)*)$/

/** A step up or on the spot, which would lead out of the content to anything else of a gateway. */
const STEPS = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/**
 * `cid` or `cid/path` when the uri names content of IPFS, through whichever gateway; null when it
 * does not. Alike for all ways to write the same content.
 */
export function ipfsContentOf(uri: string): string | null {
  const text = uri.trim()
  const match =
    /^ipfs:\/\/(?:ipfs\/)?([^?#]*)/i.exec(text) ?? /^https?:\/\/[^/?#]+\/ipfs\/([^?#]*)/i.exec(text)
  const content = match?.[1] ?? ''
  return CONTENT.test(content) && !STEPS.test(content) ? content : null
}

/** Addresses to try for a uri; the nth try begins with the nth gateway. */
export function addressesOf(uri: string, attempt: number, gateways: readonly string[]): string[] {
  const content = ipfsContentOf(uri)
  if (content === null) return [uri.trim()]
  return gateways.map(
    (_, index) => `${gateways[(index + attempt) % gateways.length]}/ipfs/${content}`,
  )
}
