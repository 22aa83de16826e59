import type { Random } from '../../../src/base/random.ts'
import { METADATA_KEYS } from '../../../src/events/event.ts'
import { cleanLink, LINK_CHARACTERS_MAX, xLinkOf } from '../../../src/events/text.ts'
import { addressesOf, ipfsContentOf, uriKey } from '../../../src/feeds/metadata/fetch-queue.ts'
import { readTokenTexts } from '../../../src/feeds/metadata/token-texts.ts'
import { safeLink, shown } from '../../../web/src/text/chain-text.ts'
import { magic, randomJson } from '../mutations.ts'
import { type FuzzTarget, holds } from '../target.ts'

const GATEWAYS = ['https://one.example', 'https://two.example/gate']
const CONTENT = 'bafkreihdwdcefgh4dqkjv67uzcmw7ojee6xedzdetojuzjevtenxquvyku'
const LINKS = [
  'https://x.com/',
  'https://twitter.com/i/communities/',
  'https://x.com/someone/status/',
  'https://t.me/',
  'https://discord.gg/',
  'http://a.example/',
  'javascript:alert(1)//',
  'data:text/html,',
  'ipfs://',
  `ipfs://${CONTENT}/`,
  `https://a.example/ipfs/${CONTENT}/`,
  `https://${CONTENT}.ipfs.a.example/`,
  `https://user:secret@a.example/ipfs/${CONTENT}`,
  'https://127.0.0.1/',
  'https://[::1]/',
]
const STRANGE = ['\u202e', '\u2066', '\u200d', '\u0000', '\u001b[2J', '\u{e0041}', '%2e%2e/', '../']
const WORDS = [...METADATA_KEYS, 'name', 'symbol', 'createdOn', ...LINKS, ...STRANGE]
const X_LINK = /^(?:|@[a-z0-9_]{1,15}|(?:status|community):\d+|(?:broadcasts|spaces):\w+)$/

/** What strangers write behind the uri of a token, and the uri itself. */
export const tokenTexts: FuzzTarget = {
  name: 'token-texts',
  words: WORDS.map((word) => JSON.stringify(word)),
  make(random) {
    if (random.chance(0.2)) return Buffer.from(JSON.stringify(randomJson(random, WORDS)))
    const texts: Record<string, unknown> = {}
    for (const key of METADATA_KEYS) if (random.chance(0.5)) texts[key] = text(random)
    return Buffer.from(JSON.stringify(texts))
  },
  run(input) {
    const json = input.toString()
    const texts = readTokenTexts(json)
    if ('refused' in texts)
      holds(texts.isFinal, 'a text that cannot be read is not asked for again')
    else
      for (const key of METADATA_KEYS) {
        const given = texts[key]
        if (given === undefined) continue
        holds(!/[\p{Cc}\p{Cs}\p{Bidi_Control}]/u.test(given), 'nothing turns the text around')
        if (key === 'description') holds([...given].length <= 2048, 'a description is cut')
        else judgeLink(given)
      }
    // The text as a whole is an address as well as any other.
    judgeAddress(json)
    for (const [, quoted] of json.matchAll(/"([^"\\]*)"/g)) judgeAddress(quoted)
  },
}

function judgeLink(link: string): void {
  holds(
    /^(https?|ipfs):\/\//i.test(link) && URL.parse(link) !== null,
    'a link leads somewhere harmless',
  )
  holds(link.length <= LINK_CHARACTERS_MAX, 'a link is not long')
  holds(cleanLink(link) === link, 'the engine keeps it as it is')
}

function judgeAddress(uri: string): void {
  holds(X_LINK.test(xLinkOf(uri)), 'an X link has one of few forms')
  const link = safeLink(uri)
  holds(link === null || link.startsWith('https://'), 'the page links to https alone')
  holds(
    !/[\p{Cc}\p{Bidi_Control}]/u.test(shown(uri)),
    'the page shows nothing that turns it around',
  )
  const content = ipfsContentOf(uri)
  holds(uriKey(uri) === (content ?? uri.trim()), 'alike for what means the same')
  if (content === null) return
  for (const [index, address] of addressesOf(uri, 0, GATEWAYS).entries()) {
    const { href } = new URL(address)
    holds(
      href.startsWith(`${GATEWAYS[index]}/ipfs/${content.slice(0, 46)}`),
      'it stays in its content',
    )
  }
}

function text(random: Random): string {
  const link = () => random.pick(LINKS) + (random.chance(0.5) ? magic(random) : random.below(1e6))
  const strange = () => random.pick(STRANGE).repeat(1 + random.below(3))
  const parts = Array.from({ length: 1 + random.below(4) }, () =>
    random.chance(0.5) ? link() : random.chance(0.5) ? strange() : magic(random),
  )
  const joined = parts.join(random.chance(0.7) ? '' : ' ')
  return random.chance(0.05) ? joined.repeat(300) : joined
}
