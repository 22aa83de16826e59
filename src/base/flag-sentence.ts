import { messageOf } from './thrown.ts'

/**
 * What `parseArgs` refused, as one sentence; `instead` says, beginning with a small letter, what there is
 * for a flag that is none, without its dashes, or for a word that is no flag at all: ''.
 */
export function flagSentence(error: unknown, instead: (flag: string) => string): string {
  const text = messageOf(error)
  const unknown = /^(?:Unknown option '-*(.*?)'|Unexpected argument '.*?')(?=[.\n]|$)/.exec(text)
  if (unknown !== null) return `${unknown[0]}; ${instead(unknown[1] ?? '')}.`
  const [, valueless, isLast] = /^Option '(--\S+)( <value>)?' argument/.exec(text) ?? []
  if (valueless !== undefined)
    return isLast === undefined
      ? `Option '${valueless}' has no value; one that begins with a dash is written ${valueless}=<value>.`
      : `Option '${valueless}' has no value.`
  return `${text.split('\n')[0].replace(/\.$/, '')}.`
}
