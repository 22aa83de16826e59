import { StateError } from '../memory/state-part.ts'

/** Bytes that UTF-8 never has divide fields and tokens, so that a match never spans two. */
export const FIELD_END = 0xfe
export const TOKEN_END = 0xff
/** Mint, name and symbol, in this order. */
const FIELDS = 3
/** From this byte on UTF-8 has no ASCII. */
const NOT_ASCII = 0x80

const END_OF_FIELD = Buffer.of(FIELD_END)
const END_OF_TOKEN = Buffer.of(TOKEN_END)
/** A letter of its own to case folding, though its capital is that of i. */
const DOTLESS_I = 'ı'
const ASCII_ONLY = /^[\0-\x7f]*$/

/** Case-folded fields, each with its end. */
export function entryOf(fields: readonly string[]): Buffer {
  const parts = fields.flatMap((text, i) => [
    Buffer.from(foldCase(text)),
    i === fields.length - 1 ? END_OF_TOKEN : END_OF_FIELD,
  ])
  return Buffer.concat(parts)
}

/** An entry of texts that were folded in another way, as it would be made now. */
export function foldedAgain(entry: Uint8Array): Uint8Array {
  // Of ASCII alone, or blanked: every way of folding leaves it as it is.
  if (!entry.some((byte) => byte >= NOT_ASCII && byte < FIELD_END)) return entry
  const text = Buffer.from(entry.buffer, entry.byteOffset, entry.length)
  const fields: string[] = []
  for (let from = 0; from < text.length; ) {
    const isLast = fields.length === FIELDS - 1
    const end = text.indexOf(isLast ? TOKEN_END : FIELD_END, from)
    if (end < 0) throw new StateError('the texts of the search are not divided into fields')
    fields.push(text.toString('utf8', from, end))
    from = end + 1
  }
  return entryOf(fields)
}

/**
 * A text as it is compared when case does not count: Unicode's full case folding, in which ß is ss,
 * a ligature its letters, and a sigma at the end of a word a sigma. Folded again it stays the same.
 */
export function foldCase(text: string): string {
  if (ASCII_ONLY.test(text)) return text.toLowerCase()
  // Capitals take ß and ligatures apart; small letters first, since ẞ is its own capital.
  const fold = (part: string) => part.toLowerCase().toUpperCase().toLowerCase()
  return text.split(DOTLESS_I).map(fold).join(DOTLESS_I).replaceAll('ς', 'σ')
}
