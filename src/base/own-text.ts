/**
 * A well-formed text in memory of its own. V8 makes a piece of a text by pointing into the whole: who keeps
 * an id of thirteen characters would keep the 16 KB that it was cut out of.
 */
export function ownText(text: string): string {
  return Buffer.from(text).toString()
}
