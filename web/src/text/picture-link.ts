import { safeLink } from './chain-text.ts'

/** Where pictures lead whose link names no host, or one that is gone. */
const GATEWAY = 'https://ipfs.filebase.io'

/** Gateways of IPFS that were switched off; most tokens still name one. */
const RETIRED = '(?:ipfs\\.io|dweb\\.link|w3s\\.link|cf-ipfs\\.com|cloudflare-ipfs\\.com)'

/** The ways to name content without a host that answers: its id and the path below it. */
const FORMS: readonly RegExp[] = [
  /^ipfs:\/\/(?:ipfs\/)?([A-Za-z0-9]{46,100})(\/[^?#]*)?/i,
  new RegExp(`^https?://(?:www\\.)?${RETIRED}/ipfs/([A-Za-z0-9]{46,100})(/[^?#]*)?`, 'i'),
  new RegExp(`^https?://([a-z0-9]{46,100})\\.ipfs\\.${RETIRED}(/[^?#]*)?`, 'i'),
]

/** The address of a token's picture, at a gateway that answers; null: it has none that may be asked for. */
export function pictureLink(image: string | null | undefined): string | null {
  const link = image?.trim() ?? ''
  for (const form of FORMS) {
    const match = form.exec(link)
    if (match !== null) return safeLink(`${GATEWAY}/ipfs/${match[1]}${match[2] ?? ''}`)
  }
  return safeLink(link)
}
