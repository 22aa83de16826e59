import { editsBetween } from './mistyped-settings.ts'

/** Letters typed wrong, left out or added, at which a word may still stand for a name. */
const EDITS_MAX = 2
/** Names told at most: more would be a list again. */
const TOLD_MAX = 3

/** Names that whoever wrote a word may have meant: those spelt nearest to it, else those that share their parts. */
export function nearNames(word: string, names: readonly string[]): readonly string[] {
  const edits = names.map((name) => editsBetween(word, name))
  const fewest = Math.min(...edits)
  const near =
    fewest <= EDITS_MAX ? names.filter((_, i) => edits[i] === fewest) : partners(word, names)
  return near.slice(0, TOLD_MAX)
}

function partners(word: string, names: readonly string[]): readonly string[] {
  const isPart = (part: string, whole: string) => `-${whole}-`.includes(`-${part}-`)
  return names.filter((name) => isPart(word, name) || isPart(name, word))
}
