/** A letter of its own to case folding, though its capital is that of i. */
const DOTLESS_I = 'ı'
const ASCII_ONLY = /^[\0-\x7f]*$/

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
