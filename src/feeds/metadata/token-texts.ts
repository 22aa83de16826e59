import { isRecord, type JsonRecord, jsonOf, textAt } from '../../base/json-access.ts'
import { flatCopy } from '../../base/safe-text.ts'
import { METADATA_KEYS, type MetadataKey } from '../../events/event.ts'
import { codePoints, LINK_CHARACTERS_MAX, withScheme } from '../../events/text.ts'
import { type Refusal, refusal } from './safe-fetch.ts'

/** Texts of tokens lie two or three levels deep; a description has so many code points, and longer ones are cut. */
export const TEXT_LIMITS = { depth: 16, description: 2_048 } as const

/**
 * Controls and whatever is drawn without a width: marks that turn the direction of writing, fillers, tags. The
 * joiner and the forms of emoji stay for now.
 */
const UNSEEN = /(?![\u200d\ufe0e\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}]/gu

/** A joiner that joins no two pictures, and a variation selector behind no emoji. */
const LOOSE =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})|(?<!\p{Emoji})[\ufe0e\ufe0f]/gu
const QUOTE = 0x22
const BACKSLASH = 0x5c
const OPENING = [0x5b, 0x7b]
const CLOSING = [0x5d, 0x7d]

/** Texts in the JSON behind a token's uri; absent keys are left out. */
export type TokenTexts = { readonly [K in MetadataKey]?: string }

/** Reads the texts; never throws. */
export function readTokenTexts(json: string): TokenTexts | Refusal {
  if (isNestedDeeper(json, TEXT_LIMITS.depth)) return refusal('depth', true)
  // Some editors begin a file with a byte order mark.
  const value = jsonOf(json.replace(/^\ufeff/, ''))
  return isRecord(value) ? textsOf(value) : refusal('json', true)
}

function textsOf(value: JsonRecord): TokenTexts {
  const texts: { [K in MetadataKey]?: string } = {}
  for (const key of METADATA_KEYS) {
    const given = textAt(value, key)
    if (given === null) continue
    const text = key === 'description' ? cleanDescription(given) : cleanLink(given)
    if (text !== '') texts[key] = flatCopy(text)
  }
  return withDiscord(texts)
}

/** Launchers have no field for Discord: its links stand among the others. */
function withDiscord(texts: { [K in MetadataKey]?: string }): TokenTexts {
  for (const key of ['website', 'telegram'] as const) {
    const link = texts[key]
    if (link === undefined || !isDiscord(link)) continue
    texts.discord ??= link
    delete texts[key]
  }
  return texts
}

function isDiscord(link: string): boolean {
  const host = new URL(link).hostname.replace(/^www\./, '')
  return host === 'discord.gg' || host === 'discord.com'
}

/** Line ends become blanks; what is invisible or turns the order of reading around goes. */
function cleanDescription(text: string): string {
  const visible = seenOf(text.replace(/[\t\n\r]+/g, ' '))
  return codePoints(visible.trim(), TEXT_LIMITS.description)
}

/** A link that is whole and harmless, or "". What is invisible goes: it was copied along. */
function cleanLink(text: string): string {
  const given = text.trim()
  if (/[\s\p{Cc}\p{Bidi_Control}\p{Cs}]/u.test(given)) return ''
  const link = withScheme(seenOf(given))
  if (link.length > LINK_CHARACTERS_MAX) return ''
  return /^(https?|ipfs):\/\//i.test(link) && URL.parse(link) !== null ? link : ''
}

function seenOf(text: string): string {
  return text.replace(UNSEEN, '').replace(LOOSE, '')
}

/** Whether lists and objects in JSON text lie deeper in each other than `max`; one pass, no parse. */
export function isNestedDeeper(text: string, max: number): boolean {
  let depth = 0
  let isText = false
  for (let at = 0; at < text.length; at++) {
    const code = text.charCodeAt(at)
    if (isText) {
      if (code === BACKSLASH) at++
      else if (code === QUOTE) isText = false
      continue
    }
    if (code === QUOTE) isText = true
    else if (OPENING.includes(code)) depth += 1
    else if (CLOSING.includes(code)) depth -= 1
    if (depth > max) return true
  }
  return false
}
