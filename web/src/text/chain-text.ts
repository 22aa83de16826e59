/**
 * Text from the chain, made fit to show. Anybody can put anything there: it is never markup
 * (components write text nodes only), and what could reorder or hide the text around it is left out.
 */

/**
 * Controls and whatever is drawn without a width: marks that turn the direction of writing, fillers,
 * tags. The joiner and the picture form of emoji stay for now.
 */
const UNSEEN =
  /(?![\u200d\ufe0f])[\p{Cc}\p{Default_Ignorable_Code_Point}\p{Zl}\p{Zp}\ufff9-\ufffb]/gu

/** Ends of lines, and the braille pattern without a dot: Unicode counts it as a sign, and nothing is drawn. */
const BLANKS = /[\t\n\v\f\r\u2028\u2029\u2800]/g

/** A joiner that does not join two pictures. */
const LOOSE_JOINER =
  /(?<!\p{Extended_Pictographic}\ufe0f?\p{Emoji_Modifier}?)\u200d|\u200d(?!\p{Extended_Pictographic})/gu

/** More than two marks on one letter climb into the lines above and below. */
const PILED_MARKS = /(\p{M}{2})\p{M}+/gu

/** Code points shown at most; the rest is on the token's own page. */
const SHOWN_MAX = 64

/** One line of text, at most `max` code points. Nothing left: an empty text. */
export function shown(text: string, max = SHOWN_MAX): string {
  const seen = text
    .replace(BLANKS, ' ')
    .replace(UNSEEN, '')
    .replace(LOOSE_JOINER, '')
    .replace(PILED_MARKS, '$1')
    .replace(/\s+/gu, ' ')
    .trim()
  const points = [...seen]
  return points.length > max ? `${points.slice(0, max - 1).join('')}…` : seen
}

/** A name that can be pointed at: what is shown of it, or the start of its mint. */
export function shownName(name: string, mint: string): string {
  const seen = shown(name)
  return seen === '' ? short(mint) : seen
}

/** `5WMq…pump`: the two ends of an address. */
export function short(address: string): string {
  return address.length <= 10 ? address : `${address.slice(0, 4)}…${address.slice(-4)}`
}

/** The address when it is https and well-formed, else null: nothing else is made a link. */
export function safeLink(text: string | null | undefined): string | null {
  if (text === null || text === undefined || !URL.canParse(text)) return null
  const url = new URL(text)
  return url.protocol === 'https:' && url.username === '' && url.password === '' ? url.href : null
}
