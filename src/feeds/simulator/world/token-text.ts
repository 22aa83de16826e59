import { ALPHABET, encodeBase58 } from '../../../base/base58.ts'
import type { Random } from '../../../base/random.ts'
import type { MetadataKey } from '../../../events/event.ts'

/** Names, links and descriptions as people give them, some of them meant to break a display. */
const FIRST =
  'based,moon,sad,tiny,giga,turbo,baby,pixel,space,lazy,mega,royal,angry,golden,neon'.split(',')
const SECOND = 'dog,cat,frog,pepe,wif,goat,ape,shark,hamster,penguin,toad,bull,bonk,chad,ai'.split(
  ',',
)
const HOSTILE: readonly string[] = [
  '<script>alert(1)</script>',
  '"quoted" \'name\' \\ back',
  '🚀🐸💎🙌',
  '\u202Egnp.exe',
  'שלום עולם',
  'مرحبا',
  'Z̸͓̈a̷̱͝l̵̰̈g̶̲̎o',
  'ＦＵＬＬ　ＷＩＤＴＨ',
  '&lt;b&gt;&amp;',
  "'; DROP TABLE tokens; --",
  '\u0000\u0007null',
  '=HYPERLINK("x")',
  'İıſß',
  '👨‍👩‍👧‍👦',
  '   ',
]
/** Of a hostile name, as its symbol. */
const SYMBOL_CHARACTERS = 10
const HOSTILE_SHARE = 0.03
const RECENT_LINKS = 64
const REUSE_SHARE = 0.12
const ADDRESS_CHARS = 44

/**
 * 44 characters that begin with one of the first 17 digits are always below 2^256: real addresses.
 */
const LEADING_DIGITS = 16

const SUFFIX = 'pump'
const scratch = Buffer.alloc(ADDRESS_CHARS)

export class TokenTextSource {
  readonly #random: Random
  readonly #recentLinks: string[] = []

  constructor(random: Random) {
    this.#random = random
  }

  text(): { readonly name: string; readonly symbol: string; readonly uri: string } {
    const random = this.#random
    const uri = `https://ipfs.io/ipfs/${randomCid(random)}`
    if (random.chance(HOSTILE_SHARE)) {
      const name = random.pick(HOSTILE)
      // By code points: a cut between the halves of one would leave text that is not well-formed.
      const cut = Array.from(name).slice(0, SYMBOL_CHARACTERS).join('')
      return { name, symbol: random.chance(0.5) ? cut : 'X', uri }
    }
    const first = random.pick(FIRST)
    const second = random.pick(SECOND)
    const name = random.chance(0.3)
      ? `${first} ${second} ${random.below(1000)}`
      : `${first} ${second}`
    const symbol = (random.chance(0.5) ? second : first.slice(0, 3) + second).toUpperCase()
    return { name, symbol, uri }
  }

  /** Links and description; a missing key is one that the token does not have. */
  links(name: string): Readonly<Partial<Record<MetadataKey, string>>> {
    const random = this.#random
    const bits = random.next()
    const links: Partial<Record<MetadataKey, string>> = {}
    if ((bits & 31) !== 0) links.image = `ipfs://${randomCid(random)}`
    if ((bits & 0x300) !== 0) links.twitter = this.#twitter()
    if ((bits & 0x3000) === 0) links.telegram = `https://t.me/${this.#handle()}`
    if ((bits & 0xc000) === 0) links.website = this.#website(bits)
    if ((bits & 0x10000) !== 0)
      links.description = `${name}: the one and only, on ${this.#handle()}`
    if ((bits & 0x7e0000) === 0) links.discord = `https://discord.gg/${this.#handle()}`
    if ((bits & 0x3f800000) === 0) links.video = `ipfs://${randomCid(random)}`
    return links
  }

  #website(bits: number): string {
    if (bits >>> 30 === 0 && this.#random.chance(0.1)) return 'javascript:alert(document.domain)'
    return `https://${this.#handle()}.fun`
  }

  /** A profile, a post, or a link that another token has already. */
  #twitter(): string {
    const random = this.#random
    if (this.#recentLinks.length > 0 && random.chance(REUSE_SHARE))
      return random.pick(this.#recentLinks)
    const profile = `https://x.com/${this.#handle()}`
    // Ids of posts have 19 digits; two draws write them without a number beyond 2^53.
    const id = `19${random.between(10_000_000, 99_999_999)}${random.between(100_000_000, 999_999_999)}`
    const link = random.chance(0.4) ? `${profile}/status/${id}` : profile
    if (this.#recentLinks.length < RECENT_LINKS) this.#recentLinks.push(link)
    else this.#recentLinks[random.below(RECENT_LINKS)] = link
    return link
  }

  #handle(): string {
    const random = this.#random
    return `${random.pick(FIRST)}${random.pick(SECOND)}${random.below(10_000)}`
  }
}

/**
 * Character codes by a random byte: 58 does not divide 256, the small bias does not matter here.
 */
const CODE_OF_BYTE = Uint8Array.from({ length: 256 }, (_, byte) =>
  ALPHABET.charCodeAt(Math.floor((byte * 58) / 256)),
)

function fillChars(random: Random): void {
  for (let i = 0; i < ADDRESS_CHARS; i += 4) {
    const bits = random.next()
    scratch[i] = CODE_OF_BYTE[bits & 0xff]
    scratch[i + 1] = CODE_OF_BYTE[(bits >>> 8) & 0xff]
    scratch[i + 2] = CODE_OF_BYTE[(bits >>> 16) & 0xff]
    scratch[i + 3] = CODE_OF_BYTE[bits >>> 24]
  }
  scratch[0] = ALPHABET.charCodeAt(1 + ((scratch[0] * 7) % LEADING_DIGITS))
}

/** A random address: 44 base58 characters that decode to 32 bytes. */
export function randomAddress(random: Random): string {
  fillChars(random)
  return scratch.toString('latin1')
}

/** A random mint, with the platform's suffix or without. */
export function randomMint(random: Random, withSuffix: boolean): string {
  fillChars(random)
  if (withSuffix) scratch.write(SUFFIX, ADDRESS_CHARS - SUFFIX.length, 'latin1')
  return scratch.toString('latin1')
}

/** The shape of an IPFS content id, version 0. */
export function randomCid(random: Random): string {
  return `Qm${randomAddress(random)}`
}

/**
 * Was a uri made here? Behind `Qm` no content id of a file has a digit as low as those that ours begin
 * with, which sets the simulator's tokens apart from all others.
 */
export function isMadeUpUri(uri: string): boolean {
  const at = uri.lastIndexOf('/Qm') + '/Qm'.length
  const digit = ALPHABET.indexOf(uri.charAt(at))
  return at > 2 && uri.length === at + ADDRESS_CHARS && digit >= 1 && digit <= LEADING_DIGITS
}

/** Base58 of the 64 bytes in `lanes` (16 of them). */
export function signatureText(lanes: Uint32Array): string {
  return encodeBase58(new Uint8Array(lanes.buffer, lanes.byteOffset, lanes.byteLength))
}
