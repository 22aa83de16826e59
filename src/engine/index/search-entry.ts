/** Bytes that UTF-8 never has divide fields and tokens, so that a match never spans two. */
export const FIELD_END = 0xfe
export const TOKEN_END = 0xff

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
