/** What `parseArgs` refused, as one sentence that names the flags there are; `whose` begins with a small letter. */
export function flagSentence(error: unknown, whose: string, names: readonly string[]): string {
  const reason = error instanceof Error ? error.message.split('\n')[0] : String(error)
  const flags = names.map((name) => `--${name}`).join(', ')
  return `${reason.replace(/\.$/, '')}; ${whose} are ${flags}.`
}
