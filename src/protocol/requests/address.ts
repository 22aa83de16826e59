import { isAddress } from '../../base/base58.ts'
import { quoted, type Refused, refuse } from './parsed.ts'

/** What is said to whoever names a mint or a wallet that is none. */
export const ADDRESS_EXPECTED = 'an address is expected: 32 to 44 characters of base58'

/** Has an event named this text? */
export type IsTold = (text: string) => boolean

/** Characters of a name that an event line may give a mint or a wallet (docs/feeds.md). */
const NAME_CHARACTERS_MAX = 64

/** Could an event line tell this text? Asked while nobody knows what the feeds told. */
export function mayBeTold(text: string): boolean {
  return text.length <= NAME_CHARACTERS_MAX && text.trim() !== ''
}

/**
 * Can a client mean a mint or a wallet by this text? The one rule of all requests: it is an address, whether
 * anybody has heard of it or not, or a feed of lines told it, which may name its tokens otherwise.
 */
export function mayBeAddress(text: string, isTold: IsTold): boolean {
  return isAddress(text) || isTold(text)
}

/** The refusal of a parameter that is to be a mint or a wallet and cannot be one, or null. */
export function addressRefusal(name: string, text: string, isTold: IsTold): Refused | null {
  if (mayBeAddress(text, isTold)) return null
  const message = `${name} came as ${quoted(text)}, ${ADDRESS_EXPECTED}.`
  return refuse('invalid_parameter', name, message)
}
