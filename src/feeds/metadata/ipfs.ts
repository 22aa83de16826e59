import { URL_CHARACTERS_MAX } from './safe-fetch.ts'

/** Content id (base58 or base32 and the like) and the path below it, as far as a URL may hold. */
const CONTENT = /^([A-Za-z0-9]{46,100})((?:\/[\w.~%!$&'()*+,;=:@-]*)*)$/

/** A step up or on the spot, which would lead out of the content to anything else of a gateway. */
const STEPS = /\/(?:\.|%2e){1,2}(?:\/|$)/i

/** What a path may not have as it is: launchers write blanks and letters of any script. */
const UNWRITTEN = /[^\w.~%!$&'()*+,;=:@/-]|%(?![\dA-Fa-f]{2})/gu

/** The ways to name content, its id and the path below it. */
const FORMS: readonly RegExp[] = [
  /^ipfs:\/\/(?:ipfs\/)?([^/?#]+)([^?#]*)/i,
  /^https?:\/\/[^/?#]+\/ipfs\/([^/?#]+)([^?#]*)/i,
]

/** The id as a host of its own, which has small letters only and always a path. */
const HOST_FORM = /^https?:\/\/([a-z0-9]+)\.ipfs\.[^/?#]+(?:\/?(?=[?#]|$)|(\/[^?#]*))/i

/**
 * `cid` or `cid/path` when the uri names content of IPFS, through whichever gateway; null when it
 * does not. Alike for all ways to write the same content.
 */
export function ipfsContentOf(uri: string): string | null {
  const text = uri.trim().toWellFormed()
  const content = contentIn(text).replaceAll(UNWRITTEN, encodeURIComponent)
  if (content.length > URL_CHARACTERS_MAX) return null
  return CONTENT.test(content) && !STEPS.test(content) ? content : null
}

function contentIn(text: string): string {
  for (const form of FORMS) {
    const match = form.exec(text)
    if (match !== null) return `${match[1]}${match[2]}`
  }
  const [, id = '', path = ''] = HOST_FORM.exec(text) ?? []
  return `${id.toLowerCase()}${path}`
}

/** Addresses to try for a uri; the nth try begins with the nth gateway. */
export function addressesOf(uri: string, attempt: number, gateways: readonly string[]): string[] {
  const content = ipfsContentOf(uri)
  if (content === null) return [uri.trim()]
  return gateways.map(
    (_, index) => `${gateways[(index + attempt) % gateways.length]}/ipfs/${content}`,
  )
}
