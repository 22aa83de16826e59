/**
 * What steers a terminal, ends a line, or turns the order of reading around, of what stands behind it
 * too. Halves of surrogate pairs are among it: no UTF-8 can write them.
 */
const STEERING = /[\p{Cc}\p{Cs}\p{Bidi_Control}\p{Zl}\p{Zp}]/gu

/** A text from outside for one line of a log or of a terminal, with `instead` for each steering character. */
export function stripControlChars(text: string, instead: string): string {
  return text.replace(STEERING, instead)
}
