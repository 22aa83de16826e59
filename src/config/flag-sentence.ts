import { messageOf } from '../base/thrown.ts'

/** What `parseArgs` did not know: a flag, without its dashes, or a word that is no flag at all. */
export type Unknown = { readonly flag: string } | { readonly word: string }

/**
 * What `parseArgs` refused, as one sentence; `instead` says, beginning with a small letter, what there is
 * for what it did not know.
 */
export function flagSentence(error: unknown, instead: (unknown: Unknown) => string): string {
  const text = messageOf(error)
  const unknown = /^(?:Unknown option '-*(.*?)'|Unexpected argument '(.*?)')(?=[.\n]|$)/.exec(text)
  if (unknown !== null) {
    const [all, flag, word = ''] = unknown
    return `${all}; ${instead(flag === undefined ? { word } : { flag })}.`
  }
  const [, valueless, isLast] = /^Option '(--\S+)( <value>)?' argument/.exec(text) ?? []
  if (valueless !== undefined)
    return isLast === undefined
      ? `Option '${valueless}' has no value; one that begins with a dash is written ${valueless}=<value>.`
      : `Option '${valueless}' has no value.`
  return `${text.split('\n')[0].replace(/\.$/, '')}.`
}
