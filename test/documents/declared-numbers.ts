import { sourceFiles } from '../tidy/source-files.ts'

const CONSTANT = /^(?:export )?const ([A-Z][A-Z\d_]*) = ([\w.]+(?: [*/] [\w.]+)*)$/gm

/**
 * The numbers that files of a folder declare, by their names, whether they are exported or not:
 * `MAX_BODY_BYTES = 16 * 1024`. Throws an Error for a name that no file or more than one declares.
 */
export function declaredNumbers(folder: string): (name: string) => number {
  const texts = new Map<string, string[]>()
  for (const { text } of sourceFiles(folder))
    for (const [, name = '', value = ''] of text.matchAll(CONSTANT))
      texts.set(name, [...(texts.get(name) ?? []), value])
  const numberOf = (name: string): number => {
    const found = texts.get(name) ?? []
    const [text] = found
    if (text === undefined || found.length > 1)
      throw new Error(`${found.length} files of ${folder} declare the number ${name}, not one`)
    const [first = '', ...rest] = text.split(' ')
    let value = factor(first)
    for (let at = 0; at < rest.length; at += 2) {
      const next = factor(rest[at + 1] ?? '')
      value = rest[at] === '*' ? value * next : value / next
    }
    return value
  }
  const factor = (word: string): number =>
    /^\d/.test(word) ? Number(word.replaceAll('_', '')) : numberOf(word)
  return numberOf
}
