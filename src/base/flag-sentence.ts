/**
 * What `parseArgs` refused, as one sentence; `instead` says, beginning with a small letter, what there is
 * for a flag that is none, without its dashes, or for a word that is no flag at all: ''.
 */
export function flagSentence(error: unknown, instead: (flag: string) => string): string {
  const text = error instanceof Error ? error.message : String(error)
  const unknown = /^(?:Unknown option '-*(.*?)'|Unexpected argument '.*?')(?=[.\n]|$)/.exec(text)
  if (unknown !== null) return `${unknown[0]}; ${instead(unknown[1] ?? '')}.`
  const last = /^Option '(--\S+) <value>' argument missing/.exec(text)?.[1]
  if (last !== undefined) return `Option '${last}' has no value.`
  const valueless = /^Option '(--\S+)' argument is ambiguous/.exec(text)?.[1]
  if (valueless !== undefined)
    return `Option '${valueless}' has no value; one that begins with a dash is written ${valueless}=<value>.`
  return `${text.split('\n')[0].replace(/\.$/, '')}.`
}
