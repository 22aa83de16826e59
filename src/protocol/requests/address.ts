import { isAddress } from '../../base/base58.ts'
import { quoted, type Refused, refuse } from './parsed.ts'

/** The end of every refusal of a text that cannot be a mint or a wallet. */
export const ADDRESS_EXPECTED = 'an address is expected: 32 to 44 characters of base58'

/** Has an event named this text? */
export type IsKnownAddress = (text: string) => boolean

/** Characters of a name that an event line may give a mint or a wallet (docs/feeds.md). */
const NAME_CHARACTERS_MAX = 64

/** Could an event line name this? The rule while the service starts and no address is known. */
export function mayBeName(text: string): boolean {
  return text.length <= NAME_CHARACTERS_MAX && text.trim() !== ''
}

/**
 * Can this text be a mint or a wallet? The one rule of all requests: it is an address, known or not, or a name that
 * came in an event line, where tokens may have other names.
 */
export function mayBeAddress(text: string, isKnownAddress: IsKnownAddress): boolean {
  return isAddress(text) || isKnownAddress(text)
}

/** The refusal of a parameter that cannot be a mint or a wallet; null: it can. */
export function addressRefusal(
  name: string,
  text: string,
  isKnownAddress: IsKnownAddress,
): Refused | null {
  if (mayBeAddress(text, isKnownAddress)) return null
  const message = `${name} came as ${quoted(text)}, ${ADDRESS_EXPECTED}.`
  return refuse('invalid_parameter', name, message)
}
