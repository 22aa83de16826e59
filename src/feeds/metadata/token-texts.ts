import { ownText } from '../../base/own-text.ts'
import { METADATA_KEYS, type MetadataKey } from '../../engine/event.ts'
import { codePoints, LINK_CHARACTERS_MAX } from '../../engine/text.ts'
import { isRecord, type JsonRecord, textAt } from '../chain/json-access.ts'
import { isNestedDeeper } from './json-depth.ts'
import { type Refusal, refusal } from './refusal.ts'

/** Texts of tokens lie two or three levels deep. */
export const DEPTH_MAX = 16
/** Code points of a description; longer ones are cut. */
export const DESCRIPTION_MAX = 2_048

/** What the JSON behind a token's uri says; absent keys are not in it. */
export type TokenTexts = { readonly [K in MetadataKey]?: string }

/** Reads the texts; never throws. */
export function readTokenTexts(json: string): TokenTexts | Refusal {
  if (isNestedDeeper(json, DEPTH_MAX)) return refusal('depth', true)
  let value: unknown
  try {
    value = JSON.parse(json)
  } catch {
    return refusal('json', true)
  }
  return isRecord(value) ? textsOf(value) : refusal('json', true)
}

function textsOf(value: JsonRecord): TokenTexts {
  const texts: { [K in MetadataKey]?: string } = {}
  for (const key of METADATA_KEYS) {
    const given = textAt(value, key)
    if (given === null) continue
    const text = key === 'description' ? cleanDescription(given) : cleanLink(given)
    if (text !== '') texts[key] = ownText(text)
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
  const visible = text.replace(/[\t\n\r]+/g, ' ').replace(/[\p{Cc}\p{Bidi_Control}]/gu, '')
  return codePoints(visible.trim(), DESCRIPTION_MAX)
}

/** A link that is whole and harmless, or "". */
function cleanLink(text: string): string {
  const link = text.trim()
  if (link.length > LINK_CHARACTERS_MAX || /[\s\p{Cc}\p{Bidi_Control}\p{Cs}]/u.test(link)) return ''
  return /^(https?|ipfs):\/\//i.test(link) && URL.parse(link) !== null ? link : ''
}
